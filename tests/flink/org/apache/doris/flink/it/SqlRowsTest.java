package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Rows and their kinds, as a bounded job writes them: what the table holds afterwards. */
@EachWriteMode
@Timeout(120)
class SqlRowsTest {

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final WriteMode mode;
    private StreamExecutionEnvironment environment;
    private StreamTableEnvironment sql;
    private long mark;

    SqlRowsTest(WriteMode mode) {
        this.mode = mode;
    }

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        environment =
                FLINK.environment(
                        "execution.checkpointing.interval", "1h",
                        "restart-strategy.type", "none",
                        "table.exec.resource.default-parallelism", "2");
        sql = StreamTableEnvironment.create(environment);
        mark = DORIS.mark();
    }

    private void insert(String statement) throws Exception {
        FLINK.finish(sql.executeSql(statement));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aKeyThatChangesLeavesNoRowBehind(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        changes(
                "moves",
                Row.ofKind(RowKind.INSERT, 1, "a"),
                Row.ofKind(RowKind.UPDATE_BEFORE, 1, "a"),
                Row.ofKind(RowKind.UPDATE_AFTER, 2, "a"));
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.ignore.update-before", "false")
                .with("sink.properties.format", format)
                .with("sink.parallelism", "1")
                .create(sql, "target");
        insert("INSERT INTO target SELECT * FROM moves");
        assertThat(table.rows()).containsExactly(List.of("2", "a"));
    }

    /** CDC-8: the default asks for an upsert stream, which has no row of the former key. */
    @Test
    void cdc8WithoutTheRowBeforeTheFormerKeyStays() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        changes(
                "moves",
                Row.ofKind(RowKind.INSERT, 1, "a"),
                Row.ofKind(RowKind.UPDATE_BEFORE, 1, "a"),
                Row.ofKind(RowKind.UPDATE_AFTER, 2, "a"));
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.parallelism", "1")
                .create(sql, "target");
        insert("INSERT INTO target SELECT * FROM moves");
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("2", "a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void cdc7TheLastChangeOfAKeyInOneLoadWins(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        changes(
                "changes",
                Row.ofKind(RowKind.INSERT, 1, "a"),
                Row.ofKind(RowKind.DELETE, 1, "a"),
                Row.ofKind(RowKind.INSERT, 2, "b"),
                Row.ofKind(RowKind.DELETE, 2, "b"),
                Row.ofKind(RowKind.INSERT, 2, "c"));
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.properties.format", format)
                .with("sink.parallelism", "1")
                .create(sql, "target");
        insert("INSERT INTO target SELECT * FROM changes");
        assertThat(table.rows()).containsExactly(List.of("2", "c"));
    }

    /** CDC-9: such a table has no delete sign; rows are written as they are, and that is said. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void cdc9ATableWithoutDeletesGetsOrdinaryRows(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, name STRING");
        changes("changes", Row.ofKind(RowKind.INSERT, 1, "a"), Row.ofKind(RowKind.DELETE, 1, "a"));
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.properties.format", format)
                .with("sink.parallelism", "1")
                .create(sql, "target");
        insert("INSERT INTO target SELECT * FROM changes");
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("1", "a"));
        assertThat(table.loads(mark))
                .isNotEmpty()
                .allSatisfy(
                        headers ->
                                assertThat(headers.toString())
                                        .doesNotContain("__DORIS_DELETE_SIGN__"));
        assertThat(LOG.lines())
                .anyMatch(line -> line.startsWith("WARN") && line.contains(table.name()));
    }

    /** A changelog whose rows keep their order. */
    private void changes(String name, Row... rows) {
        DataStream<Row> stream =
                environment
                        .fromData(List.of(rows), Types.ROW(Types.INT, Types.STRING))
                        .setParallelism(1);
        sql.createTemporaryView(name, sql.fromChangelogStream(stream));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void type5ColumnsAreMatchedByName(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "a INT, b STRING, c DECIMAL(5, 2)");
        table.declared(mode)
                .columns("C DECIMAL(5, 2), b STRING, A INT")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1.5, 'x', 7), (-2.25, 'y', 8)");
        assertThat(table.rows())
                .containsExactly(List.of("7", "x", "1.50"), List.of("8", "y", "-2.25"));
    }

    /** USE-7: the names of other databases, whose case is not that of Doris. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void use7NamesAreMatchedInAnyCase(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING, Mixed STRING");
        table.declared(mode)
                .columns("ID INT, NAME STRING, mIXED STRING, PRIMARY KEY (ID) NOT ENFORCED")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'a', 'x'), (2, 'b', 'y')");
        insert(
                "INSERT INTO target SELECT 1, CAST(COUNT(*) AS STRING), 'z' FROM (VALUES (1), (2))"
                        + " AS v(k)");
        assertThat(table.rows()).containsExactly(List.of("1", "2", "z"), List.of("2", "b", "y"));
    }

    /** USE-7: what matches none is named at the start, with all that do not. */
    @Test
    void use7NamesThatMatchNoneAreNamed() {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        table.declared(mode).columns("ID INT, NAMES STRING, AGE INT").create(sql, "target");
        assertThat(Failure.of(() -> insert("INSERT INTO target VALUES (1, 'a', 2)")).text())
                .contains("NAMES", "AGE")
                .doesNotContain("`ID`");
        assertThat(table.loads(mark)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void columnsThatAnInsertLeavesOutAreNull(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "a INT, b STRING, c INT");
        table.declared(mode)
                .columns("a INT, b STRING, c INT")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'x', 2)");
        insert("INSERT INTO target (a, b) VALUES (1, 'y')");
        assertThat(table.rows("a, b, IFNULL(c, -1)")).containsExactly(List.of("1", "y", "-1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void columnsThatAreNotDeclaredKeepTheirDefault(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "a INT, b STRING, c INT DEFAULT \"5\"");
        table.declared(mode)
                .columns("a INT, b STRING")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'x')");
        assertThat(table.rows()).containsExactly(List.of("1", "x", "5"));
    }

    /** USE-11 */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void use11NamesInAnyScriptAreSentAsUtf8(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "`编号` INT, `my name` STRING");
        table.declared(mode)
                .columns("`编号` INT, `my name` STRING")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, '值')");
        assertThat(table.rows()).containsExactly(List.of("1", "值"));
    }

    @Test
    void aStatementSetWritesSeveralTablesAndOneTableTwice() throws Exception {
        TargetTable one = TargetTable.duplicate(DORIS, "id INT");
        TargetTable two = TargetTable.duplicate(DORIS, "id INT");
        for (TargetTable table : List.of(one, two)) {
            table.declared(mode)
                    .columns("id INT")
                    .with("sink.label-prefix", "set")
                    .create(sql, table.name());
        }
        FLINK.finish(
                sql.executeSql(
                        String.format(
                                "EXECUTE STATEMENT SET BEGIN INSERT INTO %1$s VALUES (1); INSERT"
                                        + " INTO %2$s VALUES (2); INSERT INTO %1$s VALUES (3);"
                                        + " END",
                                one.name(), two.name())));
        assertThat(one.rows()).containsExactly(List.of("1"), List.of("3"));
        assertThat(two.rows()).containsExactly(List.of("2"));
    }

    /** What was written is what the connector reads. */
    @Test
    void writtenRowsAreReadBack() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING, at DATETIME(6)");
        table.declared(mode)
                .columns("id INT, name STRING, `at` TIMESTAMP(6)")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'ö', TIMESTAMP '2026-03-27 15:20:29.921550')");
        TableEnvironment batch = FLINK.batch();
        table.declared(mode).columns("id INT, name STRING, `at` TIMESTAMP(6)").create(batch, "t");
        assertThat(FlinkCluster.texts(batch, "SELECT * FROM t"))
                .containsExactly("+I[1, ö, 2026-03-27T15:20:29.921550]");
    }
}
