package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.jni.NativePlan;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.source.schema.LearnedColumns;

import java.util.function.BooleanSupplier;

/** Plans through the native core, in short waits so that a cancel is noticed at once. */
final class NativeScanPlanner implements ScanPlanner {

    private static final long SLICE_MILLIS = 100;

    private final ScanConfig scan;

    NativeScanPlanner(ScanConfig scan) {
        this.scan = scan;
    }

    @Override
    public ScanPlan plan(BooleanSupplier cancelled) throws Exception {
        NativeLibrary.load(scan.connection().libraryPath());
        ScanConfig declared = LearnedColumns.declare(scan, cancelled);
        return result(NativePlan.start(ConfigCodec.encode(declared)), cancelled);
    }

    @Override
    public ScanPlan lookUp(BooleanSupplier cancelled) throws Exception {
        NativeLibrary.load(scan.connection().libraryPath());
        ScanConfig declared = LearnedColumns.declare(scan, cancelled);
        return result(NativePlan.lookUp(ConfigCodec.encode(declared)), cancelled);
    }

    private static ScanPlan result(NativePlan started, BooleanSupplier cancelled) throws Exception {
        try (NativePlan plan = started) {
            while (!plan.poll(SLICE_MILLIS)) {
                NativeLog.drain();
                if (Thread.interrupted() || cancelled.getAsBoolean()) {
                    throw new InterruptedException("The scan is no longer wanted.");
                }
            }
            return plan.result();
        } finally {
            NativeLog.drain();
        }
    }
}
