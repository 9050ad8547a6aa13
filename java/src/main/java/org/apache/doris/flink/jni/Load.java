package org.apache.doris.flink.jni;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * One load: buffers are acquired, filled and submitted, then the load is finished and its outcome
 * awaited. Rows go to the server while the next buffer is filled. In batch mode it stands for the
 * loads of a table, one after the other: {@link #finish} has all rows so far sent, more may follow,
 * and {@link #ended} has the outcomes.
 *
 * <p>{@link #acquire}, {@link #submit} and {@link #finish} are called by one thread; {@link #await}
 * and {@link #close} may come from any. A failure of the load is thrown by each of them, also while
 * the caller waits.
 */
@Internal
public interface Load extends AutoCloseable {

    /**
     * A buffer of exactly so many bytes to be filled, little-endian; waits at most the given time
     * while all buffers of the load are on their way to the server. This is the only place where
     * writing waits. A second buffer cannot be acquired before the first is submitted.
     *
     * <p>The buffer is lent until {@link #submit}, or a {@link #close} by the same thread.
     *
     * @return null when the time has passed, or on an interrupt, which stays set
     */
    ByteBuffer acquire(long bytes, long timeoutMs) throws IOException;

    /**
     * Hands the acquired buffer over; does not wait. The first one begins the load on the server.
     *
     * @param rows how many rows are in it
     * @param layout what {@code BatchWriter.seal} returned; for a raw load the number of bytes used
     */
    void submit(long rows, long[] layout) throws IOException;

    /**
     * No more rows; what was submitted goes on. A load without rows never reaches the server. In
     * batch mode more rows may follow.
     */
    void finish() throws IOException;

    /**
     * Waits for the outcome, in batch mode until the server has taken all rows that were submitted;
     * at most the given time. An interrupt ends the wait within a tenth of a second and stays set.
     *
     * @return whether the result can be read, in batch mode whether no row is on its way
     * @throws IOException why the load failed; the same at each further attempt
     */
    boolean await(long timeoutMs) throws IOException;

    /**
     * The outcome, once {@link #await} returned true: {@code label}, {@code txn.id}, {@code next}
     * (the first label number not used), {@code status}, {@code rows}, {@code sent.bytes}, the
     * figures of the server's answer ({@code total.rows}, {@code loaded.rows}, {@code
     * filtered.rows}, {@code unselected.rows}, {@code load.bytes}, {@code load.time.ms}, {@code
     * begin.txn.time.ms}, {@code put.time.ms}, {@code read.time.ms}, {@code write.time.ms}, {@code
     * commit.publish.time.ms}), {@code retries}, and the labels that were skipped: {@code
     * skipped.count} and {@code skipped.<i>}. What the answer lacks is absent.
     */
    Map<String, String> result() throws IOException;

    /**
     * In batch mode: the outcome of the next load that succeeded, in order, as {@link #result} has
     * it; null when there is none now.
     */
    Map<String, String> ended() throws IOException;

    /** Frees the load; the server drops one that is not finished. Idempotent. */
    @Override
    void close();
}
