package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever breaks under a snapshot read: no row too few, and in batch execution none too many. */
@Timeout(120)
class SnapshotFailureTest {

    private static final int ROWS = 40_000;
    private static final int BATCH_ROWS = 1000;
    private static final int BIG_ROWS = 10_000_000;
    private static final String[] RESTARTING = {
        "table.exec.resource.default-parallelism", "4",
        "parallelism.default", "4",
        "restart-strategy.type", "fixed-delay",
        "restart-strategy.fixed-delay.attempts", "1000",
        "restart-strategy.fixed-delay.delay", "50 ms"
    };
    private static final String[] NOT_RESTARTING = {
        "table.exec.resource.default-parallelism", "4", "restart-strategy.type", "none"
    };

    @RegisterExtension
    static final Standin DORIS = Standin.with("--frontends", "2", "--backends", "3");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** How a stream breaks. */
    enum Break {
        STREAM_RESET,
        CONNECTION_RESET,
        END_WITHOUT_STATUS,
        UNAVAILABLE,
        BODY_CUT,
        HEADER_DAMAGED;

        Fault at(String point) {
            Fault fault = Fault.at(point).statement("TABLET");
            switch (this) {
                case STREAM_RESET:
                    return fault.close();
                case CONNECTION_RESET:
                    return fault.reset();
                case END_WITHOUT_STATUS:
                    return fault.endWithoutStatus();
                case UNAVAILABLE:
                    return fault.status("UNAVAILABLE", "going away");
                case BODY_CUT:
                    return fault.truncate();
                default:
                    return fault.corruptHeader();
            }
        }
    }

    @BeforeAll
    static void fill() {
        DORIS.run("CREATE DATABASE test");
        fill("small", ROWS, 8);
    }

    private static void fill(String table, int rows, int buckets) {
        DORIS.run(
                String.format(
                        "CREATE TABLE test.%s (k BIGINT, v BIGINT) DUPLICATE KEY(k) DISTRIBUTED BY"
                                + " HASH(k) BUCKETS %d PROPERTIES (\"replication_num\" = \"1\")",
                        table, buckets),
                String.format(
                        "INSERT INTO test.%s SELECT number, number * 3 FROM numbers(\"number\" ="
                                + " \"%d\")",
                        table, rows));
    }

    @AfterEach
    void everythingIsUpAgain() {
        for (int backend = 0; backend < 3; backend++) {
            DORIS.post("/backends/" + backend + "/start");
        }
        for (int frontend = 0; frontend < 2; frontend++) {
            DORIS.post("/frontends/" + frontend + "/start");
        }
    }

    private static TableEnvironment batch(String... configuration) {
        TableEnvironment sql = FLINK.batch(configuration);
        table("small").create(sql, "small");
        return sql;
    }

    private static DorisTable table(String name) {
        return DorisTable.of(DORIS, "test." + name)
                .columns("k BIGINT, v BIGINT")
                .with("doris.batch.size", String.valueOf(BATCH_ROWS));
    }

    private static void assertComplete(TableResult result, long rows) throws Exception {
        long sum = rows * (rows - 1) / 2;
        assertThat(FlinkCluster.rows(result))
                .containsExactly(Row.of(rows, rows, sum, 3 * sum, 0L, rows - 1));
    }

    private static TableResult aggregate(TableEnvironment sql, String table) {
        return sql.executeSql(
                "SELECT COUNT(*), COUNT(k), SUM(k), SUM(v), MIN(k), MAX(k) FROM " + table);
    }

