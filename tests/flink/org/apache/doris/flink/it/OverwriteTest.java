package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code INSERT OVERWRITE}: all of the new rows or all of the former ones, whatever fails at which
 * moment, and no other table left.
 */
@Timeout(120)
class OverwriteTest {

    private static final int ROWS = 200;
    private static final String SWAP = "REPLACE WITH TABLE";

    @RegisterExtension
    static final Standin DORIS = Standin.with("--frontends", "2", "--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private TargetTable table;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test", "CREATE DATABASE `test-db`");
    }

    @BeforeEach
    void fill() {
        sql = environment("none");
        table = filled("DUPLICATE");
        declared(table).create(sql, "t");
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        DORIS.clearFaults();
        NothingLeft.check(DORIS);
    }

    private static TableEnvironment environment(String restarts) {
        TableEnvironment sql =
                FLINK.batch(
                        "table.exec.resource.default-parallelism", "2",
                        "restart-strategy.type", restarts,
                        "restart-strategy.fixed-delay.attempts", "3",
                        "restart-strategy.fixed-delay.delay", "10ms");
        sql.executeSql(
                "CREATE TEMPORARY TABLE numbers (id INT NOT NULL) WITH ('connector' = 'datagen',"
                        + " 'number-of-rows' = '"
                        + ROWS
                        + "', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1',"
                        + " 'fields.id.end' = '"
                        + ROWS
                        + "')");
        return sql;
    }

    private static TargetTable filled(String model) {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT NOT NULL, name VARCHAR(20)",
                        model + " KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'old'), (1001, 'old')");
        return table;
    }

    private static DorisTable declared(TargetTable table) {
        return table.declared()
                .columns("id INT, name STRING")
                .with("jdbc-url", "jdbc:mysql://" + mysql())
                .with("sink.label-prefix", "nightly_" + table.name())
                .with("sink.max-retries", "1")
                .with("doris.request.retries", "1");
    }

    private static String mysql() {
        return "127.0.0.1:" + DORIS.port("fe", 0, "mysql");
    }

    private TableResult overwrite() {
        return sql.executeSql("INSERT OVERWRITE t SELECT id, 'new' FROM numbers");
    }

    private void assertOld(TargetTable table) {
        assertThat(table.rows()).containsExactly(List.of("1", "old"), List.of("1001", "old"));
    }

    private static void assertNew(TargetTable table) {
        assertThat(table.rows())
                .isEqualTo(
                        IntStream.rangeClosed(1, ROWS)
                                .mapToObj(id -> List.of(String.valueOf(id), "new"))
                                .collect(Collectors.toList()));
    }

    /** Tables that were made for new rows. */
    private static List<String> replacements(String database) {
        return DORIS.sql("SHOW TABLES FROM `" + database + "`").stream()
                .map(row -> row.get(0))
                .filter(name -> name.startsWith("overwrite_"))
                .collect(Collectors.toList());
    }

    /** The end of a job is told before Flink has closed what ran in the JobManager. */
    private static void awaitNoReplacement() throws Exception {
        Until.holds("no other table is left", () -> replacements("test").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"DUPLICATE", "UNIQUE"})
    void theNewRowsTakeThePlaceOfTheFormerOnes(String model) throws Exception {
        TargetTable table = filled(model);
        declared(table).create(sql, "t");
        long mark = DORIS.mark();
        overwrite().await();
        assertNew(table);
        awaitNoReplacement();
        assertThat(statements(mark, SWAP)).hasSize(1);

        // A second run under the same prefix.
        sql.executeSql("INSERT OVERWRITE t VALUES (7, 'later')").await();
        assertThat(table.rows()).containsExactly(List.of("7", "later"));
        awaitNoReplacement();
    }

    @Test
    void withoutAPrefixOfTheUser() throws Exception {
        declared(table).without("sink.label-prefix").create(sql, "t");
        overwrite().await();
        assertNew(table);
        awaitNoReplacement();
    }

    @Test
    void withoutTwoPhaseCommit() throws Exception {
        declared(table).with("sink.enable-2pc", "false").create(sql, "t");
        overwrite().await();
        assertNew(table);
        awaitNoReplacement();
    }

    @Test
    void anEmptyInputLeavesAnEmptyTable() throws Exception {
        sql.executeSql("INSERT OVERWRITE t SELECT id, 'new' FROM numbers WHERE id < 0").await();
        assertThat(table.count()).isZero();
        awaitNoReplacement();
    }

    @Test
    void namesThatNeedQuotes() throws Exception {
        DORIS.run(
                "CREATE TABLE `test-db`.`order` (id INT, name STRING) UNIQUE KEY(id) DISTRIBUTED BY"
                        + " HASH(id) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO `test-db`.`order` VALUES (1, 'old')");
        declared(table).with("table.identifier", "test-db.order").create(sql, "t");
        sql.executeSql("INSERT OVERWRITE t VALUES (2, 'new')").await();
        assertThat(DORIS.sql("SELECT * FROM `test-db`.`order`"))
                .containsExactly(List.of("2", "new"));
        Until.holds("no other table is left", () -> replacements("test-db").isEmpty());
    }

    @Test
    void explainDoesNothing() {
        long mark = DORIS.mark();
        sql.explainSql(
                "INSERT OVERWRITE t SELECT id, 'new' FROM numbers",
                ExplainDetail.JSON_EXECUTION_PLAN);
        assertThat(DORIS.journal(mark)).isEmpty();
        assertOld(table);
    }

    @Test
    void aStreamIsRefusedBeforeAnythingIsDone() {
        long mark = DORIS.mark();
        TableEnvironment stream = FLINK.streaming();
        declared(table).create(stream, "t");
        Failure failure = Failure.of(() -> stream.executeSql("INSERT OVERWRITE t VALUES (1, 'x')"));
        assertThat(failure.text())
                .contains("INSERT OVERWRITE of table " + table)
                .contains("SET 'execution.runtime-mode' = 'batch'");
        assertThat(DORIS.journal(mark)).isEmpty();
        assertOld(table);
    }

    @ParameterizedTest
    @CsvSource({"be.load.body, , 0", "txn.precommit, , 0", "mysql.query, CREATE TABLE, 0"})
    void cancelledInTheMiddle(String point, String statement, int after) throws Exception {
        Fault hold = Fault.at(point).after(after).hold();
        long rule = DORIS.fault(statement == null ? hold : hold.statement(statement));
        long mark = DORIS.mark();
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("the server holds something", () -> DORIS.holding(rule) > 0);
        job.cancel().get(30, TimeUnit.SECONDS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.CANCELED);
        DORIS.clearFaults();
        Until.holds("it is dropped", () -> !statements(mark, "DROP TABLE").isEmpty());
        awaitNoReplacement();
        assertOld(table);
    }

    @Test
    void cancelledWhileItIsSwapped() throws Exception {
        long rule = DORIS.fault(Fault.at("mysql.query").statement(SWAP).hold());
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("the swap has come", () -> DORIS.holding(rule) > 0);
        assertThat(replacements("test")).hasSize(1);
        assertOld(table);
        job.cancel().get(30, TimeUnit.SECONDS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.CANCELED);
        awaitNoReplacement();
        // What comes too late finds nothing to swap in.
        DORIS.clearFaults();
        assertOld(table);
    }

    /** USE-6 */
    @Test
    void use6AFailedLoadIsToldAsSuch() throws Exception {
        Failure failure =
                Failure.of(
                        () ->
                                sql.executeSql(
                                                "INSERT OVERWRITE t SELECT id, CASE WHEN id = 7"
                                                    + " THEN REPEAT('x', 30) ELSE 'new' END FROM"
                                                    + " numbers")
                                        .await());
        assertThat(failure.text())
                .contains("column name: a text of 30 bytes for VARCHAR(20)")
                .contains("id = \"7\"");
        awaitNoReplacement();
        assertOld(table);
    }

    @Test
    void aRestartedTaskLoadsItsRowsOnce() throws Exception {
        sql = environment("fixed-delay");
        declared(table).with("sink.max-retries", "0").create(sql, "t");
        DORIS.fault(Fault.at("txn.precommit").answer("the disk is full").times(1));
        overwrite().await();
        assertNew(table);
        awaitNoReplacement();
    }

    @Test
    void aCommitThatIsRefusedForGoodLeavesTheFormerRows() throws Exception {
        DORIS.fault(
                Fault.at("2pc.request")
                        .statement("commit")
                        .answer("ANALYSIS_ERROR", "cannot commit this"));
        Failure failure = Failure.of(() -> overwrite().await());
        assertThat(failure.text()).contains("cannot commit this");
        awaitNoReplacement();
        assertOld(table);
    }

    @Test
    void theSwapWaitsUntilAllRowsAreVisible() throws Exception {
        long rule = DORIS.fault(Fault.at("txn.publish").hold());
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("a commit is held", () -> DORIS.holding(rule) > 0);
        long mark = DORIS.mark();
        Until.holds("the swap waits", () -> DORIS.journalText(mark).contains("get_load_state"));
        assertOld(table);
        assertThat(FlinkCluster.status(job)).isEqualTo(JobStatus.RUNNING);
        DORIS.clearFaults();
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertNew(table);
        awaitNoReplacement();
    }

    @Test
    void aSwapThatIsRefusedOnceIsTriedAgain() throws Exception {
        DORIS.fault(Fault.at("mysql.query").statement(SWAP).answer("table is busy").times(1));
        overwrite().await();
        assertNew(table);
        awaitNoReplacement();
    }

    @Test
    void aSwapThatIsRefusedForGoodLeavesTheFormerRows() throws Exception {
        DORIS.fault(Fault.at("mysql.query").statement(SWAP).answer("table is being altered"));
        Failure failure = Failure.of(() -> overwrite().await());
        assertThat(failure.text())
                .contains("INSERT OVERWRITE: putting test.overwrite_nightly_")
                .contains("into the place of " + table)
                .contains("table is being altered");
        awaitNoReplacement();
        assertOld(table);
    }

    @Test
    void aSwapWhoseAnswerIsLostIsSeenToBeDone() throws Exception {
        long mark = DORIS.mark();
        DORIS.fault(Fault.at("mysql.answer").statement(SWAP).drop().times(1));
        overwrite().await();
        assertNew(table);
        assertThat(statements(mark, SWAP)).hasSize(1);
        awaitNoReplacement();
    }

    @Test
    void aTaskThatFailsAfterTheSwapSeesThatItWasDone() throws Exception {
        sql = environment("fixed-delay");
        declared(table).with("sink.max-retries", "0").create(sql, "t");
        long mark = DORIS.mark();
        long lost = DORIS.fault(Fault.at("mysql.answer").statement(SWAP).hold().drop());
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("the swap is done", () -> DORIS.holding(lost) > 0);
        long look =
                DORIS.fault(
                        Fault.at("mysql.query").statement("CREATE_TIME").answer("busy").times(1));
        DORIS.clearFault(lost);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertThat(DORIS.fired(look)).isEqualTo(1);
        assertThat(FLINK.restarts(job.getJobID())).isEqualTo(1);
        assertNew(table);
        assertThat(statements(mark, SWAP)).hasSize(1);
        awaitNoReplacement();
    }

    /** Another job under the same prefix, or an administrator. */
    @Test
    void aTableThatWasDroppedIsNotTakenForSwappedIn() throws Exception {
        long rule = DORIS.fault(Fault.at("txn.publish").hold());
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("a commit is held", () -> DORIS.holding(rule) > 0);
        DORIS.run("DROP TABLE test." + replacements("test").get(0) + " FORCE");
        DORIS.clearFaults();
        Failure failure = Failure.of(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS));
        assertThat(failure.text()).contains("INSERT OVERWRITE");
        assertOld(table);
    }

    @Test
    void whatAnEarlierRunLeftIsDropped() throws Exception {
        DORIS.fault(Fault.at("mysql.query").statement(SWAP).answer("no"));
        long drop = DORIS.fault(Fault.at("mysql.query").statement("DROP TABLE").answer("no"));
        Failure.of(() -> overwrite().await());
        Until.holds("the drop was refused", () -> DORIS.fired(drop) > 0);
        assertThat(replacements("test")).hasSize(1);
        String left = replacements("test").get(0);
        DORIS.clearFaults();
        long rule = DORIS.fault(Fault.at("mysql.query").statement(SWAP).hold());
        JobClient job = overwrite().getJobClient().orElseThrow();
        Until.holds("the swap has come", () -> DORIS.holding(rule) > 0);
        assertThat(replacements("test")).hasSize(1).doesNotContain(left);
        DORIS.clearFaults();
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertNew(table);
        awaitNoReplacement();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "table.identifier | test.nothing | test.nothing",
                "username | nobody | user 'nobody' was refused",
                "jdbc-url | jdbc:mysql://127.0.0.1:1 | 127.0.0.1:1",
            })
    void whatCannotStartIsToldAtOnce(String key, String value, String words) throws Exception {
        declared(table).with(key, value).create(sql, "t");
        Failure failure = Failure.of(() -> overwrite().await());
        assertThat(failure.text()).contains(words);
        awaitNoReplacement();
        assertOld(table);
    }

    private static List<String> statements(long since, String part) {
        return DORIS.journal(since).stream()
                .map(entry -> String.valueOf(entry.get("statement")))
                .filter(statement -> statement.contains(part))
                .collect(Collectors.toList());
    }
}
