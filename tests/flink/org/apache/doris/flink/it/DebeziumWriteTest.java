package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Jobs whose records are Debezium's JSON. */
@Timeout(120)
class DebeziumWriteTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private StreamExecutionEnvironment environment;
    private long mark;

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
                        "parallelism.default", "1");
        mark = DORIS.mark();
    }

    private static DorisExecutionOptions.Builder execution() {
        return DorisExecutionOptions.builderDefaults().setLabelPrefix("changes");
    }

    private void write(
            String table,
            DorisExecutionOptions.Builder execution,
            JsonDebeziumSchemaSerializer.Builder serializer,
            List<String> records)
            throws Exception {
        DorisSink<String> sink =
                DorisSink.<String>builder()
                        .setDorisOptions(
                                DorisOptions.builder()
                                        .setFenodes(DORIS.fenodes())
                                        .setTableIdentifier(table)
                                        .setUsername("root")
                                        .setPassword("")
                                        .build())
                        .setDorisReadOptions(DorisReadOptions.builder().build())
                        .setDorisExecutionOptions(execution.build())
                        .setSerializer(serializer.build())
                        .build();
        environment.fromData(records, Types.STRING).sinkTo(sink);
        FLINK.finish(environment.executeAsync());
    }

    private void write(TargetTable table, String... records) throws Exception {
        write(
                table.identifier(),
                execution(),
                JsonDebeziumSchemaSerializer.builder(),
                List.of(records));
    }

    private static String record(String op, String before, String after) {
        return record("orders", op, before, after);
    }

    private static String record(String table, String op, String before, String after) {
        return String.format(
                "{\"before\":%s,\"after\":%s,\"source\":{\"connector\":\"postgresql\","
                    + "\"db\":\"shop\",\"schema\":\"public\",\"table\":\"%s\",\"lsn\":24023128},"
                    + "\"op\":\"%s\",\"ts_ms\":1}",
                before, after, table, op);
    }

    private static String row(int id, String name) {
        return "{\"id\":" + id + ",\"name\":" + (name == null ? null : "\"" + name + "\"") + "}";
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void insertsUpdatesDeletesAndKeyChangesArrive(boolean batchMode) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING DEFAULT 'x'");
        write(
                table.identifier(),
                execution().setBatchMode(batchMode),
                JsonDebeziumSchemaSerializer.builder(),
                List.of(
                        record("r", "null", row(1, "one")),
                        record("c", "null", row(2, "two")),
                        record("c", "null", row(3, null)),
                        record("c", "null", row(4, "four")),
                        record("u", "null", row(2, "zwei \\\"ö\\\"\\n")),
                        record("d", row(4, null), "null"),
                        // A key change, as Debezium sends it.
                        record("d", row(1, "one"), "null"),
                        record("c", "null", row(7, "one")),
                        // CDC-7: of several changes of one key in a load the last one counts.
                        record("c", "null", row(5, "five")),
                        record("d", row(5, "five"), "null"),
                        record("c", "null", row(6, "a")),
                        record("d", row(6, "a"), "null"),
                        record("c", "null", row(6, "b"))));
        assertThat(table.rows())
                .containsExactly(
                        List.of("2", "zwei \"ö\"\n"),
                        Arrays.asList("3", null),
                        List.of("6", "b"),
                        List.of("7", "one"));
    }

    @Test
    void bothRowsOfAnUpdateAreSentOnRequest() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        write(
                table.identifier(),
                execution().setIgnoreUpdateBefore(false),
                JsonDebeziumSchemaSerializer.builder(),
                List.of(
                        record("c", "null", row(1, "a")),
                        record("c", "null", row(2, "b")),
                        record("u", row(1, "a"), row(3, "a")),
                        record("u", row(2, "b"), row(2, "c"))));
        assertThat(table.rows()).containsExactly(List.of("2", "c"), List.of("3", "a"));
    }

    // CDC-4 and the types of an envelope, into columns of those types.
    @Test
    void valuesOfAnEnvelopeArriveInTheirColumns() throws Exception {
        String[][] columns = {
            {"id INT", "\"type\":\"int32\"", "1", "1"},
            {
                "amt DECIMAL(38,18)",
                "\"type\":\"bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\","
                        + "\"parameters\":{\"scale\":\"18\"}",
                "\"CUmw9vACMxPESZBQ3jjzTg==\"",
                "12345678901234567890.123456789012345678"
            },
            {
                "d DATE",
                "\"type\":\"int32\",\"name\":\"io.debezium.time.Date\"",
                "19723",
                "2024-01-01"
            },
            {
                "ts DATETIME(6)",
                "\"type\":\"int64\",\"name\":\"io.debezium.time.MicroTimestamp\"",
                "1704067200000001",
                "2024-01-01 00:00:00.000001"
            },
            {
                "tz DATETIME(6)",
                "\"type\":\"string\",\"name\":\"io.debezium.time.ZonedTimestamp\"",
                "\"2024-01-01T10:00:00.123456Z\"",
                "2024-01-01 18:00:00.123456"
            },
            {"b BOOLEAN", "\"type\":\"boolean\"", "true", "1"},
            {"tiny TINYINT", "\"type\":\"boolean\"", "true", "1"},
            {"dbl DOUBLE", "\"type\":\"double\"", "1.5E300", "1.5e+300"},
            {
                "big LARGEINT",
                "\"type\":\"bytes\",\"name\":\"io.debezium.data.Bits\"",
                "\"//////////8=\"",
                "18446744073709551615"
            },
            {
                "tags ARRAY<STRING>",
                "\"type\":\"array\",\"items\":{\"type\":\"string\"}",
                "[\"a\\nb\",\"say \\\"hi\\\"\"]",
                "[\"a\\nb\", \"say \\\"hi\\\"\"]"
            },
            {
                "days ARRAY<DATE>",
                "\"type\":\"array\",\"items\":{\"type\":\"int32\","
                        + "\"name\":\"io.debezium.time.Date\"}",
                "[19723,null]",
                "[\"2024-01-01\", null]"
            },
            {
                "doc JSON",
                "\"type\":\"string\",\"name\":\"io.debezium.data.Json\"",
                "\"{\\\"a\\\": 1.5}\"",
                "{\"a\":1.5}"
            },
        };
        List<String> declared = new ArrayList<>();
        List<String> schema = new ArrayList<>();
        List<String> values = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (String[] column : columns) {
            String name = column[0].substring(0, column[0].indexOf(' '));
            declared.add(column[0]);
            schema.add("{\"field\":\"" + name + "\"," + column[1] + "}");
            values.add("\"" + name + "\":" + column[2]);
            expected.add(column[3]);
        }
        TargetTable table = TargetTable.unique(DORIS, String.join(", ", declared));
        Properties zoned = DorisExecutionOptions.defaultsProperties();
        zoned.setProperty("timezone", "Asia/Shanghai");
        write(
                table.identifier(),
                execution().setStreamLoadProp(zoned),
                JsonDebeziumSchemaSerializer.builder(),
                List.of(
                        "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"field\":\"after\","
                                + "\"type\":\"struct\",\"fields\":["
                                + String.join(",", schema)
                                + "]}]},\"payload\":"
                                + record("c", "null", "{" + String.join(",", values) + "}")
                                + "}"));
        assertThat(table.rows()).containsExactly(expected);
    }

    // CDC-6
    @Test
    void recordsOfManyTablesGoToTheirs() throws Exception {
        TargetTable mapped = TargetTable.unique(DORIS, "id INT, name STRING");
        DORIS.run(
                "CREATE TABLE test.ods_customers (id INT, name STRING) UNIQUE KEY(id)"
                        + " DISTRIBUTED BY HASH(id) BUCKETS 1"
                        + " PROPERTIES (\"replication_num\" = \"1\")");
        write(
                "",
                execution(),
                JsonDebeziumSchemaSerializer.builder()
                        .setTableMapping(Map.of("shop.public.orders", mapped.identifier()))
                        .setTargetDatabase("test")
                        .setTargetTablePrefix("ods_"),
                List.of(
                        record("c", "null", row(1, "a")),
                        record("customers", "c", "null", row(2, "b"))));
        assertThat(mapped.rows()).containsExactly(List.of("1", "a"));
        assertThat(DORIS.sql("SELECT * FROM test.ods_customers"))
                .containsExactly(List.of("2", "b"));
    }

    // CDC-9
    @Test
    void aDuplicateTableGetsNoDeleteSign() throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, name STRING");
        write(table, record("c", "null", row(1, "a")), record("d", row(1, "a"), "null"));
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("1", "a"));
        assertThat(table.loads(mark))
                .isNotEmpty()
                .noneMatch(headers -> headers.toString().contains("DELETE_SIGN"));
    }

    /** Doris would make NULL of it, and report success. */
    @Test
    void whatDorisCannotConvertFailsTheJob() {
        TargetTable table = TargetTable.unique(DORIS, "id INT, d DATE");
        Failure failure =
                Failure.of(() -> write(table, record("c", "null", "{\"id\":1,\"d\":\"no date\"}")));
        assertThat(failure.text()).contains("too many filtered rows");
        assertThat(table.rows()).isEmpty();
    }

    @Test
    void aRecordThatIsNoChangeOfARowFailsTheJob() {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        Failure failure = Failure.of(() -> write(table, record("t", "null", "null")));
        assertThat(failure.text())
                .contains("operation 't', table shop.public.orders, at lsn=24023128")
                .contains("setLenient(true)");
    }

    // CDC-8
    @Test
    void anUpdateToAnotherKeyOfTheTableDeletesTheFormerRow() throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT, day DATE, name STRING",
                        "UNIQUE KEY(id, day) DISTRIBUTED BY HASH(id) BUCKETS 2");
        write(
                table,
                record("c", "null", dated(1, "2026-01-01", "a")),
                record("c", "null", dated(2, "2026-01-01", "b")),
                record("u", dated(1, "2026-01-01", "a"), dated(1, "2026-02-01", "a")),
                record("u", dated(2, "2026-01-01", "b"), dated(2, "2026-01-01", "c")));
        assertThat(table.rows())
                .containsExactly(List.of("1", "2026-02-01", "a"), List.of("2", "2026-01-01", "c"));
    }

    private static String dated(int id, String day, String name) {
        return String.format("{\"ID\":%d,\"DAY\":\"%s\",\"NAME\":\"%s\"}", id, day, name);
    }

    @Test
    void aFlexibleUpdateKeepsWhatTheSourceDidNotLog() throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT, name STRING, body STRING",
                        "UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES"
                                + " (\"replication_num\" = \"1\","
                                + " \"enable_unique_key_skip_bitmap_column\" = \"true\")");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a', 'long'), (2, 'b', 'long')");
        Properties flexible = DorisExecutionOptions.defaultsProperties();
        flexible.setProperty("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS");
        write(
                table.identifier(),
                execution().setStreamLoadProp(flexible),
                JsonDebeziumSchemaSerializer.builder(),
                List.of(
                        record(
                                "u",
                                "null",
                                "{\"id\":1,\"name\":\"c\",\"body\":\"__debezium_unavailable_value\"}"),
                        record("d", row(2, null), "null"),
                        record("c", "null", "{\"id\":3,\"name\":null,\"body\":\"x\"}")));
        assertThat(table.rows())
                .containsExactly(List.of("1", "c", "long"), Arrays.asList("3", null, "x"));
    }

    /** The Java of the page, compiled and run as a reader would. */
    @Test
    void theSampleOfThePageRuns() throws Exception {
        String page =
                Files.readString(Path.of(System.getProperty("doris.docs"), "cdc.md"))
                        .replace("127.0.0.1:8030", DORIS.fenodes());
        String section = page.substring(page.indexOf("## Debezium records"));
        for (String statement : block(section, "sql\n-- Doris\n").split(";\n")) {
            DORIS.run(statement);
        }
        JavaSample.run(block(section, "java\n"));
        assertThat(DORIS.sql("SELECT * FROM ods.orders"))
                .containsExactly(
                        List.of("1", "12.500000000000000000", "2026-03-01 10:00:00.000000"));
    }

    private static String block(String page, String begin) {
        int from = page.indexOf("```" + begin) + 3 + begin.length();
        return page.substring(from, page.indexOf("```", from));
    }
}
