package org.apache.doris.flink.it;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One Flink cluster with one task manager in this JVM for all tests of a class, the table
 * environments on it, and the metrics that jobs register.
 */
final class FlinkCluster
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final int SLOTS = 8;

    private final InMemoryReporter reporter = InMemoryReporter.createWithRetainedMetrics();
    private final MiniClusterExtension cluster =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(SLOTS)
                            .setConfiguration(reporter.addToConfiguration(new Configuration()))
                            .build());

    /**
     * A table environment for bounded jobs; further arguments are keys and values of its
     * configuration.
     */
    TableEnvironment batch(String... configuration) {
        return TableEnvironment.create(
                EnvironmentSettings.newInstance()
                        .inBatchMode()
                        .withConfiguration(configuration(configuration))
                        .build());
    }

    /** A table environment for streaming jobs that can be turned into streams of rows. */
    StreamTableEnvironment streaming(String... configuration) {
        return StreamTableEnvironment.create(
                StreamExecutionEnvironment.getExecutionEnvironment(configuration(configuration)));
    }

    /** All rows of a query. */
    static List<Row> rows(TableEnvironment environment, String query) throws Exception {
        return rows(environment.executeSql(query));
    }

    /** All rows of a query as text, sorted. */
    static List<String> texts(TableEnvironment environment, String query) throws Exception {
        return rows(environment, query).stream()
                .map(Row::toString)
                .sorted()
                .collect(Collectors.toList());
    }

    /** All rows of a running query. */
    static List<Row> rows(TableResult result) throws Exception {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterator<Row> iterator = result.collect()) {
            iterator.forEachRemaining(rows::add);
        }
        return rows;
    }

    /** Waits for a job's end, cancelled or not. */
    static JobStatus end(JobClient job) throws Exception {
        Until.holds("the job has ended", () -> status(job).isGloballyTerminalState());
        return status(job);
    }

    /** Where a job is. */
    static JobStatus status(JobClient job) throws Exception {
        return job.getJobStatus().get(30, TimeUnit.SECONDS);
    }

    /** How often a job was started again. */
    long restarts(JobID job) {
        return values(job, "numRestarts").values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /**
     * Metrics of a job that end with a name: identifier → value of counters and numeric gauges.
     * They stay after the job.
     */
    Map<String, Long> values(JobID job, String name) {
        return reporter.getMetricsByIdentifiers(job).entrySet().stream()
                .filter(metric -> metric.getKey().endsWith("." + name))
                .filter(metric -> number(metric.getValue()) != null)
                .collect(Collectors.toMap(Map.Entry::getKey, metric -> number(metric.getValue())));
    }

    /** Rows that the readers of a job's only Doris source handed on. */
    long readBySource(JobID job) {
        return besideSplits(job, "numRecordsIn");
    }

    /** Sum of a metric over the readers of a job's only Doris source. */
    long besideSplits(JobID job, String name) {
        return values(job, "snapshotSplitsDone").keySet().stream()
                .map(key -> key.replaceFirst("snapshotSplitsDone$", name))
                .mapToLong(key -> values(job, name).getOrDefault(key, 0L))
                .sum();
    }

    /** Sum of all metrics of a job that end with a name. */
    long sum(JobID job, String name) {
        return values(job, name).values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        cluster.beforeAll(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        cluster.beforeEach(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        cluster.afterEach(context);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        cluster.afterAll(context);
    }

    private static Configuration configuration(String... keysAndValues) {
        Configuration configuration = new Configuration();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            configuration.setString(keysAndValues[i], keysAndValues[i + 1]);
        }
        return configuration;
    }

    private static Long number(Metric metric) {
        if (metric instanceof Counter) {
            return ((Counter) metric).getCount();
        }
        Object value = metric instanceof Gauge ? ((Gauge<?>) metric).getValue() : null;
        return value instanceof Number ? ((Number) value).longValue() : null;
    }
}
