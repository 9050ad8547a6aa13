package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The scan of one source reader: split after split or window after window, batch after batch. It
 * holds the byte budget and the Flight session for its whole life.
 *
 * <p>Per split: {@link #start} or {@link #startWindow}, then {@link #poll} until {@link Poll#END},
 * with a {@link #take} after each {@link Poll#READY}. These are called by one thread; {@link
 * #wake}, {@link #metrics} and {@link #close} by any. Batches stay valid after the scan is closed.
 */
@Internal
public interface Scan extends AutoCloseable {

    /** What a poll found. */
    enum Poll {
        /** A batch can be taken. */
        READY,
        /** Nothing within the given time. */
        TIMEOUT,
        /** {@link Scan#wake} was called. */
        WOKEN,
        /** The split or window was read completely. */
        END
    }

    /**
     * Begins a snapshot split; no tablets means the whole table or view in one query.
     *
     * @param fenceMillis whole seconds as ms since 1970: once per connection the scan waits until
     *     all that was committed below it is visible
     * @param looksUp whether the scan finds out that the tablets still exist, where their rows do
     *     not show it; otherwise the caller does, after the end of the split
     */
    void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp) throws IOException;

    /**
     * Begins a window of the changelog. Its batches have the wanted columns, then {@code op}
     * TINYINT, {@code tso}, {@code lsn} and {@code hash} BIGINT, all NOT NULL.
     *
     * @param window {@code start}, {@code end} as texts in UTC, {@code start.millis}, {@code
     *     end.millis}; {@code slice} whole, hash (with {@code slice.index}, {@code slice.count}) or
     *     partition (with {@code slice.partition}); {@code verify}; where rows were emitted before,
     *     {@code position.tso}, {@code .lsn}, {@code .operation}, {@code .rows-at}, {@code
     *     .rows-of-tso}, {@code .hash-sum}
     */
    void startWindow(Map<String, String> window) throws IOException;

    /**
     * Waits for a batch, the end of the split or a wake-up, at most the given time. An interrupt
     * ends the wait within a tenth of a second with {@link Poll#TIMEOUT} and stays set.
     *
     * @throws IOException the failure of the split, or that another thread closed the scan
     */
    Poll poll(long timeoutMs) throws IOException;

    /** Takes the batch that a poll announced; the caller releases it. */
    IpcBatch take() throws IOException;

    /** Makes one poll return {@link Poll#WOKEN}: the one that waits or the next one. */
    void wake() throws IOException;

    /** Figures of this scan. */
    ScanMetrics metrics() throws IOException;

    /** Cancels what is under way and frees the scan. Idempotent. */
    @Override
    void close();
}
