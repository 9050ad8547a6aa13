package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** What no restart can mend fails a new job once; what may pass restarts it until it is done. */
@Timeout(120)
class SinkStartTest {

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** Longer than any of these tests may run. */
    private static final String[] RESTARTS = {
        "execution.checkpointing.interval", "1h",
        "table.exec.resource.default-parallelism", "2",
        "restart-strategy.type", "fixed-delay",
        "restart-strategy.fixed-delay.attempts", "1000000",
        "restart-strategy.fixed-delay.delay", "50 ms"
    };

    private TableEnvironment sql;
    private TargetTable table;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql = FLINK.streaming(RESTARTS);
        table = TargetTable.unique(DORIS, "id INT, name STRING");
    }

    private JobClient started(DorisTable declared) throws Exception {
        declared.create(sql, "t");
        return sql.executeSql("INSERT INTO t VALUES (1, 'a')").getJobClient().orElseThrow();
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "table.identifier | test.nowhere | nowhere",
                "table.identifier | nobody.student | nobody",
                "password | wrong | root",
                "username | nobody | nobody",
            })
    void aTableOrALoginThatIsWrongFailsANewJobOnce(String key, String value, String words)
            throws Exception {
        failsOnce(table.declared().columns("id INT, name STRING").with(key, value), words);
    }

    @Test
    void aColumnThatIsNotThereFailsANewJobOnce() throws Exception {
        failsOnce(table.declared().columns("id INT, nane STRING"), "'nane'");
    }

    /** The privilege to load is asked for by the first load, here at the end of the input. */
    @Test
    void aPrivilegeThatIsMissingFailsANewJobOnce() throws Exception {
        sql = FLINK.batch(RESTARTS);
        DORIS.fault(
                Fault.at("be.load.answer")
                        .table(table.name())
                        .answer(
                                "Fail",
                                "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Access"
                                        + " denied for user root"));
        failsOnce(table.declared().columns("id INT, name STRING"), "Access denied");
    }

    private void failsOnce(DorisTable declared, String words) throws Exception {
        JobClient job = started(declared);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FAILED);
        assertThat(Failure.of(() -> job.getJobExecutionResult().get()).text()).contains(words);
        assertThat(FLINK.restarts(job.getJobID())).isZero();
        assertThat(table.count()).isZero();
    }

    /** Doris still holds the rows: skipping them would lose them. */
    @Test
    void aCommitThatIsNotAnsweredIsDoneAfterARestartThoughErrorsAreIgnored() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("2pc.request")
                                .statement("commit")
                                .times(2)
                                .httpStatus(503, "no server is available"));
        JobClient job =
                started(
                        table.declared()
                                .columns("id INT, name STRING")
                                .with("sink.ignore.commit-error", "true")
                                .with("sink.max-retries", "1"));
        FLINK.finish(job);
        assertThat(DORIS.fired(rule)).isEqualTo(2);
        assertThat(FLINK.restarts(job.getJobID())).isPositive();
        assertThat(table.rows()).containsExactly(List.of("1", "a"));
    }

    @Test
    void whatMayPassRestartsANewJob() throws Exception {
        DORIS.fault(
                Fault.at("be.load.answer")
                        .table(table.name())
                        .times(2)
                        .answer(
                                "Fail",
                                "[E-235]failed to init rowset builder. version count: 2001"));
        JobClient job =
                started(
                        table.declared()
                                .columns("id INT, name STRING")
                                .with("sink.max-retries", "0"));
        FLINK.finish(job);
        assertThat(FLINK.restarts(job.getJobID())).isPositive();
        assertThat(table.count()).isEqualTo(1);
    }
}