    @Test
    void tenMillionRowsAreExactWhileABackEndStopsAndStreamsBreak() throws Exception {
        fill("big", BIG_ROWS, 32);
        TableEnvironment sql = FLINK.batch(RESTARTING);
        DorisTable.of(DORIS, "test.big").columns("k BIGINT, v BIGINT").create(sql, "big");
        DORIS.fault(
                Fault.at("flight.do_get")
                        .table("big")
                        .statement("TABLET")
                        .after(0)
                        .times(2)
                        .close());
        DORIS.fault(
                Fault.at("flight.do_get")
                        .table("big")
                        .statement("TABLET")
                        .after(3)
                        .times(3)
                        .close());
        DORIS.fault(
                Fault.at("flight.do_get")
                        .table("big")
                        .statement("TABLET")
                        .after(20)
                        .times(2)
                        .reset());
        DORIS.fault(
                Fault.at("flight.do_get")
                        .table("big")
                        .statement("TABLET")
                        .after(30)
                        .times(2)
                        .endWithoutStatus());
        DORIS.fault(
                Fault.at("flight.do_get")
                        .table("big")
                        .statement("TABLET")
                        .after(40)
                        .times(2)
                        .truncate());
        DORIS.fault(Fault.at("flight.get_info").table("big").statement("TABLET").times(2).drop());
        long served = DORIS.stat("rows_served");

        TableResult result = aggregate(sql, "big");
        Until.holds("a part is read", () -> DORIS.stat("rows_served") > served + BIG_ROWS / 5);
        long mark = DORIS.mark();
        DORIS.post("/backends/1/stop");
        Until.holds(
                "the back end is missed",
                () -> DORIS.journalText(mark).contains("no queryable replicas"));
        DORIS.post("/backends/1/start");

        assertComplete(result, BIG_ROWS);
        JobClient job = result.getJobClient().get();
        assertThat(FLINK.restarts(job.getJobID())).isPositive();
        DORIS.run("DROP TABLE test.big");
    }

    @ParameterizedTest
    @EnumSource(
            value = Break.class,
            names = {"BODY_CUT", "HEADER_DAMAGED"},
            mode = EXCLUDE)
    void aSplitThatBreaksBeforeItsFirstRowIsTriedAgainByItsReader(Break how) throws Exception {
        long rule = DORIS.fault(how.at("flight.do_get").after(0).times(2));
        TableResult result = aggregate(batch(NOT_RESTARTING), "small");
        assertComplete(result, ROWS);
        assertThat(DORIS.fired(rule)).isEqualTo(2);
        assertThat(FLINK.sum(result.getJobClient().get().getJobID(), "snapshotSplitRetries"))
                .isPositive();
    }

    @ParameterizedTest
    @EnumSource(Break.class)
    void aStreamThatBreaksAfterRowsWentToFlinkFailsTheTask(Break how) throws Exception {
        TableResult result = breakAfterRowsWentToFlink(how, RESTARTING);
        assertComplete(result, ROWS);
        JobID job = result.getJobClient().get().getJobID();
        assertThat(FLINK.restarts(job)).isPositive();
        assertThat(FLINK.sum(job, "snapshotSplitRetries")).isZero();
    }

    @ParameterizedTest
    @EnumSource(Break.class)
    void withoutARestartStrategyABrokenStreamFailsTheJobAndSaysWhere(Break how) throws Exception {
        TableResult result = breakAfterRowsWentToFlink(how, NOT_RESTARTING);
        assertThat(Failure.of(() -> FlinkCluster.rows(result)).text())
                .contains("test.small")
                .contains(String.valueOf(tablet()));
        assertThat(FlinkCluster.end(result.getJobClient().get())).isEqualTo(JobStatus.FAILED);
    }

    private static long tablet() {
        return DORIS.tablets("test", "small").get(3);
    }

    private static long rowsOf(long tablet) {
        return Long.parseLong(
                DORIS.value("SELECT COUNT(*) FROM test.small TABLET(" + tablet + ")"));
    }

