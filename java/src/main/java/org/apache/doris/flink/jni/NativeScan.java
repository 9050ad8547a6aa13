package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Map;
import java.util.OptionalLong;

/** A scan of the native library. */
@Internal
public final class NativeScan extends NativeHandle implements Scan {

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

    @Override
    public void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp)
            throws NativeException {
        Native.scanStart(id(), tablets, fenceMillis.orElse(Long.MIN_VALUE), looksUp);
    }

    @Override
    public void startWindow(Map<String, String> window) throws NativeException {
        Native.scanStartWindow(id(), TextMap.encode(window));
    }

    @Override
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

    @Override
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

    @Override
    public void wake() throws NativeException {
        Native.scanWake(id());
    }

    @Override
    public ScanMetrics metrics() throws NativeException {
        return ScanMetrics.read(Native.scanMetrics(id()));
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
