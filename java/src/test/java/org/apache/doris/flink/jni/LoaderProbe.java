package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.arrow.writer.BatchWriter;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A job's use of the connector, run inside its class loader; results are types of the JDK. */
public final class LoaderProbe {
    private static final RowType TYPE = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);

    private LoaderProbe() {}

    /** Plans and reads the whole table, tablet after tablet; rows as {@code id=name}. */
    public static List<String> read(byte[] config) throws Exception {
        ScanPlan plan = plan(config);
        List<String> rows = new ArrayList<>();
        try (NativeScan scan = NativeScan.open(config)) {
            for (ScanPlan.Tablet tablet : plan.tablets()) {
                scan.start(new long[] {tablet.id()});
                NativeScan.Poll found;
                while ((found = scan.poll(1_000)) != NativeScan.Poll.END) {
                    if (found == NativeScan.Poll.READY) {
                        IpcBatch batch = scan.take();
                        try {
                            collect(batch, rows);
                        } finally {
                            batch.release();
                        }
                    }
                }
            }
        }
        return rows;
    }

    /** Loads a row with two-phase commit and commits it; returns the outcome of the load. */
    public static Map<String, String> write(byte[] config, Map<String, String> spec, long id)
            throws Exception {
        try (NativeSink sink = NativeSink.open(config);
                NativeLoad load = sink.openLoad(spec)) {
            BatchWriter batch = new BatchWriter(TYPE, false);
            batch.write(GenericRowData.of(id, StringData.fromString("written")), (byte) 0);
            ByteBuffer body = load.acquire(batch.bytes(), 10_000);
            load.submit(1, batch.seal(body));
            load.finish();
            while (!load.await(1_000)) {
                // Not there yet.
            }
            TestSink.ask(sink, TestSink.commit(spec.get("table"), load.result()));
            return load.result();
        }
    }

    /**
     * What a call that fails ends with on a thread whose context class loader is of no use any
     * more; the library is loaded before.
     */
    public static String failUnder(ClassLoader context) throws Exception {
        NativeLibrary.ensureLoaded();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(context);
        try (NativeScan scan = NativeScan.open(new byte[] {1})) {
            return "opened " + scan;
        } catch (NativeException e) {
            return e.code() + ": " + e.getMessage();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static ScanPlan plan(byte[] config) throws NativeException {
        try (NativePlan plan = NativePlan.start(config)) {
            while (!plan.poll(1_000)) {
                // Not there yet.
            }
            return plan.result();
        }
    }

    private static void collect(IpcBatch batch, List<String> rows) throws NativeException {
        ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(TYPE, batch));
        for (int i = 0; i < batch.rows(); i++) {
            row.setRowId(i);
            rows.add(row.getLong(0) + "=" + (row.isNullAt(1) ? "NULL" : row.getString(1)));
        }
    }

    /** Handles, batches, native bytes, runtime threads, Flight sessions of this copy. */
    public static long[] counters() {
        return new long[] {
            NativeCounters.openHandles(),
            NativeCounters.liveBatches(),
            NativeCounters.nativeBytes(),
            NativeCounters.runtimeThreads(),
            NativeCounters.flightSessions()
        };
    }
}
