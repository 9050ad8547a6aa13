package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The metrics of a sink as Flink's web UI gets them and as Prometheus scrapes them: every name is
 * there, and the values are those of the answers to the loads.
 */
@Timeout(120)
class SinkMetricsTest {

    private static final int PROMETHEUS = freePort();
    private static final int ROWS = 2000;

    /** Sums over the answers of the loads. */
    private static final List<String> SUMS =
            List.of(
                    "totalFlushLoadBytes",
                    "flushTotalNumberRows",
                    "totalFlushLoadedRows",
                    "totalFlushTimeMs",
                    "totalFlushSucceededNumber",
                    "totalFlushFailedNumber",
                    "totalFlushFilteredRows",
                    "totalFlushUnselectedRows");

    private static final List<String> SAMPLES =
            List.of(
                    "beginTxnTimeMs",
                    "putDataTimeMs",
                    "readDataTimeMs",
                    "writeDataTimeMs",
                    "commitAndPublishTimeMs",
                    "loadTimeMs");

    private static final List<String> OURS =
            List.of(
                    "numRecordsSend",
                    "numBytesSend",
                    "numRecordsSendErrors",
                    "currentSendTime",
                    "bufferedBytes",
                    "openTransactions",
                    "commitRetries",
                    "commitErrorsIgnored",
                    "abandonedLoadsAborted",
                    "abandonedAbortFailures",
                    "rowsSkippedByDeleteRule",
                    "nativeMemoryBytes",
                    "maxNativeMemoryBytes",
                    "openConnections",
                    "loadsSucceeded",
                    "loadAttemptsFailed",
                    "submittedRows",
                    "encodedBytes",
                    "sentBytes");

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension
    static final FlinkCluster FLINK =
            new FlinkCluster(
                    "metrics.fetcher.update-interval",
                    "100",
                    "metrics.reporter.prom.factory.class",
                    "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
                    "metrics.reporter.prom.port",
                    String.valueOf(PROMETHEUS));

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void table() {
        DORIS.run(
                "DROP TABLE IF EXISTS test.t",
                "CREATE TABLE test.t (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k)"
                        + " BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")");
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** In batch mode loads end by themselves, here by rows, by age and at checkpoints. */
    @ParameterizedTest(name = "batch mode: {0}")
    @ValueSource(booleans = {false, true})
    void allNamesAreThereAndValuesEqualTheAnswers(boolean batch) throws Exception {
        long since = DORIS.mark();
        StreamTableEnvironment sql =
                FLINK.streaming(
                        "parallelism.default", "1",
                        "restart-strategy.type", "none",
                        "execution.checkpointing.interval", "200 ms");
        sql.executeSql(
                "CREATE TEMPORARY TABLE numbers (k BIGINT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '1000', 'fields.k.kind' = 'sequence',"
                        + " 'fields.k.start' = '1', 'fields.k.end' = '100000')");
        // A third of the rows is left out by the server, so that the sums differ.
        DorisTable.of(DORIS, "test.t")
                .columns("k BIGINT, v STRING")
                .with("sink.properties.where", "k % 3 <> 0")
                .with("sink.label-prefix", "metered-" + batch)
                .with("sink.enable.batch-mode", String.valueOf(batch))
                .with("sink.buffer-flush.max-rows", "300")
                .with("sink.buffer-flush.interval", "100ms")
                .create(sql, "t");
        JobClient job =
                sql.executeSql(
                                "INSERT INTO t SELECT k, 'v' || CAST(k AS STRING) FROM numbers"
                                        + " WHERE k <= "
                                        + ROWS)
                        .getJobClient()
                        .get();
        Until.holds(
                "all rows are visible",
                () ->
                        runs(job)
                                && DORIS.value("SELECT COUNT(*) FROM test.t")
                                        .equals(String.valueOf(ROWS - ROWS / 3)));
        Map<String, Long> answers = answers(since);
        assertThat(answers.get("flushTotalNumberRows")).isEqualTo(ROWS);
        assertThat(answers.get("totalFlushUnselectedRows")).isEqualTo(ROWS / 3);

        String vertex = vertex(job);
        List<String> names = restNames(job, vertex);
        for (String name : SUMS) {
            String id = id(names, "test_t_" + name);
            Until.holds(
                    name + " in the REST API is " + answers.get(name),
                    () -> restValue(job, vertex, id).equals(String.valueOf(answers.get(name))));
        }
        for (String name : SAMPLES) {
            assertThat(id(names, "test_t_" + name + "_max")).isNotEmpty();
        }
        for (String name : OURS) {
            assertThat(names).as(name).anyMatch(id -> id.endsWith("." + name));
        }

        String scraped = scrape();
        for (String name : SUMS) {
            assertThat(labelled(scraped, name)).as(name).isEqualTo(answers.get(name));
        }
        for (String name : SAMPLES) {
            assertThat(labelled(scraped, name + "_count"))
                    .as(name)
                    .isEqualTo(answers.get("totalFlushSucceededNumber"));
        }
        for (String name : OURS) {
            assertThat(scraped).containsPattern("(?m)^flink_taskmanager_job_.*_" + name + "\\{");
        }
        job.cancel().get();
        FlinkCluster.end(job);
    }

    /** True; fails with the job's failure when it has ended. */
    private static boolean runs(JobClient job) throws Exception {
        if (FlinkCluster.status(job).isGloballyTerminalState()) {
            job.getJobExecutionResult().get();
        }
        return true;
    }

    /** Sums over the answers that the server gave to loads with rows. */
    private static Map<String, Long> answers(long since) {
        List<Map<String, Object>> answers =
                DORIS.journal(since).stream()
                        .filter(entry -> entry.get("answer") != null)
                        .map(entry -> Json.object((String) entry.get("answer")))
                        .filter(answer -> answer.containsKey("NumberTotalRows"))
                        .collect(Collectors.toList());
        return Map.of(
                "totalFlushLoadBytes", sum(answers, "LoadBytes"),
                "flushTotalNumberRows", sum(answers, "NumberTotalRows"),
                "totalFlushLoadedRows", sum(answers, "NumberLoadedRows"),
                "totalFlushTimeMs", sum(answers, "LoadTimeMs"),
                "totalFlushSucceededNumber", (long) answers.size(),
                "totalFlushFailedNumber", 0L,
                "totalFlushFilteredRows", sum(answers, "NumberFilteredRows"),
                "totalFlushUnselectedRows", sum(answers, "NumberUnselectedRows"));
    }

    private static long sum(List<Map<String, Object>> answers, String field) {
        return answers.stream().mapToLong(answer -> (Long) answer.get(field)).sum();
    }

    @SuppressWarnings("unchecked")
    private static String vertex(JobClient job) throws Exception {
        Map<String, Object> shown = Json.object(FLINK.rest("/jobs/" + job.getJobID()));
        return ((List<Map<String, Object>>) shown.get("vertices"))
                .stream()
                        .filter(vertex -> ((String) vertex.get("name")).contains("Writer"))
                        .map(vertex -> (String) vertex.get("id"))
                        .findFirst()
                        .orElseThrow();
    }

    private static List<String> restNames(JobClient job, String vertex) throws Exception {
        String path = "/jobs/" + job.getJobID() + "/vertices/" + vertex + "/metrics";
        List<?>[] names = new List<?>[1];
        Until.holds(
                "the metrics are listed",
                () -> {
                    names[0] = Json.objects(FLINK.rest(path));
                    return names[0].stream().anyMatch(name -> name.toString().contains("test_t_"));
                });
        return names[0].stream()
                .map(name -> (String) ((Map<?, ?>) name).get("id"))
                .collect(Collectors.toList());
    }

    private static String id(List<String> names, String end) {
        return names.stream()
                .filter(name -> name.endsWith("." + end))
                .findFirst()
                .orElseThrow(() -> new AssertionError(end + " is not among " + names));
    }

    private static String restValue(JobClient job, String vertex, String id) throws Exception {
        String path =
                "/jobs/"
                        + job.getJobID()
                        + "/vertices/"
                        + vertex
                        + "/metrics?get="
                        + URLEncoder.encode(id, StandardCharsets.UTF_8);
        List<Map<String, Object>> values = Json.objects(FLINK.rest(path));
        return values.isEmpty() ? "" : (String) values.get(0).get("value");
    }

    private static String scrape() throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + PROMETHEUS + "/metrics");
        try (var in = uri.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Value of a metric that carries database and table as labels. */
    private static long labelled(String scraped, String name) {
        Pattern pattern =
                Pattern.compile(
                        "(?m)^flink_taskmanager_job_\\w*_database_table_"
                                + name
                                + "\\{(?=[^}]*database=\"test\",)(?=[^}]*table=\"t\",)[^}]*\\}"
                                + " ([0-9.E]+)$");
        Matcher matcher = pattern.matcher(scraped);
        assertThat(matcher.find()).as(name + " in\n" + scraped).isTrue();
        return (long) Double.parseDouble(matcher.group(1));
    }
}
