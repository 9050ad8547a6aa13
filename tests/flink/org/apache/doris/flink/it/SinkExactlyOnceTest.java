package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Every row is in the table exactly once, whatever becomes of the job: it fails, is stopped and
 * started again with another parallelism, loses answers of the server, or is started without its
 * checkpoint, which must fail.
 */
@Timeout(180)
class SinkExactlyOnceTest {

    private static final int ROWS = 6000;
    private static final String NO_CHECKPOINTS = "no checkpoints";

    /** Rows at which the job fails, each once. */
    private static final Set<Long> MINES = ConcurrentHashMap.newKeySet();

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @TempDir Path savepoints;

    private TargetTable table;
    private String prefix;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void createTable() {
        MINES.clear();
        table = TargetTable.duplicate(DORIS, "id BIGINT");
        prefix = "once-" + table.name();
    }

    /** Writes the numbers from 1 on, paced, so that several checkpoints pass. */
    private JobClient start(int parallelism, String labels, String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of(more));
        settings.addAll(
                List.of(
                        "parallelism.default", String.valueOf(parallelism),
                        "table.exec.resource.default-parallelism", String.valueOf(parallelism)));
        if (!settings.remove(NO_CHECKPOINTS)) {
            settings.addAll(List.of("execution.checkpointing.interval", "100 ms"));
        }
        if (!settings.contains("restart-strategy.type")) {
            settings.addAll(List.of("restart-strategy.type", "none"));
        }
        StreamExecutionEnvironment environment = FLINK.environment(settings.toArray(new String[0]));
        StreamTableEnvironment sql = StreamTableEnvironment.create(environment);
        sql.executeSql(
                String.format(
                        "CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',"
                                + " 'rows-per-second' = '1500', 'fields.id.kind' = 'sequence',"
                                + " 'fields.id.start' = '1', 'fields.id.end' = '%d')",
                        ROWS));
        DataStream<Row> rows =
                sql.toDataStream(sql.sqlQuery("SELECT id FROM numbers"))
                        .map(new Mined())
                        .returns(Types.ROW_NAMED(new String[] {"id"}, Types.LONG));
        sql.createTemporaryView("mined", rows);
        DorisTable target = table.declared().columns("id BIGINT");
        if (labels != null) {
            target.with("sink.label-prefix", labels);
        }
        target.create(sql, "target");
        return sql.executeSql("INSERT INTO target SELECT id FROM mined").getJobClient().get();
    }

    private String stop(JobClient job) throws Exception {
        return job.stopWithSavepoint(
                        false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    private static void finish(JobClient job) throws Exception {
        job.getJobExecutionResult().get(120, TimeUnit.SECONDS);
        assertThat(FlinkCluster.status(job)).isEqualTo(JobStatus.FINISHED);
    }

    private void rowsAreVisible(long more) throws Exception {
        Until.holds("rows are visible", () -> table.count() >= more);
    }

    private void everyRowIsThereOnce() {
        assertThat(
                        DORIS.sql(
                                "SELECT COUNT(*), COUNT(DISTINCT id), MIN(id), MAX(id) FROM "
                                        + table.identifier()))
                .containsExactly(
                        List.of(
                                String.valueOf(ROWS),
                                String.valueOf(ROWS),
                                "1",
                                String.valueOf(ROWS)));
    }

    private void nothingIsLeftOpen() throws Exception {
        Until.holds(
                "no transaction is open",
                () -> DORIS.transactions(prefix).stream().allMatch(Transaction::isFinished));
    }

    @ParameterizedTest(name = "parallelism {0}")
    @ValueSource(ints = {1, 4})
    void aJobFailsAndGoesOn(int parallelism) throws Exception {
        MINES.addAll(Set.of(1500L, 3000L, 3001L, 4500L));
        JobClient job =
                start(
                        parallelism,
                        prefix,
                        "restart-strategy.type",
                        "fixed-delay",
                        "restart-strategy.fixed-delay.attempts",
                        "100",
                        "restart-strategy.fixed-delay.delay",
                        "10 ms");
        finish(job);
        assertThat(MINES).isEmpty();
        assertThat(FLINK.restarts(job.getJobID())).isGreaterThanOrEqualTo(1);
        everyRowIsThereOnce();
        nothingIsLeftOpen();
    }

    @Test
    void fourSubtasksThenTwoThenFour() throws Exception {
        JobClient four = start(4, prefix);
        rowsAreVisible(500);
        String first = stop(four);
        long stopped = table.count();
        assertThat(stopped).isBetween(500L, ROWS - 1L);

        JobClient two = start(2, prefix, "execution.state-recovery.path", first);
        rowsAreVisible(stopped + 500);
        String second = stop(two);

        JobClient again = start(4, prefix, "execution.state-recovery.path", second);
        finish(again);
        everyRowIsThereOnce();
        nothingIsLeftOpen();
    }

    @Test
    void aDrainedJobLeavesNothingUncommitted() throws Exception {
        JobClient job = start(2, prefix);
        rowsAreVisible(500);
        job.stopWithSavepoint(true, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertThat(DORIS.transactions(prefix))
                .isNotEmpty()
                .allMatch(load -> load.state().equals("VISIBLE"));
        assertThat(DORIS.value("SELECT COUNT(DISTINCT id) FROM " + table.identifier()))
                .isEqualTo(String.valueOf(table.count()));
    }

    @Test
    void aDrawnPrefixIsKeptOverStops() throws Exception {
        JobClient job = start(2, null);
        rowsAreVisible(500);
        String savepoint = stop(job);
        finish(start(2, null, "execution.state-recovery.path", savepoint));
        everyRowIsThereOnce();
        assertThat(
                        DORIS.transactions("_test_" + table.name() + "_").stream()
                                .map(load -> load.label().substring(0, 22))
                                .distinct())
                .singleElement()
                .asString()
                .matches("flink_[0-9a-f]{16}");
    }

    @Test
    void twoPc1WithoutItsCheckpointAJobFailsAtOnceAndEachRemedyWorks() throws Exception {
        JobClient job = start(2, prefix);
        rowsAreVisible(500);
        String savepoint = stop(job);
        int loads = DORIS.transactions(prefix).size();

        JobClient fresh = start(2, prefix);
        Failure failure = Failure.of(() -> fresh.getJobExecutionResult().get(60, TimeUnit.SECONDS));
        assertThat(failure.text())
                .contains("Label " + prefix + "_test_" + table.name() + "_")
                .contains("-0-0_0 is VISIBLE")
                .contains("newest checkpoint or savepoint")
                .contains("'sink.label-prefix' (now '" + prefix + "')");
        assertThat(DORIS.transactions(prefix)).as("no load was begun").hasSize(loads);

        finish(start(2, prefix, "execution.state-recovery.path", savepoint));
        everyRowIsThereOnce();

        // The other remedy, on purpose with rows that are written a second time.
        finish(start(2, prefix + "-second"));
        assertThat(table.count()).isEqualTo(2L * ROWS);
    }

    @Test
    void anOlderSavepointIsRefused() throws Exception {
        JobClient job = start(2, prefix);
        rowsAreVisible(500);
        String older = stop(job);
        JobClient next = start(2, prefix, "execution.state-recovery.path", older);
        rowsAreVisible(table.count() + 500);
        String newer = stop(next);
        long rows = table.count();

        JobClient wrong = start(2, prefix, "execution.state-recovery.path", older);
        assertThat(Failure.of(() -> wrong.getJobExecutionResult().get(60, TimeUnit.SECONDS)).text())
                .contains("is not the newest")
                .contains("newest checkpoint or savepoint");
        assertThat(table.count()).isEqualTo(rows);

        finish(start(2, prefix, "execution.state-recovery.path", newer));
        everyRowIsThereOnce();
        nothingIsLeftOpen();
    }

    @Test
    void answersOfLoadsAndCommitsAreLost() throws Exception {
        long loads = DORIS.fault(Fault.at("be.load.answer").table(table.name()).times(3).drop());
        long commits = DORIS.fault(Fault.at("txn.commit").times(3).drop());
        JobClient job =
                start(
                        2,
                        prefix,
                        "restart-strategy.type",
                        "fixed-delay",
                        "restart-strategy.fixed-delay.attempts",
                        "100",
                        "restart-strategy.fixed-delay.delay",
                        "10 ms");
        finish(job);
        assertThat(DORIS.fired(loads)).isEqualTo(3);
        assertThat(DORIS.fired(commits)).isEqualTo(3);
        everyRowIsThereOnce();
        nothingIsLeftOpen();
    }

    @Test
    void use9WithoutCheckpointsABoundedInputIsCommittedAtItsEndAndAnErrorSaysSo() throws Exception {
        JobClient job = start(2, prefix, NO_CHECKPOINTS);
        Until.holds("a load is open", () -> !DORIS.transactions(prefix).isEmpty());
        assertThat(table.count()).isZero();
        finish(job);
        everyRowIsThereOnce();
        assertThat(LOG.lines())
                .anyMatch(
                        line ->
                                line.startsWith("ERROR")
                                        && line.contains("'execution.checkpointing.interval'"));
        JobClient again = start(2, prefix, NO_CHECKPOINTS);
        assertThat(Failure.of(() -> again.getJobExecutionResult().get(60, TimeUnit.SECONDS)).text())
                .contains("this run began without a checkpoint");
        everyRowIsThereOnce();
    }

    /** Fails at some rows, once each. */
    private static final class Mined implements MapFunction<Row, Row> {

        private static final long serialVersionUID = 1L;

        @Override
        public Row map(Row row) {
            if (MINES.remove(row.getField(0))) {
                throw new IllegalStateException("mine at " + row);
            }
            return row;
        }
    }
}
