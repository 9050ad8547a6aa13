package org.apache.doris.flink.it;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.util.TestStreamEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One Flink cluster with one task manager in this JVM for all tests of a class, the table
 * environments on it, and the metrics that jobs register.
 */
final class FlinkCluster
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final int SLOTS = 8;

    private final InMemoryReporter reporter = InMemoryReporter.createWithRetainedMetrics();
    private final String[] settings;
    private MiniCluster cluster;

    /** A cluster with settings of its own, keys and values. */
    FlinkCluster(String... settings) {
        this.settings = settings;
    }

    /** What Flink's REST API says about something. */
    String rest(String path) throws Exception {
        URI uri = cluster.getRestAddress().get().resolve(path);
        try (InputStream in = uri.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

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
        return StreamTableEnvironment.create(environment(configuration));
    }

    /** An environment for streams; arguments are keys and values of its configuration. */
    StreamExecutionEnvironment environment(String... configuration) {
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration(configuration));
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

    /** Has a running job take a checkpoint, and waits until it is complete. */
    void checkpoint(JobClient job) throws Exception {
        cluster.triggerCheckpoint(job.getJobID()).get(30, TimeUnit.SECONDS);
    }

    /**
     * Waits for the end of a bounded job that a statement started, as {@link #finish(JobClient)}.
     */
    void finish(TableResult result) throws Exception {
        finish(result.getJobClient().orElseThrow());
    }

    /**
     * Waits for the end of a bounded job; fails as the job does. Flink takes a job's last
     * checkpoint once: where an earlier one lets a task finish in that moment, it is declined, and
     * the job would go on until the next interval. One is taken here then.
     */
    void finish(JobClient job) throws Exception {
        CompletableFuture<String> taken = CompletableFuture.completedFuture("none yet");
        long failedBefore = 0;
        while (!status(job).isGloballyTerminalState()) {
            long failed = sum(job.getJobID(), "numberOfFailedCheckpoints");
            long inProgress = sum(job.getJobID(), "numberOfInProgressCheckpoints");
            // Flink leaves the request open where the job ends before the checkpoint.
            if (failed > 0 && inProgress == 0 && (failed > failedBefore || taken.isDone())) {
                failedBefore = failed;
                taken = cluster.triggerCheckpoint(job.getJobID());
            }
            Thread.sleep(2);
        }
        job.getJobExecutionResult().get(30, TimeUnit.SECONDS);
    }

    /** How often a job was started again. */
    long restarts(JobID job) {
        return values(job, "numRestarts").stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Values of all metrics of a job that have a name, of ended attempts too. */
    List<Long> values(JobID job, String name) {
        return groups(job)
                .map(metrics -> metrics.get(name))
                .map(FlinkCluster::number)
                .filter(Objects::nonNull)
                .collect(Collectors.toList());
    }

    /** Sum of all metrics of a job that have a name. */
    long sum(JobID job, String name) {
        return values(job, name).stream().mapToLong(Long::longValue).sum();
    }

    /** Sum of a metric over the readers of a job's only Doris source. */
    long besideSplits(JobID job, String name) {
        return groups(job)
                .filter(metrics -> metrics.containsKey("snapshotSplitsDone"))
                .map(metrics -> metrics.get(name))
                .map(FlinkCluster::number)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Rows that the readers of a job's only Doris source handed on. */
    long readBySource(JobID job) {
        return besideSplits(job, "numRecordsIn");
    }

    /** Name → metric of each group of a job. */
    private Stream<Map<String, Metric>> groups(JobID job) {
        return reporter.getMetricsByGroup().entrySet().stream()
                .filter(
                        group ->
                                job.toString()
                                        .equals(group.getKey().getAllVariables().get("<job_id>")))
                .map(Map.Entry::getValue);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Configuration configuration = reporter.addToConfiguration(configuration(settings));
        configuration.setString("rest.bind-port", "0");
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .setConfiguration(configuration)
                                .build());
        cluster.start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        TestStreamEnvironment.setAsContext(cluster, SLOTS);
    }

    /** From now on jobs of this test also get classes from a folder, as from a jar of their own. */
    void useClasses(URL folder) {
        TestStreamEnvironment.setAsContext(cluster, SLOTS, List.of(), List.of(folder));
    }

    /** Ends what a failed test left running. */
    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        TestStreamEnvironment.unsetAsContext();
        cancelAll();
    }

    /** Ends all jobs. */
    void cancelAll() throws Exception {
        for (JobStatusMessage job : cluster.listJobs().get(30, TimeUnit.SECONDS)) {
            if (!job.getJobState().isGloballyTerminalState()) {
                cluster.cancelJob(job.getJobId()).get(30, TimeUnit.SECONDS);
            }
        }
        Until.holds(
                "all jobs have ended",
                () ->
                        cluster.listJobs().get(30, TimeUnit.SECONDS).stream()
                                .allMatch(job -> job.getJobState().isGloballyTerminalState()));
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        cluster.close();
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
