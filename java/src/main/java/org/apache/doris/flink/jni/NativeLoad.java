package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.NativeCleaner;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * A load of the native library.
 *
 * <p>The memory of a buffer is Rust's: touching it, or a view of it, when it is no longer lent is
 * undefined. A buffer that another thread is filling at the moment of the close outlives the load:
 * it is given back by that thread's next call, which fails, or when the garbage collector finds it.
 */
@Internal
public final class NativeLoad extends NativeHandle implements Load {

    private final long number;

    /** The thread that fills the lent buffer; null when none is lent. */
    private volatile Thread borrower;

    private volatile ByteBuffer lent;

    NativeLoad(long id) throws NativeException {
        super("load", id, Native::loadClose);
        number = id;
    }

    @Override
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

    @Override
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

    @Override
    public void finish() throws NativeException {
        Native.loadFinish(open());
    }

    @Override
    public boolean await(long timeoutMs) throws NativeException {
        return waitFor(timeoutMs, slice -> Native.loadPoll(id(), slice) == 0 ? true : null) != null;
    }

    @Override
    public Map<String, String> result() throws NativeException {
        return TextMap.decode(Native.loadResult(id()));
    }

    @Override
    public Map<String, String> ended() throws NativeException {
        byte[] outcome = Native.loadEnded(id());
        return outcome == null ? null : TextMap.decode(outcome);
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
            NativeCleaner.register(buffer, returning(id));
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
}
