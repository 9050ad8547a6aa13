package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.util.Arrays;

/** Figures of one scan since it was opened; in the order of {@code Native.scanMetrics}. */
@Internal
public final class ScanMetrics {
    private static final int COUNT = 12;
    private static final int HELD_BYTES = 5;
    private static final int MAX_HELD_BYTES = 6;

    /** Before a scan was opened. */
    public static final ScanMetrics NONE = new ScanMetrics();

    private final long[] values;

    /**
     * @param values as many as there are; those behind them are 0
     */
    public ScanMetrics(long... values) {
        this.values = Arrays.copyOf(values, COUNT);
    }

    static ScanMetrics read(long[] values) throws NativeException {
        if (values == null || values.length < COUNT) {
            throw new NativeException(
                    ErrorCode.INTERNAL, "the native library returned no scan metrics");
        }
        return new ScanMetrics(values);
    }

    /** These and what another scan had counted before it was closed. */
    public ScanMetrics plus(ScanMetrics before) {
        long[] sums = new long[COUNT];
        Arrays.setAll(sums, i -> values[i] + before.values[i]);
        sums[HELD_BYTES] = heldBytes();
        sums[MAX_HELD_BYTES] = Math.max(maxHeldBytes(), before.maxHeldBytes());
        return new ScanMetrics(sums);
    }

    /** Rows handed out. */
    public long rows() {
        return values[0];
    }

    /** Bytes handed out, headers and bodies as the server sent them. */
    public long bytes() {
        return values[1];
    }

    /** Batches that went through as the server sent them. */
    public long identityBatches() {
        return values[2];
    }

    /** Batches that were converted to the canonical types. */
    public long convertedBatches() {
        return values[3];
    }

    /** How often a split was begun again inside the scan. */
    public long splitRetries() {
        return values[4];
    }

    /** Native bytes held now, by the queue and by batches not released yet. */
    public long heldBytes() {
        return values[HELD_BYTES];
    }

    /** The most native bytes ever held. */
    public long maxHeldBytes() {
        return values[MAX_HELD_BYTES];
    }

    /** How often a window was requested again, since a transaction was not visible yet. */
    public long visibleWaitRetries() {
        return values[7];
    }

    /** Milliseconds in which windows waited for that. */
    public long visibleWaitMillis() {
        return values[8];
    }

    /** Rows dropped, since they had been handed out before a restore. */
    public long replayedRows() {
        return values[9];
    }

    /** How often such rows were others than before, so that rows of a TSO came again. */
    public long positionMismatches() {
        return values[10];
    }

    /** Rows that windows handed out. */
    public long windowRows() {
        return values[11];
    }
}
