package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A request to the server that is under way: awaited, its result read, then closed. {@link #close}
 * may come from any thread; a request whose call is closed early may or may not have reached the
 * server.
 */
@Internal
public final class NativeCall extends NativeHandle {

    private static final long STEP_MILLIS = 100;

    NativeCall(long id) throws NativeException {
        super("call", id, Native::callClose);
    }

    /**
     * Waits for the answer, at most the given time. An interrupt ends the wait within a tenth of a
     * second and stays set.
     *
     * @return whether the result can be read
     * @throws NativeException why the call failed; the same at each further attempt
     */
    public boolean await(long timeoutMs) throws NativeException {
        return waitFor(timeoutMs, slice -> Native.callPoll(id(), slice) == 0 ? true : null) != null;
    }

    /**
     * Waits for the answer for as long as it takes, in short steps, so that a cancel is noticed at
     * once and the native log is forwarded.
     *
     * @param cancelled whether the answer is no longer wanted
     * @return the answer, as {@link #result} gives it
     * @throws InterruptedException if it is not, or the thread was interrupted
     * @throws NativeException why the call failed
     */
    public Map<String, String> answer(BooleanSupplier cancelled)
            throws NativeException, InterruptedException {
        while (!await(STEP_MILLIS)) {
            NativeLog.drain();
            if (Thread.interrupted() || cancelled.getAsBoolean()) {
                throw new InterruptedException("The answer is no longer wanted.");
            }
        }
        return result();
    }

    /**
     * The answer as {@link NativeSink#call} or {@link NativeChangelog#call} describes it, once
     * {@link #await} returned true.
     */
    public Map<String, String> result() throws NativeException {
        return TextMap.decode(Native.callResult(id()));
    }

    @Override
    void free(long id) throws NativeException {
        Native.callClose(id);
    }
}
