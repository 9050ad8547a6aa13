package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

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
public final class NativeScan extends NativeHandle {

    /** What a poll found. */
    public enum Poll {
        /** A batch can be taken. */
        READY,
        /** Nothing within the given time. */
        TIMEOUT,
        /** {@link NativeScan#wake} was called. */
        WOKEN,
        /** The split was read completely. */
        END
    }

    private NativeScan(long id) throws NativeException {
        super("scan", id, Native::scanClose);
    }

    /**
     * Opens a scan; loads the library if that was not done yet. No I/O.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it
     */
    public static NativeScan open(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativeScan(Native.scanOpen(config));
    }

    /** Begins a snapshot split that no changes follow. */
    public void start(long[] tablets) throws NativeException {
        start(tablets, OptionalLong.empty(), true);
    }

    /**
     * Begins a snapshot split; no tablets means the whole table or view in one query.
     *
     * @param fenceMillis whole seconds as ms since 1970: once per connection the scan waits until
     *     all that was committed below it is visible
     * @param looksUp whether the scan finds out that the tablets still exist, where their rows do
     *     not show it; otherwise the caller does, after the end of the split
     */
    public void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp)
            throws NativeException {
        Native.scanStart(id(), tablets, fenceMillis.orElse(Long.MIN_VALUE), looksUp);
    }

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
    public void startWindow(Map<String, String> window) throws NativeException {
        Native.scanStartWindow(id(), TextMap.encode(window));
    }

    /**
     * Waits for a batch, the end of the split or a wake-up, at most the given time. An interrupt
     * ends the wait within a tenth of a second with {@link Poll#TIMEOUT} and stays set.
     *
     * @throws NativeException the failure of the split; {@link ErrorCode#CLOSED} when another
     *     thread closed the scan
     */
    public Poll poll(long timeoutMs) throws NativeException {
        long deadline = deadline(timeoutMs);
        try {
            while (true) {
                int status = Native.scanPoll(id(), slice(deadline));
                switch (status) {
                    case 0:
                        return Poll.READY;
                    case 1:
                        break;
                    case 2:
                        return Poll.WOKEN;
                    case 3:
                        return Poll.END;
                    default:
                        throw new NativeException(
                                ErrorCode.INTERNAL, "unknown answer of a poll: " + status);
                }
                if (Thread.currentThread().isInterrupted() || slice(deadline) == 0) {
                    return Poll.TIMEOUT;
                }
                NativeLog.drain();
            }
        } finally {
            NativeLog.drain();
        }
    }

    /** Takes the batch that a poll announced; the caller releases it. */
    public IpcBatch take() throws NativeException {
        long batch = Native.scanTake(id());
        if (batch == 0) {
            throw new NativeException(ErrorCode.INTERNAL, "the native library returned no batch");
        }
        try {
            return IpcBatch.create(
                    Native.batchHeader(batch),
                    Native.batchBody(batch),
                    Native.batchRows(batch),
                    () -> Native.batchRelease(batch),
                    new BinaryRows(batch));
        } catch (Throwable e) {
            Native.batchRelease(batch);
            throw e;
        }
    }

    /** Makes one poll return {@link Poll#WOKEN}: the one that waits or the next one. */
    public void wake() throws NativeException {
        Native.scanWake(id());
    }

    /** Figures of this scan. */
    public ScanMetrics metrics() throws NativeException {
        return new ScanMetrics(Native.scanMetrics(id()));
    }

    @Override
    void free(long id) throws NativeException {
        Native.scanClose(id);
    }

    private static final class BinaryRows implements IpcBatch.BinaryRows {

        private final long batch;

        private BinaryRows(long batch) {
            this.batch = batch;
        }

        @Override
        public int[] ends() throws NativeException {
            return Native.batchRowEnds(batch);
        }

        @Override
        public byte[] encode(int first, int count) throws NativeException {
            return Native.batchEncode(batch, first, count);
        }
    }
}