    private static TableResult breakAfterRowsWentToFlink(Break how, String[] configuration)
            throws Exception {
        int batches = 2;
        long rule =
                DORIS.fault(
                        how.at("flight.do_get")
                                .statement("TABLET(" + tablet() + ")")
                                .after(batches)
                                .times(1)
                                .hold());
        TableResult result = aggregate(batch(configuration), "small");
        JobID job = result.getJobClient().get().getJobID();
        Until.holds("a stream is held", () -> DORIS.holding(rule) == 1);
        long others = ROWS - rowsOf(tablet());
        Until.holds(
                "all rows that were sent are in Flink",
                () -> FLINK.readBySource(job) == others + batches * BATCH_ROWS);
        DORIS.clearFault(rule);
        return result;
    }

    @Test
    void aRefusedTabletIsNeverTakenForAnEmptyOne() throws Exception {
        Long tablet = DORIS.tablets("test", "small").get(1);
        DORIS.fault(
                Fault.at("flight.get_info")
                        .statement("TABLET(" + tablet + ")")
                        .answer("tablet " + tablet + " cannot be opened"));
        Failure failure =
                Failure.of(() -> FlinkCluster.rows(aggregate(batch(NOT_RESTARTING), "small")));
        assertThat(failure.text()).contains("cannot be opened");
    }

    @Test
    void aLostTokenIsReplaced() throws Exception {
        long rule =
                DORIS.fault(Fault.at("flight.do_get").statement("TABLET").after(2).times(1).hold());
        TableResult result = aggregate(batch(RESTARTING), "small");
        Until.holds("a stream is held", () -> DORIS.holding(rule) == 1);
        DORIS.post("/sessions/drop");
        DORIS.clearFault(rule);
        assertComplete(result, ROWS);
    }

    @Test
    void aTokenLostBetweenQueryAndRowsCostsNoRestart() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("flight.get_info")
                                .table("small")
                                .statement("TABLET")
                                .times(1)
                                .hold());
        TableResult result = aggregate(batch(NOT_RESTARTING), "small");
        Until.holds("a query is held", () -> DORIS.holding(rule) == 1);
        DORIS.post("/sessions/drop");
        DORIS.clearFault(rule);
        assertComplete(result, ROWS);
    }

    @Test
    void aFrontEndThatStopsInMidReadIsReplacedByTheOther() throws Exception {
        for (int frontend = 0; frontend < 2; frontend++) {
            long rule =
                    DORIS.fault(
                            Fault.at("flight.do_get").statement("TABLET").after(2).times(1).hold());
            TableResult result = aggregate(batch(RESTARTING), "small");
            Until.holds("a stream is held", () -> DORIS.holding(rule) == 1);
            DORIS.post("/frontends/" + frontend + "/stop");
            DORIS.clearFault(rule);
            assertComplete(result, ROWS);
            DORIS.post("/frontends/" + frontend + "/start");
        }
    }

    @Test
    void aFrontEndThatIsDownFromTheStartIsPassedOver() throws Exception {
        DORIS.post("/frontends/0/stop");
        assertComplete(aggregate(batch(NOT_RESTARTING), "small"), ROWS);
    }

    @Test
    void aStreamingJobWithoutCheckpointsReadsAgainWhatItsFailedTasksHad() throws Exception {
        StreamTableEnvironment sql = FLINK.streaming(RESTARTING);
        table("small").create(sql, "small");
        Recorder recorder = new Recorder();
        long rule =
                DORIS.fault(
                        Fault.at("flight.do_get")
                                .statement("TABLET(" + tablet() + ")")
                                .after(2)
                                .times(1)
                                .hold()
                                .close());
        JobClient job = Streams.record(sql, "SELECT k FROM small", recorder);
        Until.holds("a stream is held", () -> DORIS.holding(rule) == 1);
        Until.holds(
                "rows of the held stream are in Flink",
                () -> recorder.log().counts().size() > ROWS - rowsOf(tablet()));
        DORIS.clearFault(rule);

        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertThat(recorder.log().restarted()).isPositive();
        assertThat(recorder.log().lastCounts())
                .hasSize(ROWS)
                .allSatisfy((key, count) -> assertThat(count).isEqualTo(1));
    }
}
