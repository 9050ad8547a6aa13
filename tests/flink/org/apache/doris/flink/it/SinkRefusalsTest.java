package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.table.api.TableEnvironment;
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
 * Rows that cannot be written and servers that refuse: one error, at once where waiting is of no
 * use, that tells a user what is wrong and what to do; nothing of it visible; and never a secret.
 */
@EachWriteMode
@Timeout(120)
class SinkRefusalsTest {

    private static final String SECRET = "s3cr3t-Pässwort-😱";
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--backends", "2", "--user", "root:", "--user", "alice:" + SECRET);

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final WriteMode mode;
    private TableEnvironment sql;
    private long mark;

    SinkRefusalsTest(WriteMode mode) {
        this.mode = mode;
    }

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

    private DorisTable declared(TargetTable table) {
        return table.declared(mode)
                .columns("id INT, name STRING")
                .with("username", "alice")
                .with("password", SECRET)
                .with("sink.label-prefix", "bad_input");
    }

    /** Refuses loads before they have an effect: in batch mode a load commits before its answer. */
    private Fault refusing(TargetTable table) {
        boolean batch = mode == WriteMode.STREAM_LOAD_BATCH;
        return Fault.at(batch ? "txn.commit" : "be.load.answer").table(table.name());
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
    @ParameterizedTest
    @ValueSource(strings = {"fenodes", "benodes"})
    void use2AHostThatCannotBeResolvedIsNamed(String key) {
        TargetTable table = student();
        Failure failure =
                running(
                        declared(table)
                                .with(key, "no-such-host.invalid:8030")
                                .with("sink.max-retries", "0")
                                .with("doris.request.retries", "0"),
                        table,
                        "(1, 'a')");
        assertThat(failure.text()).contains("no-such-host.invalid").contains(key);
    }

    /** USE-10 */
    @Test
    void use10AGroupThatIsRefusedIsNamed() {
        TargetTable table = student();
        DORIS.fault(
                refusing(table)
                        .answer(
                                "Fail",
                                "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Can not find"
                                        + " compute group etl"));
        Failure failure =
                running(
                        declared(table)
                                .with("sink.properties.compute_group", "etl")
                                .with("sink.max-retries", "0"),
                        table,
                        "(1, 'a')");
        assertThat(failure.text()).contains("compute group etl").contains("test." + table.name());
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
        DORIS.fault(refusing(table).answer("Fail", message));
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
                    table.declared(mode)
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
}
