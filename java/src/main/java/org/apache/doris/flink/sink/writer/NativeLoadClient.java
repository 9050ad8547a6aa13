package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.NativeSinks;
import org.apache.doris.flink.sink.transaction.NativeTransactions;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.flink.table.types.logical.RowType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
        return sink.openLoad(
                Map.of(
                        "database", database,
                        "table", table,
                        "labels.base", labelBase,
                        "labels.next", String.valueOf(next),
                        "input", declared.isEmpty() ? "raw" : "rows",
                        "declared", declared,
                        "delete-sign", String.valueOf(deleteSign)));
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
                                        "UNIQUE_KEYS"
                                                .equals(NativeTransactions.value(answer, "keys")),
                                        Boolean.parseBoolean(
                                                NativeTransactions.value(answer, "delete.sign")),
                                        positions(NativeTransactions.value(answer, "key.fields")))
                                .withColumns(columns(answer)));
    }

    /** The answer names them where no columns are declared. */
    private static List<TableCheck.Column> columns(Map<String, String> answer) {
        int count = Integer.parseInt(answer.getOrDefault("columns", "0"));
        List<TableCheck.Column> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String column = "column." + i;
            columns.add(
                    new TableCheck.Column(
                            NativeTransactions.value(answer, column),
                            Boolean.parseBoolean(
                                    NativeTransactions.value(answer, column + ".key"))));
        }
        return columns;
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
    public SinkMetrics metrics() {
        try {
            return sink.metrics();
        } catch (NativeException e) {
            // Closed: a reporter may come once more.
            return SinkMetrics.NONE;
        }
    }

    @Override
    public void close() {
        sink.close();
    }
}
