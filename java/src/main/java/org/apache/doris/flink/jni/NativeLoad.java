package org.apache.doris.flink.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * One load: buffers are acquired, filled and submitted, then the load is finished and its outcome
 * awaited. Rows go to the server while the next buffer is filled.
 *
 * <p>{@link #acquire}, {@link #submit} and {@link #finish} are called by one thread; {@link #await}
 * and {@link #close} may come from any. A failure of the load is thrown by each of them, also while
 * the caller waits. Closing a load that is not finished makes the server drop it.
 */
public final class NativeLoad extends NativeHandle {

    NativeLoad(long id) throws NativeException {
        super("load", id);
    }

    /**
     * A buffer of exactly so many bytes to be filled, little-endian; waits at most the given time
     * while all buffers of the load are on their way to the server. This is the only place where
     * writing waits. A second buffer cannot be acquired before the first is submitted.
     *
     * <p>The memory is Rust's. It is lent until {@link #submit} or {@link #close}, after which
     * touching it, or a view of it, is undefined.
     *
     * @return null when the time has passed, or on an interrupt, which stays set
     */
    public ByteBuffer acquire(long bytes, long timeoutMs) throws NativeException {
        ByteBuffer buffer = waitFor(timeoutMs, slice -> Native.loadAcquire(id(), bytes, slice));
        return buffer == null ? null : buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Hands the acquired buffer over; does not wait. The first one begins the load on the server.
     *
     * @param rows how many rows are in it
     * @param layout what {@code BatchWriter.seal} returned; for a raw load the number of bytes used
     */
    public void submit(long rows, long[] layout) throws NativeException {
        Native.loadSubmit(id(), rows, layout);
    }

    /** No more rows; what was submitted goes on. A load without rows never reaches the server. */
    public void finish() throws NativeException {
        Native.loadFinish(id());
    }

    /**
     * Waits for the outcome, at most the given time. An interrupt ends the wait within a tenth of a
     * second and stays set.
     *
     * @return whether the result can be read
     * @throws NativeException why the load failed; the same at each further attempt
     */
    public boolean await(long timeoutMs) throws NativeException {
        return waitFor(timeoutMs, slice -> Native.loadPoll(id(), slice) == 0 ? true : null) != null;
    }

    /**
     * The outcome, once {@link #await} said it is there: {@code label}, {@code txn.id}, {@code
     * next} (the first label number not used), {@code status}, {@code rows}, {@code sent.bytes},
     * the figures of the server's answer ({@code total.rows}, {@code loaded.rows}, {@code
     * filtered.rows}, {@code unselected.rows}, {@code load.bytes}, {@code load.time.ms}, {@code
     * begin.txn.time.ms}, {@code put.time.ms}, {@code read.time.ms}, {@code write.time.ms}, {@code
     * commit.publish.time.ms}), {@code retries}, and the labels that were skipped: {@code
     * skipped.count} and {@code skipped.<i>}. What the answer lacks is absent.
     */
    public Map<String, String> result() throws NativeException {
        return TextMap.decode(Native.loadResult(id()));
    }

    @Override
    void free(long id) throws NativeException {
        Native.loadClose(id);
    }
}
