package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.jni.NativeCounters;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A cancelled job is gone within a second, whatever the server holds back. */
@Timeout(60)
class CancelTest {

    private static final Duration BOUND = Duration.ofSeconds(1);

    @RegisterExtension
    static final Standin DORIS = Standin.with("--frontends", "2", "--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.t (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k)"
                        + " BUCKETS 8 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.t SELECT number, repeat('x', 100) FROM numbers(\"number\" ="
                        + " \"200000\")");
    }

    @ParameterizedTest(name = "{0} of {1} after {2} batches")
    @CsvSource({
        "fe.api, _query_plan, 0",
        "fe.api, SHOW FRONTENDS, 0",
        "flight.handshake, , 0",
        "flight.get_info, information_schema, 0",
        "flight.get_info, TABLET, 0",
        "flight.do_get, TABLET, 0",
        "flight.do_get, TABLET, 1",
        "flight.do_get, TABLET, 5"
    })
    void nothingIsLeftOfAJobThatWaitsForTheServer(String point, String statement, int after)
            throws Exception {
        Fault hold = Fault.at(point).after(after).hold();
        long rule = DORIS.fault(statement == null ? hold : hold.statement(statement));
        TableResult result = start("4");
        Until.holds("the server holds something", () -> DORIS.holding(rule) > 0);

        cancelledWithinTheBound(result.getJobClient().get());
        assertThat(DORIS.holding(rule)).as("requests that are still held").isZero();
    }

    @Test
    void nothingIsLeftOfAJobWhoseRowsNobodyTakes() throws Exception {
        TableResult result = start("4");
        JobClient job = result.getJobClient().get();
        Until.holds("the readers hold batches", () -> NativeCounters.liveBatches() > 0);
        Until.holds("the job stands", () -> stands(job));
        cancelledWithinTheBound(job);
    }

    @Test
    void nothingIsLeftOfAJobThatIsCancelledBetweenSplits() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("flight.get_info")
                                .statement("TABLET(" + DORIS.tablets("test", "t").get(4) + ")")
                                .hold());
        TableEnvironment sql = environment("1");
        TableResult result = sql.executeSql("SELECT COUNT(v) FROM t");
        Until.holds("the fifth split is held", () -> DORIS.holding(rule) > 0);
        cancelledWithinTheBound(result.getJobClient().get());
    }

    /** Whether two looks in a row see the same number of rows go out. */
    private static boolean stands(JobClient job) throws Exception {
        long before = DORIS.stat("rows_served");
        TimeUnit.MILLISECONDS.sleep(50);
        return before > 0 && before == DORIS.stat("rows_served");
    }

    private static TableEnvironment environment(String parallelism) {
        TableEnvironment sql =
                FLINK.batch(
                        "parallelism.default", parallelism,
                        "table.exec.resource.default-parallelism", parallelism,
                        "restart-strategy.type", "none");
        DorisTable.of(DORIS, "test.t")
                .columns("k BIGINT, v STRING")
                .with("doris.batch.size", "1000")
                .with("source.read-buffer-size", "256kb")
                .create(sql, "t");
        return sql;
    }

    private static TableResult start(String parallelism) {
        TableEnvironment sql = environment(parallelism);
        return sql.executeSql("SELECT k, v FROM t");
    }

    private static void cancelledWithinTheBound(JobClient job) throws Exception {
        long start = System.nanoTime();
        job.cancel().get(30, TimeUnit.SECONDS);
        NothingLeft.check(DORIS, BOUND);
        Duration left = BOUND.minusNanos(System.nanoTime() - start);
        Until.holds("the job is gone", left, () -> FlinkCluster.status(job) == JobStatus.CANCELED);
    }
}
