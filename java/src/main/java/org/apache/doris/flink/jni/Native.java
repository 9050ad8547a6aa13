package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;

import java.nio.ByteBuffer;

/**
 * Every native method; the twin of {@code rust/jni}. Nothing else calls into native code.
 *
 * <p>A handle is a number that is checked on each call: a closed, foreign or damaged one gives an
 * exception. No call waits longer than the timeout it is given. Text crosses as UTF-8 bytes.
 * Callers are the handles ({@link NativeScan}, {@link NativePlan}, {@link NativeSink}, {@link
 * NativeLoad}, {@link NativeChangelog}, {@link NativeCall}, {@link NativeColumns}), {@link
 * NativeLibrary}, {@link NativeCounters} and {@link NativeLog}; the library is loaded by then.
 */
final class Native {
    private Native() {}

    /** Number of this boundary; see {@link NativeLibrary#ABI_VERSION}. */
    static native int abiVersion();

    /** Version of the library, UTF-8. */
    static native byte[] version();

    /** Figures of this copy of the library, in the order of {@link NativeCounters}. */
    static native long[] counters();

    /** The oldest log records, or null; read by {@link NativeLog}. */
    static native byte[] drainLog(int max);

    /**
     * Starts to plan a read, or only to read which tablets its table has now; the handle must be
     * closed.
     */
    static native long planStart(byte[] config, boolean presentOnly) throws NativeException;

    /** 0 ready, 1 timeout. */
    static native int planPoll(long plan, int timeoutMs) throws NativeException;

    /** The plan as bytes; read by {@link ScanPlan}. */
    static native byte[] planResult(long plan) throws NativeException;

    /** Cancels and frees; no error when it was closed before. */
    static native void planClose(long plan) throws NativeException;

    /** Begins to list a table's columns; the handle is one of {@link #callPoll} and its kin. */
    static native long describeStart(byte[] config) throws NativeException;

    /** Opens the scan of one source reader; no I/O. The handle must be closed. */
    static native long scanOpen(byte[] config) throws NativeException;

    /**
     * Begins a snapshot split; an empty array reads the table without a TABLET clause. A fence of
     * {@link Long#MIN_VALUE} is none. Whether the scan finds out that the tablets still exist, or
     * the caller does.
     */
    static native void scanStart(long scan, long[] tablets, long fenceMillis, boolean looksUp)
            throws NativeException;

    /** Begins a window of the changelog, described by a {@link TextMap}. */
    static native void scanStartWindow(long scan, byte[] window) throws NativeException;

    /** 0 a batch can be taken, 1 timeout, 2 woken, 3 end of the split. */
    static native int scanPoll(long scan, int timeoutMs) throws NativeException;

    /** Moves the batch that a poll announced to the caller, who must release it. */
    static native long scanTake(long scan) throws NativeException;

    /** Makes one poll return early: the one that waits or the next one. */
    static native void scanWake(long scan) throws NativeException;

    /** Figures of one scan, in the order of {@link ScanMetrics}. */
    static native long[] scanMetrics(long scan) throws NativeException;

    /** Cancels and frees; from any thread; no error when it was closed before. */
    static native void scanClose(long scan) throws NativeException;

    /** Rows of a batch. */
    static native long batchRows(long batch) throws NativeException;

    /** A direct buffer over the IPC message header; dangling once the batch is released. */
    static native ByteBuffer batchHeader(long batch) throws NativeException;

    /** A direct buffer over the IPC message body; dangling once the batch is released. */
    static native ByteBuffer batchBody(long batch) throws NativeException;

    /**
     * Where each row of a batch ends in Flink's binary format, in bytes from the start of the
     * first. An error where the scan's rows have a field that has no place in it.
     */
    static native int[] batchRowEnds(long batch) throws NativeException;

    /** Rows in Flink's binary format, one after the other; after {@link #batchRowEnds}. */
    static native byte[] batchEncode(long batch, int first, int count) throws NativeException;

    /** Frees a batch; false when that had been done before. */
    static native boolean batchRelease(long batch);

    /** Opens the sink of one writer or committer; no I/O. The handle must be closed. */
    static native long sinkOpen(byte[] config) throws NativeException;

    /** Figures of one sink, in the order of {@link SinkMetrics}. */
    static native long[] sinkMetrics(long sink) throws NativeException;

    /** Ends its loads and calls, frees; from any thread; no error when it was closed before. */
    static native void sinkClose(long sink) throws NativeException;

    /** Begins a call, described by a {@link TextMap}; the handle must be closed. */
    static native long callStart(long sink, byte[] request) throws NativeException;

    /** 0 ready, 1 timeout. */
    static native int callPoll(long call, int timeoutMs) throws NativeException;

    /** The answer as a {@link TextMap}. */
    static native byte[] callResult(long call) throws NativeException;

    /** Cancels and frees; from any thread; no error when it was closed before. */
    static native void callClose(long call) throws NativeException;

    /** Opens a load, described by a {@link TextMap}; no I/O. The handle must be closed. */
    static native long loadOpen(long sink, byte[] spec) throws NativeException;

    /** Lends a direct buffer until it is submitted or returned; null: timeout. */
    static native ByteBuffer loadAcquire(long load, long bytes, int timeoutMs)
            throws NativeException;

    /** Takes the lent buffer back, filled; its memory must not be touched from now on. */
    static native void loadSubmit(long load, long rows, long[] layout) throws NativeException;

    /** Takes the lent buffer back, unused, also after a close; no error when none is lent. */
    static native void loadReturn(long load) throws NativeException;

    /** No more rows. */
    static native void loadFinish(long load) throws NativeException;

    /** 0 ready, 1 timeout. */
    static native int loadPoll(long load, int timeoutMs) throws NativeException;

    /** The outcome as a {@link TextMap}. */
    static native byte[] loadResult(long load) throws NativeException;

    /** The outcome of the next load of a table that succeeded, in batch mode; null: none. */
    static native byte[] loadEnded(long load) throws NativeException;

    /** Drops what is unfinished, frees; from any thread; no error when it was closed before. */
    static native void loadClose(long load) throws NativeException;

    /**
     * Opens the client for one enumerator's requests about changes; no I/O. The handle must be
     * closed.
     */
    static native long changelogOpen(byte[] config) throws NativeException;

    /** Begins a call, described by a {@link TextMap}; the handle must be closed. */
    static native long changelogCall(long changelog, byte[] request) throws NativeException;

    /** Ends its calls, frees; from any thread; no error when it was closed before. */
    static native void changelogClose(long changelog) throws NativeException;
}
