package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code sink.properties.*} and where loads go: what is sent and what the table holds then. */
@EachWriteMode
@Timeout(120)
class SqlLoadParametersTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final WriteMode mode;
    private StreamTableEnvironment sql;
    private long mark;

    SqlLoadParametersTest(WriteMode mode) {
        this.mode = mode;
    }

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql =
                FLINK.streaming(
                        "execution.checkpointing.interval", "1h",
                        "restart-strategy.type", "none",
                        "table.exec.resource.default-parallelism", "1");
        mark = DORIS.mark();
    }

    private void insert(String statement) throws Exception {
        FLINK.finish(sql.executeSql(statement));
    }

    /** Writes two rows and gives the headers of the load. */
    private Map<String, Object> write(DorisTable declared, TargetTable table) throws Exception {
        declared.columns("id INT, name STRING").create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'a'), (2, CAST(NULL AS STRING)), (3, '')");
        assertThat(table.rows("id, IFNULL(name, 'null')"))
                .containsExactly(List.of("1", "a"), List.of("2", "null"), List.of("3", ""));
        assertThat(table.loads(mark)).isNotEmpty();
        return table.loads(mark).get(0);
    }

    private static TargetTable twoColumns() {
        return TargetTable.unique(DORIS, "id INT, name STRING");
    }

    /** CSV-1, CSV-3: {@code \N} for NULL, an empty field for an empty text, no empty rows. */
    @Test
    void csv1NullAndEmptyTextAreTwoThings() throws Exception {
        TargetTable table = twoColumns();
        Map<String, Object> headers = write(table.declared(mode), table);
        assertThat(headers).containsEntry("format", "csv").containsEntry("compress_type", "gz");
        assertThat(headers.get("two_phase_commit"))
                .isEqualTo(mode == WriteMode.STREAM_LOAD ? "true" : null);
        assertThat(headers.get("columns").toString())
                .contains("`id`", "`name`", "__DORIS_DELETE_SIGN__");
    }

    /** JSON-5, JSON-8 */
    @Test
    void json5LinesAreSaidWhereOnlyTheFormatIsGiven() throws Exception {
        TargetTable table = twoColumns();
        Map<String, Object> headers =
                write(table.declared(mode).with("sink.properties.format", "json"), table);
        assertThat(headers)
                .containsEntry("format", "json")
                .containsEntry("read_json_by_line", "true");
    }

    static Stream<Arguments> delimiters() {
        return Stream.of(
                Arguments.of(", ", "\\n"),
                Arguments.of("\\x01", "\\x02"),
                Arguments.of("\\x01\\x02", "\\r\\n"),
                Arguments.of("||", "\\x0a|"),
                Arguments.of("§", "\\n"));
    }

    /** CSV-2 and the documentation's delimiters, whose switch changes nothing. */
    @ParameterizedTest
    @MethodSource("delimiters")
    void csv2DelimitersAreWhatTheyStandFor(String column, String line) throws Exception {
        TargetTable table = twoColumns();
        write(
                table.declared(mode)
                        .with("sink.properties.escape_delimiters", "true")
                        .with("sink.properties.column_separator", column)
                        .with("sink.properties.line_delimiter", line),
                table);
    }

    /** NET-5 besides: a body has one length or none. */
    @ParameterizedTest
    @CsvSource({
        "csv, ''",
        "csv, gz",
        "csv, lz4",
        "csv, zstd",
        "json, ''",
        "json, gz",
        "json, lz4",
        "json, zstd",
        "arrow, ''",
        "arrow, gz",
        "arrow, zstd"
    })
    void bodiesAreCompressedOrNot(String format, String type) throws Exception {
        TargetTable table = twoColumns();
        Map<String, Object> headers =
                write(
                        table.declared(mode)
                                .with("sink.properties.format", format)
                                .with("sink.properties.compress_type", type),
                        table);
        if (type.isEmpty()) {
            assertThat(headers).doesNotContainKey("compress_type");
        } else {
            assertThat(headers).containsEntry("compress_type", type);
        }
        assertThat(headers.containsKey("content-length"))
                .isNotEqualTo(headers.containsKey("transfer-encoding"));
    }

    @ParameterizedTest
    @CsvSource({"gz, 12", "zstd, 19"})
    void aLevelIsTaken(String type, String level) throws Exception {
        TargetTable table = twoColumns();
        write(
                table.declared(mode)
                        .with("sink.properties.compress_type", type)
                        .with("sink.compress-level", level),
                table);
    }

    /** CSV-4: with {@code enclose} everything can be written. */
    @ParameterizedTest
    @CsvSource({"'\"', '\\'", "'^', ''"})
    void csv4AnEnclosedTextMayHoldAnything(String enclose, String escape) throws Exception {
        TargetTable table = twoColumns();
        DorisTable declared =
                table.declared(mode)
                        .columns("id INT, name STRING")
                        .with("sink.properties.enclose", enclose);
        if (!escape.isEmpty()) {
            declared.with("sink.properties.escape", escape);
        }
        declared.create(sql, "target");
        insert(
                "INSERT INTO target VALUES (1, 'a' || U&'\\0009' || 'b'), (2, U&'line\\000Abreak'),"
                        + " (3, 'say \"hi\"'), (4, '\\N'), (5, ''), (6, CAST(NULL AS STRING))");
        assertThat(table.rows("id, HEX(name)"))
                .containsExactly(
                        List.of("1", hex("a\tb")),
                        List.of("2", hex("line\nbreak")),
                        List.of("3", hex("say \"hi\"")),
                        List.of("4", hex("\\N")),
                        List.of("5", ""),
                        Arrays.asList("6", null));
    }

    private static String hex(String text) {
        StringBuilder hex = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hex.append(String.format("%02X", b));
        }
        return hex.toString();
    }

    /** CSV-8: the documentation's bitmap. */
    @Test
    void csv8FunctionsInColumnsAreSentAsTheyAre() throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "dt INT, page VARCHAR(20), user_id BITMAP BITMAP_UNION",
                        "AGGREGATE KEY(dt, page) DISTRIBUTED BY HASH(dt) BUCKETS 2");
        table.declared(mode)
                .columns("dt INT, page STRING, user_id INT")
                .with("sink.label-prefix", "bitmap")
                .with("sink.properties.columns", "dt,page,user_id,user_id=to_bitmap(user_id)")
                .create(sql, "bitmap_sink");
        insert("INSERT INTO bitmap_sink VALUES (1, 'p', 7), (1, 'p', 8), (1, 'p', 7), (2, 'q', 7)");
        assertThat(table.rows("dt, page, bitmap_to_string(user_id)"))
                .containsExactly(List.of("1", "p", "7,8"), List.of("2", "q", "7"));
        assertThat(table.loads(mark).get(0))
                .containsEntry("columns", "dt,page,user_id,user_id=to_bitmap(user_id)");
    }

    /** CSV-7: the documentation's delete by a field. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void csv7AFieldOfTheMessageDeletes(String format) throws Exception {
        TargetTable table = twoColumns();
        table.declared(mode)
                .columns("id INT, name STRING, __DORIS_DELETE_SIGN__ INT")
                .with("sink.enable-delete", "false")
                .with("sink.properties.format", format)
                .with("sink.properties.columns", "id, name, __DORIS_DELETE_SIGN__")
                .create(sql, "DORIS_SINK");
        insert("INSERT INTO DORIS_SINK VALUES (1, 'a', 0), (2, 'b', 0)");
        insert("INSERT INTO DORIS_SINK VALUES (1, 'a', 1)");
        assertThat(table.rows()).containsExactly(List.of("2", "b"));
        assertThat(table.loads(mark).get(0))
                .containsEntry("columns", "id, name, __DORIS_DELETE_SIGN__");
    }

    /** CSV-6: the sign is added to the user's own columns. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json"})
    void csv6DeletesWorkWithColumnsOfTheUser(String format) throws Exception {
        TargetTable table = twoColumns();
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.ignore.update-before", "false")
                .with("sink.properties.format", format)
                .with("sink.properties.columns", "id,name")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'a'), (3, 'b')");
        // The count goes from 1 to 2: the row of 1 is written and deleted again.
        insert(
                "INSERT INTO target SELECT CAST(COUNT(*) AS INT), 'c' FROM (VALUES (1), (2)) AS"
                        + " v(x)");
        assertThat(table.rows()).containsExactly(List.of("2", "c"), List.of("3", "b"));
    }

    /** The documentation's partial update. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aPartialUpdateKeepsTheOtherColumns(String format) throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT, name STRING, bank STRING, age INT, city STRING",
                        "UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a', 'b', 3, 'Ulm')");
        table.declared(mode)
                .columns("id INT, name STRING, bank STRING, age INT")
                .with("sink.properties.format", format)
                .with("sink.properties.read_json_by_line", "true")
                .with("sink.properties.columns", "id,name,bank,age")
                .with("sink.properties.partial_columns", "true")
                .create(sql, "doris_sink");
        insert("INSERT INTO doris_sink VALUES (1, 'x', 'y', 4)");
        assertThat(table.rows()).containsExactly(List.of("1", "x", "y", "4", "Ulm"));
    }

    @Test
    void aFlexibleUpdateWritesTheFieldsThatAreThere() throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT, name STRING, age INT",
                        "UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a', 3), (2, 'b', 4)");
        table.declared(mode)
                .columns("id INT, name STRING, age INT")
                .with("sink.properties.format", "json")
                .with("sink.properties.unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")
                .create(sql, "target");
        insert(
                "INSERT INTO target VALUES (1, 'x', CAST(NULL AS INT)), (2, CAST(NULL AS STRING),"
                        + " 9)");
        assertThat(table.rows()).containsExactly(List.of("1", "x", "3"), List.of("2", "b", "9"));
    }

    /** Names are as Doris takes them, in any letter case. */
    @ParameterizedTest
    @ValueSource(strings = {"sync_mode", "async_mode", "SYNC_MODE"})
    void groupCommitHasNoLabelAndNoTransaction(String groupCommit) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT");
        table.declared(mode)
                .columns("id INT")
                .with("sink.properties.group_commit", groupCommit)
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1), (2)");
        Until.holds("the group is visible", () -> table.count() == 2);
        assertThat(table.rows()).containsExactly(List.of("1"), List.of("2"));
        assertThat(table.loads(mark))
                .isNotEmpty()
                .allSatisfy(
                        headers ->
                                assertThat(headers)
                                        .containsEntry("group_commit", groupCommit)
                                        .doesNotContainKeys("label", "two_phase_commit"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"off_mode", "OFF_MODE"})
    void withoutGroupCommitLoadsHaveLabels(String groupCommit) throws Exception {
        TargetTable table = twoColumns();
        Map<String, Object> headers =
                write(
                        table.declared(mode).with("sink.properties.group_commit", groupCommit),
                        table);
        assertThat(headers).containsKey("label");
    }

    @Test
    void aConditionLeavesRowsOut() throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT");
        table.declared(mode)
                .columns("id INT")
                .with("sink.properties.where", "id > 1")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1), (2)");
        assertThat(table.rows()).containsExactly(List.of("2"));
    }

    /** Rows that fulfil the condition delete their key, all others are written. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aMergeDeletesByItsCondition(String format) throws Exception {
        TargetTable table = twoColumns();
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b')");
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.enable-delete", "false")
                .with("sink.properties.format", format)
                .with("sink.properties.merge_type", "MERGE")
                .with("sink.properties.delete", "name = 'gone'")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'gone'), (2, 'c'), (3, 'd')");
        assertThat(table.rows()).containsExactly(List.of("2", "c"), List.of("3", "d"));
    }

    /** Deletes are on by default, and the kind of a merge decides all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aLoadOfDeletesDeletesEveryKey(String format) throws Exception {
        TargetTable table = twoColumns();
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a'), (2, 'b')");
        table.declared(mode)
                .columns("id INT, name STRING")
                .with("sink.properties.format", format)
                .with("sink.properties.merge_type", "DELETE")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'x'), (3, 'y')");
        assertThat(table.rows()).containsExactly(List.of("2", "b"));
    }

    /** A row that comes late does not win, in one load and over loads. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aSequenceColumnDecidesWhichRowIsNewer(String format) throws Exception {
        TargetTable table =
                TargetTable.withProperty(
                        DORIS,
                        "id INT, name STRING, seq INT",
                        "UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2",
                        "function_column.sequence_col",
                        "seq");
        table.declared(mode)
                .columns("id INT, name STRING, seq INT")
                .with("sink.properties.format", format)
                .with("sink.properties.function_column.sequence_col", "seq")
                .create(sql, "target");
        insert("INSERT INTO target VALUES (1, 'new', 5), (1, 'old', 4), (2, 'old', 1)");
        insert("INSERT INTO target VALUES (1, 'late', 3), (2, 'new', 2)");
        assertThat(table.rows())
                .containsExactly(List.of("1", "new", "5"), List.of("2", "new", "2"));
    }

    /** USE-10 */
    @ParameterizedTest
    @ValueSource(strings = {"compute_group", "cloud_cluster"})
    void use10EachLoadNamesTheGroup(String name) throws Exception {
        TargetTable table = twoColumns();
        assertThat(write(table.declared(mode).with("sink.properties." + name, "etl"), table))
                .containsEntry(name, "etl");
    }

    /** NET-1: loads and commits go to the given back ends, and no list is asked for. */
    @Test
    void net1GivenBackEndsAreTheOnlyTarget() throws Exception {
        TargetTable table = twoColumns();
        write(
                table.declared(mode).with("benodes", " 127.0.0.1:" + DORIS.port("be", 1, "http")),
                table);
        assertThat(table.requests(mark))
                .allSatisfy(entry -> assertThat(entry).containsEntry("node", "be1"));
        assertThat(DORIS.journal(mark))
                .noneMatch(entry -> String.valueOf(entry.get("path")).contains("backends"));
    }

    /** NET-2 */
    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void net2AFrontEndNamesTheBackEndOrItsListDoes(String redirect) throws Exception {
        TargetTable table = twoColumns();
        write(table.declared(mode).with("auto-redirect", redirect), table);
        boolean frontEnd =
                table.requests(mark).stream()
                        .anyMatch(entry -> String.valueOf(entry.get("channel")).startsWith("fe"));
        assertThat(frontEnd).isEqualTo(redirect.equals("true"));
    }

    @Test
    void theLoadTimeoutIsTheUsers() throws Exception {
        TargetTable table = twoColumns();
        assertThat(write(table.declared(mode).with("sink.properties.timeout", "777"), table))
                .containsEntry("timeout", "777");
    }
}
