package org.apache.doris.flink.jni;

import org.apache.flink.annotation.Internal;

/**
 * What this copy of the native library holds: for gauges, and for tests that look for leaks. Every
 * figure is 0 while the library is not loaded; asking does not load it. Cheap, from any thread.
 */
@Internal
public final class NativeCounters {
    private static final int COUNT = 8;

    private NativeCounters() {}

    /** Scans, plans, sinks, loads and calls that are open. */
    public static long openHandles() {
        return read()[0];
    }

    /** Batches that were taken and not released. */
    public static long liveBatches() {
        return read()[1];
    }

    /**
     * Native bytes held by batches and queues of scans, by buffers of loads, and kept for sending
     * again.
     */
    public static long nativeBytes() {
        return read()[2];
    }

    /** Threads of the native runtime that are alive; 0 when nothing is open. */
    public static long runtimeThreads() {
        return read()[3];
    }

    /** Batches that went through as the server sent them. */
    public static long identityBatches() {
        return read()[4];
    }

    /** Batches that were converted to the canonical types. */
    public static long convertedBatches() {
        return read()[5];
    }

    /** Arrow Flight sessions that are open on servers. */
    public static long flightSessions() {
        return read()[6];
    }

    /** Log records that were lost because they were not drained in time. */
    public static long droppedLogRecords() {
        return read()[7];
    }

    private static long[] read() {
        if (!NativeLibrary.isLoaded()) {
            return new long[COUNT];
        }
        long[] values = Native.counters();
        if (values == null || values.length < COUNT) {
            throw new IllegalStateException("the native library returned no counters");
        }
        return values;
    }
}
