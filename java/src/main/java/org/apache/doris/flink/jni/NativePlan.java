package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

/**
 * The planning of a read: checks the table against its declaration and lists its tablets. Started,
 * polled until it is ready, its result read, then closed. {@link #close} may come from any thread.
 */
@Internal
public final class NativePlan extends NativeHandle {

    private NativePlan(long id) throws NativeException {
        super("plan", id, Native::planClose);
    }

    /**
     * Begins to plan; loads the library if that was not done yet.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it
     */
    public static NativePlan start(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativePlan(Native.planStart(config, false));
    }

    /**
     * Starts to read which tablets the table has now, whatever the filters of the read: one call of
     * a front end. The result has tablets alone. Loads the library if that was not done yet.
     *
     * @param config the resolved map as {@code ConfigCodec} writes it
     */
    public static NativePlan lookUp(byte[] config) throws NativeException {
        NativeLibrary.ensureLoaded();
        return new NativePlan(Native.planStart(config, true));
    }

    /**
     * Waits for the plan, at most the given time. An interrupt ends the wait within a tenth of a
     * second and stays set.
     *
     * @return whether the result can be read
     * @throws NativeException why planning failed
     */
    public boolean poll(long timeoutMs) throws NativeException {
        return waitFor(timeoutMs, slice -> Native.planPoll(id(), slice) == 0 ? true : null) != null;
    }

    /** The plan, after a poll returned that it is ready. */
    public ScanPlan result() throws NativeException {
        return ScanPlan.decode(Native.planResult(id()));
    }

    @Override
    void free(long id) throws NativeException {
        Native.planClose(id);
    }
}
