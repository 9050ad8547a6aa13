package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.NativeCleaner;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of a native object and whether it was closed. Closing is idempotent and allowed from
 * any thread, also while another thread is inside a call: that call ends with {@link
 * ErrorCode#CLOSED}. A handle that was never closed is freed by {@link NativeCleaner}, with a
 * warning.
 */
abstract class NativeHandle implements AutoCloseable {
    /** Longest wait inside one native call, so that an interrupt is noticed soon. */
    static final int SLICE_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(NativeHandle.class);

    private final String name;
    private final AtomicLong id;
    private final Cleaner.Cleanable net;

    /**
     * @param freeing frees the native object of a handle that was not closed and is unreachable
     */
    NativeHandle(String name, long id, Freeing freeing) throws NativeException {
        if (id == 0) {
            throw new NativeException(ErrorCode.INTERNAL, "the native library returned no " + name);
        }
        this.name = name;
        this.id = new AtomicLong(id);
        this.net = NativeCleaner.register(this, new Forgotten(name, this.id, freeing));
    }

    /** The number for a call. */
    final long id() throws NativeException {
        long current = id.get();
        if (current == 0) {
            throw new NativeException(ErrorCode.CLOSED, "this " + name + " is closed");
        }
        return current;
    }

    /** Frees the native object; called once. */
    abstract void free(long id) throws NativeException;

    /** Whether {@link #close} was called. */
    public final boolean isClosed() {
        return id.get() == 0;
    }

    /**
     * Cancels what is under way and frees the native object; waits about a second at most. Fails
     * only by a fault of the native library.
     */
    @Override
    public final void close() {
        long current = id.getAndSet(0);
        if (current != 0) {
            try {
                free(current);
            } catch (NativeException e) {
                throw new UncheckedIOException(e);
            } finally {
                // Finds nothing to free and removes the handle from the cleaner.
                net.clean();
                NativeLog.drain();
            }
        }
    }

    /** Frees a native object by its number. */
    interface Freeing {
        void free(long id) throws NativeException;
    }

    /** Frees a handle that was never closed; does not refer to the handle. */
    private static final class Forgotten implements Runnable {
        private final String name;
        private final AtomicLong id;
        private final Freeing freeing;

        Forgotten(String name, AtomicLong id, Freeing freeing) {
            this.name = name;
            this.id = id;
            this.freeing = freeing;
        }

        @Override
        public void run() {
            long left = id.getAndSet(0);
            if (left == 0) {
                return;
            }
            LOG.warn("A native {} was never closed; it is freed now", name);
            try {
                freeing.free(left);
            } catch (NativeException e) {
                LOG.warn("A native {} could not be freed", name, e);
            }
        }
    }

    /** One native call that waits no longer than a slice; null when it found nothing. */
    interface Slice<T> {
        T run(int timeoutMs) throws NativeException;
    }

    /**
     * Repeats a call until it finds something, at most the given time, which may be 0.
     *
     * @return null when the time has passed or on an interrupt, which stays set
     */
    static <T> T waitFor(long timeoutMs, Slice<T> call) throws NativeException {
        long deadline = deadline(timeoutMs);
        try {
            while (true) {
                T found = call.run(slice(deadline));
                if (found != null
                        || Thread.currentThread().isInterrupted()
                        || slice(deadline) == 0) {
                    return found;
                }
                NativeLog.drain();
            }
        } finally {
            NativeLog.drain();
        }
    }

    /** Milliseconds of the next slice of a wait, 0 when its end has come. */
    static int slice(long deadlineNanos) {
        long left = (deadlineNanos - System.nanoTime() + 999_999) / 1_000_000;
        return (int) Math.max(0, Math.min(SLICE_MS, left));
    }

    static long deadline(long timeoutMs) {
        // A day is as good as for ever and cannot overflow.
        return System.nanoTime() + Math.min(Math.max(timeoutMs, 0), 86_400_000L) * 1_000_000;
    }
}
