package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Metrics of one writer. The task counts, reporters read. */
final class WriterMetrics {

    private final SinkWriterMetricGroup group;
    private final Counter recordsSend;
    private final Counter bytesSend;
    private final Counter sendErrors;
    private final Counter skippedByDeleteRule;
    private final Map<String, LoadMetrics> tables = new HashMap<>();

    private volatile long sendMillis;

    /**
     * @param client metrics of the client now; any thread
     * @param batch whether rows are held until their load is sent
     */
    WriterMetrics(SinkWriterMetricGroup group, Supplier<SinkMetrics> client, boolean batch) {
        this.group = group;
        recordsSend = group.getNumRecordsSendCounter();
        bytesSend = group.getNumBytesSendCounter();
        sendErrors = group.getNumRecordsSendErrorsCounter();
        skippedByDeleteRule = group.counter("rowsSkippedByDeleteRule");
        group.setCurrentSendTimeGauge(() -> sendMillis);
        group.gauge(
                "bufferedBytes", () -> batch ? client.get().heldBytes() : client.get().ringBytes());
        group.gauge("nativeMemoryBytes", () -> client.get().heldBytes());
        group.gauge("maxNativeMemoryBytes", () -> client.get().maxHeldBytes());
        group.gauge("openTransactions", () -> client.get().openLoads());
        group.gauge("openConnections", () -> client.get().openConnections());
        group.gauge("loadsSucceeded", () -> client.get().loadsSucceeded());
        group.gauge("loadAttemptsFailed", () -> client.get().attemptsFailed());
        group.gauge("submittedRows", () -> client.get().rows());
        group.gauge("encodedBytes", () -> client.get().encodedBytes());
        group.gauge("sentBytes", () -> client.get().sentBytes());
    }

    /** A load succeeded. */
    void succeeded(TableLoad load, LoadOutcome outcome) throws IOException {
        recordsSend.inc(outcome.rows());
        bytesSend.inc(outcome.sentBytes());
        OptionalLong millis = outcome.number("load.time.ms");
        if (millis.isPresent()) {
            sendMillis = millis.getAsLong();
        }
        of(load.database(), load.table()).succeeded(outcome);
    }

    /** A load failed for good. */
    void failed(TableLoad load) {
        sendErrors.inc(load.rows());
        of(load.database(), load.table()).failed();
    }

    /** A row whose kind deletes did not: it was written as an ordinary one, or left out. */
    void skippedByDeleteRule() {
        skippedByDeleteRule.inc();
    }

    private LoadMetrics of(String database, String table) {
        return tables.computeIfAbsent(
                database + "." + table, key -> new LoadMetrics(group, database, table));
    }
}
