package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A streaming job that goes on from a checkpoint: finished splits are not read again, those under
 * way are read again as a whole, no row is missing.
 */
@Timeout(60)
class SnapshotCheckpointTest {

    private static final int ROWS = 8_000;
    private static final int BATCH_ROWS = 100;
    private static final Pattern TABLET = Pattern.compile("TABLET\\(([0-9]+)\\)");

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "3");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** Key → tablet. */
    private static final Map<Long, Long> TABLET_OF = new TreeMap<>();

    private static List<Long> tablets;

    @TempDir private Path savepoints;

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.t (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k)"
                        + " BUCKETS 8 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.t SELECT number, concat('v', number) FROM numbers(\"number\" = \""
                        + ROWS
                        + "\")");
        tablets = DORIS.tablets("test", "t");
        for (Long tablet : tablets) {
            DORIS.sql("SELECT k FROM test.t TABLET(" + tablet + ")")
                    .forEach(row -> TABLET_OF.put(Long.valueOf(row.get(0)), tablet));
        }
        assertThat(TABLET_OF).hasSize(ROWS);
    }

    @Test
    void afterAFailureOnlySplitsThatWereUnderWayAreReadAgain() throws Exception {
        Set<Long> underWay = Set.of(tablets.get(2), tablets.get(5));
        List<Long> rules =
                underWay.stream()
                        .map(t -> DORIS.fault(afterTwoBatches(t).hold().close()))
                        .collect(Collectors.toList());
        Recorder recorder = new Recorder();
        JobClient job =
                Streams.record(
                        environment(
                                "parallelism.default", "4",
                                "restart-strategy.type", "fixed-delay",
                                "restart-strategy.fixed-delay.attempts", "100",
                                "restart-strategy.fixed-delay.delay", "10 ms"),
                        "SELECT k FROM t",
                        recorder);
        awaitAllButHeld(rules, recorder.log(), underWay);
        awaitCheckpointOfNow(recorder.log());
        long mark = DORIS.mark();
        rules.forEach(DORIS::clearFault);

        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertThat(askedFor(mark)).isEqualTo(new TreeSet<>(underWay));
        assertThat(recorder.log().restarted()).isPositive();
        assertNoneMissingAndTwiceOnlyFrom(underWay, recorder.log().counts());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6})
    void aSavepointIsRestoredWithAnotherParallelism(int parallelism) throws Exception {
        Set<Long> underWay = Set.of(tablets.get(0), tablets.get(6));
        List<Long> rules =
                underWay.stream()
                        .map(t -> DORIS.fault(afterTwoBatches(t).hold()))
                        .collect(Collectors.toList());
        Recorder first = new Recorder();
        JobClient job =
                Streams.record(environment("parallelism.default", "4"), "SELECT k FROM t", first);
        awaitAllButHeld(rules, first.log(), underWay);
        String savepoint = savepointAndCancel(job, first.log());
        long mark = DORIS.mark();
        rules.forEach(DORIS::clearFault);

        Recorder second = new Recorder();
        JobClient restored =
                Streams.record(
                        environment(
                                "parallelism.default",
                                String.valueOf(parallelism),
                                "execution.state-recovery.path",
                                savepoint),
                        "SELECT k FROM t",
                        second);
        assertThat(FlinkCluster.end(restored)).isEqualTo(JobStatus.FINISHED);
        assertThat(askedFor(mark)).isEqualTo(new TreeSet<>(underWay));
        Map<Long, Integer> all = new TreeMap<>(first.log().counts());
        second.log().counts().forEach((key, count) -> all.merge(key, count, Integer::sum));
        assertNoneMissingAndTwiceOnlyFrom(underWay, all);
    }

    @Test
    void splitsThatNoReaderHadYetAreInTheSavepoint() throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Recorder first = new Recorder();
        JobClient job =
                Streams.record(environment("parallelism.default", "1"), "SELECT k FROM t", first);
        Until.holds("the first split is held", () -> DORIS.holding(rule) == 1);
        String savepoint = savepointAndCancel(job, first.log());
        DORIS.clearFault(rule);
        long mark = DORIS.mark();

        assertAllRowsOnceFrom(savepoint);
        assertThat(planned(mark)).as("planned again").isFalse();
        assertThat(first.log().counts()).isEmpty();
    }

    @Test
    void aSavepointTakenBeforeTheScanIsPlannedIsPlannedAfterwards() throws Exception {
        long rule = DORIS.fault(Fault.at("fe.api").statement("_query_plan").hold());
        Recorder first = new Recorder();
        JobClient job =
                Streams.record(environment("parallelism.default", "2"), "SELECT k FROM t", first);
        Until.holds("planning is held", () -> DORIS.holding(rule) == 1);
        String savepoint = savepointAndCancel(job, first.log());
        DORIS.clearFault(rule);
        long mark = DORIS.mark();

        assertAllRowsOnceFrom(savepoint);
        assertThat(planned(mark)).as("planned").isTrue();
    }

    @Test
    void aSavepointOfAnotherTableIsRefused() throws Exception {
        DORIS.run(
                "CREATE TABLE test.other (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY"
                        + " HASH(k) BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")");
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Recorder first = new Recorder();
        JobClient job =
                Streams.record(environment("parallelism.default", "1"), "SELECT k FROM t", first);
        Until.holds("the first split is held", () -> DORIS.holding(rule) == 1);
        String savepoint = savepointAndCancel(job, first.log());
        DORIS.clearFault(rule);

        StreamTableEnvironment other =
                FLINK.streaming(
                        "execution.state-recovery.path", savepoint,
                        "parallelism.default", "1",
                        "restart-strategy.type", "none");
        DorisTable.of(DORIS, "test.other").columns("k BIGINT, v STRING").create(other, "t");
        Recorder second = new Recorder();
        JobClient restored = Streams.record(other, "SELECT k FROM t", second);
        Failure failure =
                Failure.of(() -> restored.getJobExecutionResult().get(30, TimeUnit.SECONDS));
        // The enumerator refuses the checkpoint, the server the tablets: whoever comes first.
        assertThat(failure.text()).contains("test.other");
        assertThat(second.log().counts()).isEmpty();
    }

    private static void assertAllRowsOnceFrom(String savepoint) throws Exception {
        Recorder second = new Recorder();
        JobClient restored =
                Streams.record(
                        environment(
                                "parallelism.default",
                                "4",
                                "execution.state-recovery.path",
                                savepoint),
                        "SELECT k FROM t",
                        second);
        assertThat(FlinkCluster.end(restored)).isEqualTo(JobStatus.FINISHED);
        assertNoneMissingAndTwiceOnlyFrom(Set.of(), second.log().counts());
    }

    private static StreamTableEnvironment environment(String... configuration) {
        String[] all = new String[configuration.length + 2];
        System.arraycopy(configuration, 0, all, 0, configuration.length);
        all[configuration.length] = "execution.checkpointing.interval";
        all[configuration.length + 1] = "20 ms";
        StreamTableEnvironment sql = FLINK.streaming(all);
        DorisTable.of(DORIS, "test.t")
                .columns("k BIGINT, v STRING")
                .with("doris.batch.size", String.valueOf(BATCH_ROWS))
                .create(sql, "t");
        return sql;
    }

    private static Fault afterTwoBatches(long tablet) {
        return Fault.at("flight.do_get")
                .table("t")
                .statement("TABLET(" + tablet + ")")
                .after(2)
                .times(1);
    }

    /** Waits until the readers have done all that they can while some splits are held. */
    private static void awaitAllButHeld(List<Long> rules, Recorder.Log log, Set<Long> held)
            throws Exception {
        long rows =
                TABLET_OF.values().stream().filter(tablet -> !held.contains(tablet)).count()
                        + 2L * BATCH_ROWS * held.size();
        Until.holds(
                "both splits are held",
                () -> rules.stream().allMatch(rule -> DORIS.holding(rule) == 1));
        Until.holds("all rows that were sent are in Flink", () -> log.counts().size() == rows);
    }

    /** Waits for a checkpoint that began after this call. */
    private static void awaitCheckpointOfNow(Recorder.Log log) throws Exception {
        long newest = log.newestCheckpoint();
        Until.holds("a new checkpoint", () -> log.newestCheckpoint() >= newest + 2);
    }

    private String savepointAndCancel(JobClient job, Recorder.Log log) throws Exception {
        // Then all tasks run.
        awaitCheckpointOfNow(log);
        AtomicReference<String> savepoint = new AtomicReference<>();
        Until.holds("a savepoint", () -> savepoint(job, savepoint));
        job.cancel().get(30, TimeUnit.SECONDS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.CANCELED);
        return savepoint.get();
    }

    /** Takes a savepoint; false when it was declined, as it is while a task ends. */
    private boolean savepoint(JobClient job, AtomicReference<String> path) throws Exception {
        try {
            path.set(
                    job.triggerSavepoint(
                                    savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                            .get(30, TimeUnit.SECONDS));
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CheckpointException) {
                return false;
            }
            throw e;
        }
    }

    /** Tablets whose rows were asked for since. */
    private static Set<Long> askedFor(long mark) {
        Set<Long> asked = new TreeSet<>();
        for (String query : DORIS.queries(mark, "`t`")) {
            Matcher matcher = TABLET.matcher(query);
            while (matcher.find()) {
                asked.add(Long.valueOf(matcher.group(1)));
            }
        }
        return asked;
    }

    /** Whether tablets were asked for before one was read; behind the last one they are always. */
    private static boolean planned(long mark) {
        return DORIS.journal(mark).stream()
                .map(entry -> entry.get("path") + " " + entry.get("statement"))
                .filter(entry -> entry.contains("_query_plan") || entry.contains("TABLET("))
                .findFirst()
                .filter(first -> first.contains("_query_plan"))
                .isPresent();
    }

    private static void assertNoneMissingAndTwiceOnlyFrom(
            Set<Long> underWay, Map<Long, Integer> counts) {
        assertThat(counts.keySet()).isEqualTo(TABLET_OF.keySet());
        Set<Long> repeated =
                counts.entrySet().stream()
                        .filter(count -> count.getValue() > 1)
                        .map(count -> TABLET_OF.get(count.getKey()))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(repeated).isEqualTo(new TreeSet<>(underWay));
    }
}
