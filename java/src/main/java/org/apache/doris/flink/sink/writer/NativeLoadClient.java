package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.NativeLoad;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.NativeSinks;
import org.apache.doris.flink.sink.transaction.NativeTransactions;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.flink.table.types.logical.RowType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** A client through the native core. */
final class NativeLoadClient implements LoadClient {

    private final NativeSink sink;
    private final NativeTransactions transactions;
    private final String declared;
    private final boolean enableDelete;

    private NativeLoadClient(NativeSink sink, SinkConfig config) {
        this.sink = sink;
        this.transactions = new NativeTransactions(sink);
        this.declared = config.declared().map(RowType::asSerializableString).orElse("");
        this.enableDelete = config.write().enableDelete();
    }

    static LoadClient open(SinkConfig config, CheckpointPlan checkpoints) throws IOException {
        return new NativeLoadClient(NativeSinks.open(config, checkpoints), config);
    }

    @Override
    public Load open(String database, String table, String labelBase, long next, boolean deleteSign)
            throws IOException {
        return new NativeTableLoad(
                sink.openLoad(
                        Map.of(
                                "database", database,
                                "table", table,
                                "labels.base", labelBase,
                                "labels.next", String.valueOf(next),
                                "input", declared.isEmpty() ? "raw" : "rows",
                                "declared", declared,
                                "delete-sign", String.valueOf(deleteSign))));
    }

    @Override
    public PendingCall<TableCheck> check(String database, String table) throws IOException {
        return transactions.call(
                Map.of(
                        "call", "table",
                        "database", database,
                        "table", table,
                        "declared", declared,
                        "delete-sign", String.valueOf(enableDelete)),
                answer ->
                        new TableCheck(
                                "UNIQUE_KEYS".equals(NativeTransactions.value(answer, "keys")),
                                Boolean.parseBoolean(
                                        NativeTransactions.value(answer, "delete.sign")),
                                positions(NativeTransactions.value(answer, "key.fields"))));
    }

    private static int[] positions(String listed) {
        return listed.isEmpty()
                ? new int[0]
                : Arrays.stream(listed.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    @Override
    public Transactions transactions() {
        return transactions;
    }

    @Override
    public Figures figures() {
        try {
            SinkMetrics metrics = sink.metrics();
            return new Figures(metrics.ringBytes(), metrics.replayBytes(), metrics.openLoads());
        } catch (NativeException e) {
            // Closed: a reporter may come once more.
            return Figures.NONE;
        }
    }

    @Override
    public void close() {
        sink.close();
    }

    private static final class NativeTableLoad implements Load {

        private final NativeLoad load;

        private NativeTableLoad(NativeLoad load) {
            this.load = load;
        }

        @Override
        public ByteBuffer acquire(long bytes, long millis) throws IOException {
            try {
                return load.acquire(bytes, millis);
            } catch (NativeException e) {
                throw translated(e);
            }
        }

        @Override
        public void submit(long rows, long[] layout) throws IOException {
            try {
                load.submit(rows, layout);
            } catch (NativeException e) {
                throw translated(e);
            }
        }

        @Override
        public void finish() throws IOException {
            try {
                load.finish();
            } catch (NativeException e) {
                throw translated(e);
            }
        }

        @Override
        public boolean await(long millis) throws IOException {
            try {
                return load.await(millis);
            } catch (NativeException e) {
                throw translated(e);
            }
        }

        @Override
        public LoadOutcome outcome() throws IOException {
            try {
                return new LoadOutcome(load.result());
            } catch (NativeException e) {
                throw translated(e);
            }
        }

        @Override
        public void close() {
            load.close();
        }

        private static IOException translated(NativeException e) {
            // The same text; a stack trace that shows both tells it twice.
            return e.code() == ErrorCode.LABEL ? new LabelTaken(e.getMessage(), e.getCause()) : e;
        }
    }
}
