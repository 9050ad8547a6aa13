package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
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
 *
 * <p>A buffer that another thread is filling at the moment of the close outlives the load: it is
 * given back by that thread's next call, which fails, or when the garbage collector finds it.
 */
@Internal
public final class NativeLoad extends NativeHandle {

    private final long number;

    /** The thread that fills the lent buffer; null when none is lent. */
    private volatile Thread borrower;

    private volatile ByteBuffer lent;

    NativeLoad(long id) throws NativeException {
        super("load", id, Native::loadClose);
        number = id;
    }

    /**
     * A buffer of exactly so many bytes to be filled, little-endian; waits at most the given time
     * while all buffers of the load are on their way to the server. This is the only place where
     * writing waits. A second buffer cannot be acquired before the first is submitted.
     *
     * <p>The memory is Rust's. It is lent until {@link #submit}, or a {@link #close} by the same
     * thread, after which touching it, or a view of it, is undefined.
     *
     * @return null when the time has passed, or on an interrupt, which stays set
     */
    public ByteBuffer acquire(long bytes, long timeoutMs) throws NativeException {
        ByteBuffer buffer = waitFor(timeoutMs, slice -> Native.loadAcquire(open(), bytes, slice));
        if (buffer == null) {
            return null;
        }
        lent = buffer;
        borrower = Thread.currentThread();
        // A close that did not see the loan leaves it to this thread.
        open();
        return buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Hands the acquired buffer over; does not wait. The first one begins the load on the server.
     *
     * @param rows how many rows are in it
     * @param layout what {@code BatchWriter.seal} returned; for a raw load the number of bytes used
     */
    public void submit(long rows, long[] layout) throws NativeException {
        long id = open();
        try {
            Native.loadSubmit(id, rows, layout);
            borrower = null;
            lent = null;
        } catch (NativeException e) {
            giveBack();
            throw e;
        }
    }

    /** No more rows; what was submitted goes on. A load without rows never reaches the server. */
    public void finish() throws NativeException {
        Native.loadFinish(open());
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
        Thread lentTo = borrower;
        ByteBuffer buffer = lent;
        if (lentTo == Thread.currentThread()) {
            giveBack();
        } else if (lentTo != null && buffer != null) {
            // That thread may be writing now. Should it never call again, this frees the memory.
            LastNet.CLEANER.register(buffer, returning(id));
            lent = null;
        }
    }

    /** The number for a call of the thread that fills buffers. */
    private long open() throws NativeException {
        try {
            return id();
        } catch (NativeException closed) {
            if (borrower == Thread.currentThread()) {
                giveBack();
            }
            throw closed;
        }
    }

    private void giveBack() throws NativeException {
        borrower = null;
        lent = null;
        Native.loadReturn(number);
    }

    /** Holds the number only, so that the buffer can become unreachable. */
    private static Runnable returning(long number) {
        return () -> {
            try {
                Native.loadReturn(number);
            } catch (NativeException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Made when it is needed first, which is hardly ever. */
    private static final class LastNet {
        static final Cleaner CLEANER = Cleaner.create();
    }
}
