package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.types.logical.RawType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * Wrong values, wrong tables, servers that refuse: one error, at once where waiting is of no use,
 * that tells a user what is wrong and what to do; nothing visible that no checkpoint covers; and
 * never a secret.
 */
@Timeout(120)
class SinkBadInputTest {

    private static final String SECRET = "s3cr3t-Pässwort-😱";
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--backends", "2", "--user", "root:", "--user", "alice:" + SECRET);

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private long mark;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql =
                FLINK.batch(
                        "table.exec.resource.default-parallelism", "1",
                        "restart-strategy.type", "none");
        mark = DORIS.mark();
    }

    @AfterAll
    static void noSecretIsToldAnywhere() {
        assertNoSecret("the log", String.join("\n", LOG.lines()));
        assertNoSecret("the journal", DORIS.journalText(0));
    }

    private static void assertNoSecret(String where, String text) {
        String login = "alice:" + SECRET;
        assertThat(text)
                .as(where)
                .doesNotContain(SECRET)
                .doesNotContain("s3cr3t")
                .doesNotContain(
                        Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }

    private static TargetTable student() {
        return TargetTable.unique(DORIS, "id INT NOT NULL, name VARCHAR(100)");
    }

    private static DorisTable declared(TargetTable table) {
        return table.declared()
                .columns("id INT, name STRING")
                .with("username", "alice")
                .with("password", SECRET)
                .with("sink.label-prefix", "bad_input");
    }

    /** The failure of planning, for which no server may be asked. */
    private Failure planning(DorisTable table, String statement) {
        mark = DORIS.mark();
        table.create(sql, "t");
        Failure failure = Failure.of(() -> sql.explainSql(statement));
        assertThat(DORIS.journal(mark)).as("planning asks no server").isEmpty();
        assertNoSecret("the error", failure.text());
        return failure;
    }

    /** The failure of a job, after which no row of it is there. */
    private Failure running(DorisTable declared, TargetTable table, String values) {
        declared.create(sql, "t");
        Failure failure =
                Failure.of(() -> sql.executeSql("INSERT INTO t VALUES " + values).await());
        assertNoSecret("the error", failure.text());
        assertThat(failure.elapsed()).isLessThan(SOON);
        assertThat(table.count()).as("visible rows").isZero();
        return failure;
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "sink.write-mode | TVF | 'jdbc-url'",
                "sink.write-mode | STREAM_LOAD_BATCH | not supported yet",
                "sink.enable.batch-mode | true | not supported yet",
                "sink.buffer-count | 1 | 2 or more",
                "sink.label-prefix | a b | letters",
                "sink.properties.label | x | the connector sets this parameter itself",
                "sink.properties.format | parquet | 'csv', 'json', 'arrow'",
                "sink.properties.compress_type | snappy | 'gz', 'lz4', 'zstd'",
                "sink.properties.enclose | '' | a single ASCII character",
                "sink.parallelism | 0 | 1 or more",
                "sink.labelprefix | x | 'sink.label-prefix'",
            })
    void aWrongValueIsAnErrorAtPlanning(String key, String value, String words) {
        Failure failure =
                planning(
                        declared(student()).with(key, value.equals("''") ? "" : value),
                        "INSERT INTO t VALUES (1, 'a')");
        assertThat(failure.text()).contains("'" + key + "'").contains(words);
    }

    @Test
    void aTypeThatDorisNeverHasIsAnErrorAtPlanning() {
        String raw = "RAW('java.lang.Integer', '" + serializer() + "')";
        DorisTable table = declared(student()).columns("id INT, r " + raw);
        assertThat(planning(table, "INSERT INTO t SELECT 1, CAST(NULL AS " + raw + ")").text())
                .contains("`r` RAW('java.lang.Integer', '...') (Doris has no such type)")
                .contains("cannot be written to Doris");
    }

    private static String serializer() {
        return new RawType<>(Integer.class, IntSerializer.INSTANCE).getSerializerString();
    }

    /** USE-6 */
    @Test
    void use6OverwritingWithoutTheMysqlPortIsRefusedAtPlanning() {
        assertThat(planning(declared(student()), "INSERT OVERWRITE t VALUES (1, 'a')").text())
                .contains("INSERT OVERWRITE of table test.")
                .contains("needs option 'jdbc-url'");
    }

    /** CSV-4 */
    @ParameterizedTest
    @CsvSource({
        "U&'a\\0009b', sink.properties.enclose",
        "U&'a\\000Ab', sink.properties.enclose",
        "'\\N', sink.properties.escape"
    })
    void csv4AValueThatWouldShiftColumnsNamesColumnAndRow(String value, String remedy) {
        TargetTable table = student();
        String literal = value.startsWith("U&") ? value : "'" + value + "'";
        Failure failure = running(declared(table), table, "(7, " + literal + ")");
        assertThat(failure.text())
                .contains("column name")
                .contains("id = \"7\"")
                .contains("'" + remedy + "'")
                .contains("'sink.properties.format' = 'json'");
    }

    /** CSV-4, NET-10, NET-12: what the server refuses is counted, and its reasons are shown. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void net12ARowThatTheServerRefusesIsCountedWithItsReason(String format) {
        TargetTable table = named();
        Failure failure =
                running(
                        declared(table).with("sink.properties.format", format),
                        table,
                        "(1, 'ok'), (2, CAST(NULL AS STRING))");
        assertThat(failure.text())
                .contains("test." + table.name())
                .contains("bad_input_test_" + table.name() + "_0_")
                .contains("too many filtered rows")
                .contains("name");
    }

    @Test
    void filteredRowsWithinTheRatioOfTheUserAreNoFailure() throws Exception {
        TargetTable table = named();
        declared(table)
                .columns("id INT, name STRING")
                .with("sink.properties.max_filter_ratio", "0.5")
                .create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (1, 'ok'), (2, CAST(NULL AS STRING))").await();
        assertThat(table.rows()).containsExactly(List.of("1", "ok"));
    }

    private TargetTable named() {
        return TargetTable.unique(DORIS, "id INT NOT NULL, name VARCHAR(100) NOT NULL");
    }

    /** Newer servers would cut it and report success, whatever the user allows. */
    @ParameterizedTest
    @CsvSource({"csv, false, 0", "json, true, 0", "arrow, false, 1"})
    void aTextLongerThanItsColumnIsRefusedWithColumnAndKey(
            String format, String strict, String ratio) {
        TargetTable table = student();
        Failure failure =
                running(
                        declared(table)
                                .with("sink.properties.format", format)
                                .with("sink.properties.strict_mode", strict)
                                .with("sink.properties.max_filter_ratio", ratio),
                        table,
                        "(1, 'ok'), (2, '" + "ü".repeat(51) + "')");
        assertThat(failure.text())
                .contains("test." + table.name())
                .contains("column name: a text of 102 bytes for VARCHAR(100)")
                .contains("id = \"2\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aNullInAKeyIsRefused(String format) {
        TargetTable table = student();
        Failure failure =
                running(
                        declared(table).with("sink.properties.format", format),
                        table,
                        "(CAST(NULL AS INT), 'a')");
        assertThat(failure.text()).contains("id").contains("test." + table.name());
    }

    @Test
    void aColumnThatTheTableLacksIsNamedBeforeAnythingIsSent() {
        TargetTable table = student();
        Failure failure =
                running(
                        declared(table).columns("id INT, nane STRING, age INT"),
                        table,
                        "(1, 'a', 2)");
        assertThat(failure.text()).contains("nane").contains("age").contains("name");
        assertThat(table.requests(mark)).isEmpty();
    }

    @Test
    void aTableThatIsNotThereIsNamed() {
        TargetTable table = student();
        DorisTable missing = declared(table).with("table.identifier", "test.nowhere");
        assertThat(running(missing, table, "(1, 'a')").text()).contains("nowhere");
        missing = declared(table).with("table.identifier", "nobody.student");
        assertThat(running(missing, table, "(1, 'a')").text()).contains("nobody");
        missing = declared(table).with("table.identifier", table + "x");
        assertThat(running(missing, table, "(1, 'a')").text())
                .contains(table.name() + "x", "did you mean '");
    }

    @Test
    void aWrongPasswordIsAnErrorAtOnce() {
        TargetTable table = student();
        Failure failure = running(declared(table).with("password", "wrong"), table, "(1, 'a')");
        assertThat(failure.text()).contains("alice");
    }

    /** USE-2 */
    @Test
    void use2AHostThatCannotBeResolvedIsNamed() {
        TargetTable table = student();
        Failure failure =
                running(
                        declared(table)
                                .with("fenodes", "no-such-host.invalid:8030")
                                .with("doris.request.retries", "0"),
                        table,
                        "(1, 'a')");
        assertThat(failure.text()).contains("no-such-host.invalid").contains("fenodes");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Access denied for user"
                        + " alice | Access denied",
                "[INTERNAL_ERROR]No space left on device | No space left",
                "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000"
                        + " | -235",
                "current running txns on db 10003 is 1000, larger than limit 1000 | running txns"
            })
    void whatTheServerRefusesIsShown(String message, String words) {
        TargetTable table = student();
        DORIS.fault(Fault.at("be.load.answer").table(table.name()).answer("Fail", message));
        Failure failure = running(declared(table).with("sink.max-retries", "0"), table, "(1, 'a')");
        assertThat(failure.text()).contains(words).contains("test." + table.name());
    }

    /** What may pass is tried again, with what was kept of the load. */
    @Test
    void tooManyVersionsMayPass() throws Exception {
        TargetTable table = student();
        long rule =
                DORIS.fault(
                        Fault.at("be.load.answer")
                                .table(table.name())
                                .times(1)
                                .answer(
                                        "Fail",
                                        "[E-235]failed to init rowset builder. version count: 2001,"
                                                + " exceed limit: 2000"));
        declared(table).create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (1, 'a')").await();
        assertThat(DORIS.fired(rule)).isEqualTo(1);
        assertThat(table.rows()).containsExactly(List.of("1", "a"));
    }

    /** NET-11 */
    @Test
    void net11ABodyThatIsTooLargeForTheServerShowsItsAnswer() {
        TargetTable table = student();
        DORIS.fault(
                Fault.at("be.load.body")
                        .table(table.name())
                        .after(1)
                        .httpStatus(413, "body exceeds streaming_load_max_mb"));
        Failure failure = running(declared(table).with("sink.max-retries", "0"), table, "(1, 'a')");
        assertThat(failure.text()).contains("streaming_load_max_mb");
    }

    /** NET-4 */
    @Test
    void net4AGatewayThatRefusesShowsItsStatus() {
        TargetTable table = student();
        DORIS.fault(
                Fault.at("be.load.headers")
                        .table(table.name())
                        .httpStatus(413, "no chunked bodies here"));
        Failure failure = running(declared(table).with("sink.max-retries", "0"), table, "(1, 'a')");
        assertThat(failure.text()).contains("413");
    }

    /** NET-6 */
    @Test
    void net6AServerThatCannotReadCompressedJsonNamesTheOption() throws Exception {
        try (Standin old = Standin.with("--profile", "doris-2.1").start()) {
            old.run("CREATE DATABASE test");
            TargetTable table = TargetTable.unique(old, "id INT, name STRING");
            DorisTable json =
                    table.declared()
                            .columns("id INT, name STRING")
                            .with("sink.properties.format", "json");
            assertThat(running(json, table, "(1, 'a')").text())
                    .contains("compress")
                    .contains("sink.properties.compress_type");
            json.with("sink.properties.compress_type", "").create(sql, "t");
            sql.executeSql("INSERT INTO t VALUES (1, 'a')").await();
            assertThat(table.rows()).containsExactly(List.of("1", "a"));
        }
    }

    /** The same job a second time, without its checkpoint, would write its rows twice. */
    @Test
    void aLabelThatAnotherRunHasFinishedIsNamedWithBothRemedies() throws Exception {
        TargetTable table = student();
        declared(table).create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (1, 'a')").await();
        Failure failure = Failure.of(() -> sql.executeSql("INSERT INTO t VALUES (2, 'b')").await());
        String label = DORIS.transactions(table.name()).get(0).label();
        assertThat(failure.text())
                .contains(label)
                .contains("VISIBLE")
                .contains("savepoint")
                .contains("sink.label-prefix");
        assertThat(failure.elapsed()).isLessThan(SOON);
        assertThat(table.rows()).containsExactly(List.of("1", "a"));

        declared(table).with("sink.label-prefix", "another").create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (2, 'b')").await();
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("2", "b"));
    }

    @Test
    void aTableThatIsDroppedInMidLoadFailsTheJob() throws Exception {
        TargetTable table = student();
        StreamTableEnvironment streaming =
                FLINK.streaming(
                        "execution.checkpointing.interval", "1h", "restart-strategy.type", "none");
        streaming.executeSql(
                "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' ="
                        + " '100')");
        declared(table).create(streaming, "t");
        JobClient job =
                streaming
                        .executeSql("INSERT INTO t SELECT id, 'x' FROM numbers")
                        .getJobClient()
                        .get();
        Until.holds(
                "a load is open",
                () ->
                        DORIS.transactions(table.name()).stream()
                                .anyMatch(load -> load.state().equals("PREPARE")));
        DORIS.run("DROP TABLE " + table);
        assertThat(Failure.of(() -> FLINK.checkpoint(job)).text()).isNotEmpty();
        assertThat(Failure.of(() -> job.getJobExecutionResult().get()).text())
                .contains("test." + table.name());
    }
}
