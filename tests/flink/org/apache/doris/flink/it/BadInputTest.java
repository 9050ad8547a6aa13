package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Wrong options, wrong declarations, wrong clusters: one error, when it can first be known, that
 * tells a user what is wrong and what to do; soon; and never a secret.
 */
@Timeout(60)
class BadInputTest {

    private static final String SECRET = "s3cr3t-Pässwort-😱";
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--frontends", "2", "--backends", "2", "--user", "alice:" + SECRET);

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private long mark;

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.student (id INT NOT NULL, name VARCHAR(50), big BIGINT, at"
                    + " DATETIME(3)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4 PROPERTIES"
                    + " (\"replication_num\" = \"1\")",
                "INSERT INTO test.student VALUES (1, 'Alice', 3000000000, '2024-12-01 00:00:00'),"
                        + " (2, NULL, 2, NULL)");
    }

    @BeforeEach
    void begin() {
        sql =
                FLINK.batch(
                        "table.exec.resource.default-parallelism", "2",
                        "restart-strategy.type", "none");
        mark = DORIS.mark();
    }

    @AfterAll
    static void noSecretIsToldAnywhere() {
        assertNoSecret("the log", String.join("\n", LOG.lines()));
        assertNoSecret("the journal", DORIS.journalText(0));
        assertThat(String.join("\n", LOG.lines()))
                .as("the log was captured")
                .contains("org.apache.doris.flink");
    }

    private static void assertNoSecret(String where, String text) {
        String login = "alice:" + SECRET;
        assertThat(text)
                .as(where)
                .doesNotContain(SECRET)
                .doesNotContain("s3cr3t")
                .doesNotContain(
                        Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)))
                .doesNotContainPattern("Bearer [^*]");
    }

    private static DorisTable student() {
        return DorisTable.of(DORIS, "test.student")
                .columns("id INT NOT NULL, name STRING, big BIGINT, `at` TIMESTAMP(3)")
                .with("username", "alice")
                .with("password", SECRET);
    }

    /** The failure of planning, which no server may be asked for. */
    private Failure planning(DorisTable table) {
        table.create(sql, "t");
        Failure failure = Failure.of(() -> sql.explainSql("SELECT * FROM t"));
        assertThat(DORIS.journal(mark)).as("planning asks no server").isEmpty();
        assertNoSecret("the error", failure.text());
        return failure;
    }

    /** The failure of a job, which planning lets through. */
    private Failure running(DorisTable table, String query) {
        table.create(sql, "t");
        assertNoSecret(
                "the plan",
                sql.explainSql(
                        query, ExplainDetail.ESTIMATED_COST, ExplainDetail.JSON_EXECUTION_PLAN));
        Failure failure = Failure.of(() -> FlinkCluster.rows(sql, query));
        assertNoSecret("the error", failure.text());
        assertThat(failure.elapsed()).isLessThan(SOON);
        return failure;
    }

    private Failure running(DorisTable table) {
        return running(table, "SELECT * FROM t");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "fenodes | 127.0.0.1 | port",
                "fenodes | http://127.0.0.1:8030 | scheme",
                "fenodes | 127.0.0.1:8030,,127.0.0.1:8031 | empty",
                "fenodes | 127.0.0.1:80300 | 65535",
                "benodes | 127.0.0.1 | port",
                "table.identifier | student | database.table",
                "table.identifier | a.b.c.d | database.table",
                "doris.request.retries | -1 | 0 or more",
                "doris.request.connect.timeout | 0 | duration",
                "doris.request.read.timeout | soon | duration",
                "doris.request.query.timeout | 500ms | 1s or more",
                "doris.batch.size | 0 | 1 or more",
                "doris.batch.size | many | whole number",
                "doris.exec.mem.limit | 0 | size",
                "doris.deserialize.queue.size | 0 | 1 or more",
                "source.read-buffer-size | 0 | size",
                "source.flight-sql-port | 70000 | 65535",
                "source.flight-host-mapping | a:1 | host:port",
                "source.scan.mode | newest | latest",
                "source.changelog.increment-type | all | append_only",
                "scan.parallelism | 0 | 1 or more",
                "doris.native.worker-threads | 0 | 1 or more",
                "source.use-flight-sql | perhaps | true"
            })
    void aWrongValueIsAnErrorAtPlanning(String key, String value, String allowed) {
        Failure failure = planning(student().with(key, value));
        assertThat(failure.text())
                .contains("'" + key + "'")
                .contains("'" + value + "'")
                .contains(allowed);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({"source.use-flight-sql, false", "doris.enable.tls, true"})
    void whatIsNotBuiltYetIsRefusedByNameAtPlanning(String key, String value) {
        Failure failure = planning(student().with(key, value));
        assertThat(failure.text())
                .contains("not supported yet")
                .contains("'" + key + "'")
                .contains("'" + value + "'");
    }

    @Test
    void anUnknownKeyIsAnErrorThatNamesTheNearest() {
        Failure failure = planning(student().with("doris.batch-size", "100"));
        assertThat(failure.text()).contains("'doris.batch-size'").contains("'doris.batch.size'");
    }

    @Test
    void aFormerNameWithAnotherValueIsAnError() {
        Failure failure =
                planning(
                        student()
                                .with("doris.request.read.timeout.ms", "1000")
                                .with("doris.request.read.timeout", "2s"));
        assertThat(failure.text())
                .contains("'doris.request.read.timeout.ms' = '1000'")
                .contains("'doris.request.read.timeout' = '2s'");
    }

    @ParameterizedTest
    @CsvSource({"fenodes", "table.identifier"})
    void aMissingKeyIsAnErrorAtPlanning(String key) {
        assertThat(planning(student().without(key)).text())
                .contains("Missing required options")
                .contains(key);
    }

    @Test
    void aPasswordWithoutAUserIsAnError() {
        assertThat(planning(student().without("username")).text())
                .contains("'password'")
                .contains("'username'");
    }

    @Test
    void aTypeThatDorisNeverHasIsAnErrorAtPlanning() {
        DorisTable table = student().columns("id INT, n MULTISET<STRING>, m MULTISET<INT>");
        assertThat(planning(table).text())
                .contains("`n`")
                .contains("`m`")
                .contains("cannot be read from Doris");
    }

    @Test
    void aLookupJoinIsRefusedByNameAtPlanning() {
        student().create(sql, "t");
        Failure failure =
                Failure.of(
                        () ->
                                sql.explainSql(
                                        "SELECT * FROM (SELECT 1 AS id, PROCTIME() AS p) AS o JOIN"
                                            + " t FOR SYSTEM_TIME AS OF o.p AS s ON o.id = s.id"));
        assertThat(failure.text()).contains("lookup join").contains("not supported yet");
    }

    @Test
    void aHintIsCheckedLikeAnOption() {
        student().create(sql, "t");
        Failure failure =
                Failure.of(
                        () ->
                                sql.explainSql(
                                        "SELECT * FROM t /*+ OPTIONS('source.read-buffer-size' ="
                                                + " 'x') */"));
        assertThat(failure.text()).contains("'source.read-buffer-size'").contains("'x'");
    }

    @Test
    void aHostThatIsNotKnownIsNamed() {
        Failure failure = running(student().with("fenodes", "no-such-host.invalid:8030"));
        assertThat(failure.text())
                .contains("no-such-host.invalid")
                .contains("cannot be resolved")
                .contains("fenodes");
    }

    @Test
    void frontEndsThatAreAllDownAreAllNamed() throws Exception {
        int one = closedPort();
        int two = closedPort();
        Failure failure =
                running(
                        student()
                                .with("fenodes", "127.0.0.1:" + one + ", 127.0.0.1:" + two)
                                .with("doris.request.retries", "1"));
        assertThat(failure.text())
                .contains("127.0.0.1:" + one)
                .contains("127.0.0.1:" + two)
                .contains("cannot be reached");
    }

    @Test
    void aDeadFrontEndIsPassedOver() throws Exception {
        student()
                .with("fenodes", "127.0.0.1:" + closedPort() + " , " + DORIS.fenodes())
                .create(sql, "t");
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(*) FROM t")).containsExactly(Row.of(2L));
    }

    @Test
    void aPortThatIsNoFrontEndIsToldFromOneThatIsDown() {
        Failure failure =
                running(
                        student()
                                .with("fenodes", "127.0.0.1:" + DORIS.port("fe", 0, "flight"))
                                .with("doris.request.retries", "0"));
        assertThat(failure.text()).contains(String.valueOf(DORIS.port("fe", 0, "flight")));
    }

    @Test
    void aPasswordOfAnyCharactersLogsIn() throws Exception {
        student().create(sql, "t");
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM t")).containsExactly("+I[1]", "+I[2]");
    }

    @Test
    void aWrongPasswordIsToldAndNotTriedAgain() {
        Failure failure = running(student().with("password", SECRET + "!"));
        assertThat(failure.text()).contains("'alice'").contains("password");
        long logins =
                DORIS.journal(mark).stream()
                        .filter(
                                entry ->
                                        entry.containsValue("Handshake")
                                                || entry.containsValue("fe.http"))
                        .count();
        assertThat(logins).isEqualTo(1);
    }

    @Test
    void anUnknownUserIsTold() {
        assertThat(running(student().with("username", "bob")).text()).contains("'bob'");
    }

    @Test
    void aMissingTableIsNamedWithTheNearest() {
        assertThat(running(student().with("table.identifier", "test.studend")).text())
                .contains("test.studend")
                .contains("table.identifier")
                .contains("'student'");
    }

    @Test
    void aMissingDatabaseIsNamed() {
        assertThat(running(student().with("table.identifier", "tset.student")).text())
                .contains("'tset'")
                .contains("table.identifier")
                .contains("does not exist");
    }

    @Test
    void allDifferencesOfTheColumnsAreInOneMessage() {
        DorisTable table = student().columns("id STRING, nmae STRING, big INT, `at` TIMESTAMP(0)");
        // Also what is not selected is compared.
        assertThat(running(table, "SELECT id FROM t").text())
                .contains("'id' is INT in Doris but declared STRING")
                .contains("'nmae' does not exist")
                .contains("'name'")
                .contains("'big' is BIGINT in Doris but declared INT")
                .contains("'at' is DATETIME(3) in Doris but declared TIMESTAMP(0)");
        assertThat(DORIS.queries(mark, "student")).as("nothing is read").isEmpty();
    }

    @Test
    void nullInAColumnThatIsDeclaredNotNullNamesTheColumn() {
        DorisTable table = student().columns("id INT, name STRING NOT NULL");
        assertThat(running(table).text()).contains("column name").contains("NOT NULL");
    }

    @Test
    void aFilterThatTheServerRefusesIsToldAtTheStart() {
        Failure failure = running(student().with("doris.filter.query", "no_such_column = 1"));
        assertThat(failure.text()).contains("doris.filter.query").contains("no_such_column");
        assertThat(
                        DORIS.queries(mark, "student").stream()
                                .filter(query -> query.contains("TABLET")))
                .isEmpty();
    }

    @Test
    void aClusterWithoutFlightSaysWhatToSet() throws Exception {
        try (Standin standin = Standin.with("--fe-flight", "-1").start()) {
            Failure failure =
                    running(
                            student()
                                    .with("fenodes", standin.fenodes())
                                    .with("username", "root")
                                    .with("password", ""));
            assertThat(failure.text())
                    .contains("arrow_flight_sql_port")
                    .contains("source.flight-sql-port");
        }
    }

    @Test
    void aFlightPortWhereNothingListensIsNamed() throws Exception {
        int port = closedPort();
        Failure failure =
                running(
                        student()
                                .with("source.flight-sql-port", String.valueOf(port))
                                .with("doris.request.retries", "0"));
        assertThat(failure.text())
                .contains(String.valueOf(port))
                .contains("source.flight-sql-port");
    }

    @Test
    void rowsAtAnAddressThatCannotBeReachedSayHowToMapIt() throws Exception {
        try (Standin standin =
                Standin.with("--set", "flight_be_location=host:no-such-host.invalid").start()) {
            standin.run(
                    "CREATE DATABASE test",
                    "CREATE TABLE test.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS"
                            + " 2 PROPERTIES (\"replication_num\" = \"1\")",
                    "INSERT INTO test.t VALUES (1), (2)");
            String location = "no-such-host.invalid:" + standin.port("be", 0, "flight");
            DorisTable table = DorisTable.of(standin, "test.t").columns("id INT");
            assertThat(running(table.with("doris.request.retries", "1")).text())
                    .contains(location)
                    .contains("source.flight-host-mapping");

            table.with(
                            "source.flight-host-mapping",
                            location + "=127.0.0.1:" + standin.port("be", 0, "flight"))
                    .create(sql, "t");
            assertThat(FlinkCluster.texts(sql, "SELECT id FROM t"))
                    .containsExactly("+I[1]", "+I[2]");
        }
    }

    @Test
    void locationsThatMeanTheFrontEndsConnectionAreUnderstood() throws Exception {
        for (String location : List.of("empty", "any", "reuse")) {
            try (Standin standin =
                    Standin.with("--set", "flight_be_location=" + location).start()) {
                standin.run(
                        "CREATE DATABASE test",
                        "CREATE TABLE test.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id)"
                                + " BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")",
                        "INSERT INTO test.t VALUES (1), (2)");
                DorisTable.of(standin, "test.t").columns("id INT").create(sql, "t");
                assertThat(FlinkCluster.texts(sql, "SELECT id FROM t"))
                        .as(location)
                        .containsExactly("+I[1]", "+I[2]");
            }
        }
    }

    @Test
    void aQueryThatTakesTooLongNamesTheOption() {
        DORIS.fault(Fault.at("flight.get_info").statement("TABLET").hold());
        Failure failure = running(student().with("doris.request.query.timeout", "1s"));
        assertThat(failure.text()).contains("doris.request.query.timeout").contains("1000 ms");
    }

    @Test
    void aFrontEndThatDoesNotAnswerNamesTheOption() {
        DORIS.fault(Fault.at("fe.api").hold());
        Failure failure =
                running(
                        student()
                                .with("doris.request.connect.timeout", "300ms")
                                .with("doris.request.read.timeout", "300ms")
                                .with("doris.request.retries", "1"));
        assertThat(failure.text()).contains("127.0.0.1:" + DORIS.port("fe", 0, "http"));
    }

    @Test
    void aBatchWithADamagedHeaderIsAnErrorAndNoRow() {
        DORIS.fault(Fault.at("flight.do_get").statement("TABLET").corruptHeader());
        assertThat(running(student()).text()).contains("test.student").contains("is damaged");
    }

    @Test
    void aColumnThatGoesAwayWhileAJobRunsIsNamed() throws Exception {
        DORIS.run(
                "CREATE TABLE test.changing (id INT, gone INT) DUPLICATE KEY(id) DISTRIBUTED BY"
                        + " HASH(id) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.changing VALUES (1, 2)");
        long rule = DORIS.fault(Fault.at("fe.api").statement("_query_plan").times(1).hold());
        DorisTable.of(DORIS, "test.changing").columns("id INT, gone INT").create(sql, "t");
        TableResult result = sql.executeSql("SELECT * FROM t");
        Until.holds("planning is held", () -> DORIS.holding(rule) == 1);
        DORIS.run("ALTER TABLE test.changing DROP COLUMN gone");
        DORIS.clearFault(rule);
        assertThat(Failure.of(() -> FlinkCluster.rows(result)).text()).contains("gone");
    }

    @Test
    void ignoredOptionsAreToldOnceAJob() throws Exception {
        student()
                .with("doris.batch.size", "100000")
                .with("source.use-old-api", "true")
                .with("doris.request.tablet.size", "0")
                .create(sql, "t");
        int logged = LOG.lines().size();
        FlinkCluster.rows(sql, "SELECT * FROM t");
        List<String> warnings =
                LOG.lines().stream()
                        .skip(logged)
                        .filter(line -> line.startsWith("WARN org.apache.doris"))
                        .collect(Collectors.toList());
        for (String key :
                List.of("doris.batch.size", "source.use-old-api", "doris.request.tablet.size")) {
            assertThat(warnings.stream().filter(warning -> warning.contains(key)))
                    .as(key)
                    .hasSize(1);
        }
    }

    private static int closedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
