package org.apache.doris.flink.sink.writer.serializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.sink.schema.SchemaChangeMode;
import org.apache.doris.flink.sink.writer.CapturedLogs;
import org.apache.doris.flink.sink.writer.serializer.debezium.DebeziumReader;
import org.apache.doris.flink.tools.cdc.DorisTableConfig;
import org.apache.doris.flink.tools.cdc.converter.TableNameConverter;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/** Debezium records as lines: operations, forms of records, targets, what is refused. */
class JsonDebeziumSchemaSerializerTest {

    private static final String SOURCE =
            "{\"connector\":\"mysql\",\"db\":\"shop\",\"table\":\"orders\","
                    + "\"file\":\"binlog.000006\",\"pos\":11834,\"row\":0,\"query\":\"secret\"}";

    private static final String PLACE =
            "table shop.orders, at file=binlog.000006, pos=11834, row=0";

    /** The same record in the ways that it may arrive. */
    private enum Form {
        PLAIN {
            @Override
            String of(String before, String after, String op) {
                return String.format(
                        "{\"before\":%s,\"after\":%s,\"source\":%s,\"op\":\"%s\",\"ts_ms\":1}",
                        before, after, SOURCE, op);
            }
        },
        ENVELOPE {
            @Override
            String of(String before, String after, String op) {
                return "{\"schema\":{\"type\":\"struct\",\"fields\":["
                        + image("before")
                        + ","
                        + image("after")
                        + "]},\"payload\":"
                        + PLAIN.of(before, after, op)
                        + "}";
            }
        },
        NO_SCHEMA {
            @Override
            String of(String before, String after, String op) {
                return "{\"schema\":null,\"payload\":" + PLAIN.of(before, after, op) + "}";
            }
        },
        PAYLOAD_AS_TEXT {
            @Override
            String of(String before, String after, String op) {
                return "{\"payload\":" + text(PLAIN.of(before, after, op)) + "}";
            }
        },
        IMAGES_AS_TEXT {
            @Override
            String of(String before, String after, String op) {
                return PLAIN.of(text(before), text(after), op);
            }
        },
        RECORD_AS_TEXT {
            @Override
            String of(String before, String after, String op) {
                return text(PLAIN.of(before, after, op));
            }
        };

        abstract String of(String before, String after, String op);

        private static String image(String name) {
            return "{\"type\":\"struct\",\"optional\":true,\"field\":\""
                    + name
                    + "\",\"fields\":[{\"type\":\"int32\",\"field\":\"id\"},"
                    + "{\"type\":\"string\",\"optional\":true,\"field\":\"name\"}]}";
        }

        private static String text(String json) {
            return json.equals("null")
                    ? json
                    : '"' + json.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }

    private static DorisOptions options(String table) {
        return DorisOptions.builder().setFenodes("fe:8030").setTableIdentifier(table).build();
    }

    private static JsonDebeziumSchemaSerializer.Builder builder() {
        return JsonDebeziumSchemaSerializer.builder().setDorisOptions(options("ods.orders"));
    }

    private static DorisExecutionOptions.Builder execution() {
        return DorisExecutionOptions.builderDefaults();
    }

    private static String line(JsonDebeziumSchemaSerializer serializer, String record)
            throws IOException {
        return new String(serializer.serialize(record).getRow(), StandardCharsets.UTF_8);
    }

    /** The line of an insert whose row is this JSON, without the delete sign. */
    private static String inserted(String row) throws IOException {
        String line =
                line(
                        builder()
                                .setExecutionOptions(execution().setDeletable(false).build())
                                .build(),
                        Form.PLAIN.of("null", row, "c"));
        assertThat(line).doesNotContain("__DORIS_DELETE_SIGN__");
        return line;
    }

    // CDC-1, CDC-2, CDC-3
    @ParameterizedTest
    @EnumSource(Form.class)
    void eachOperationGivesTheSameRowsInEachForm(Form form) throws IOException {
        String old = "{\"id\":1,\"name\":\"a\"}";
        String row = "{\"id\":1,\"name\":\"b \\\"c\\\"\"}";
        String written = "{\"id\":\"1\",\"name\":\"b \\\"c\\\"\",\"__DORIS_DELETE_SIGN__\":\"0\"}";
        String deleted = "{\"id\":\"1\",\"name\":\"a\",\"__DORIS_DELETE_SIGN__\":\"1\"}";
        JsonDebeziumSchemaSerializer serializer = builder().build();
        assertThat(line(serializer, form.of("null", row, "c"))).isEqualTo(written);
        assertThat(line(serializer, form.of("null", row, "r"))).isEqualTo(written);
        assertThat(line(serializer, form.of(old, row, "u"))).isEqualTo(written);
        assertThat(line(serializer, form.of("null", row, "u"))).isEqualTo(written);
        assertThat(line(serializer, form.of(old, "null", "d"))).isEqualTo(deleted);

        JsonDebeziumSchemaSerializer both =
                builder()
                        .setExecutionOptions(execution().setIgnoreUpdateBefore(false).build())
                        .build();
        assertThat(line(both, form.of(old, row, "u"))).isEqualTo(deleted + "\n" + written);
        assertThat(line(both, form.of("null", row, "u")))
                .as("a source that logs no former rows")
                .isEqualTo(written);
    }

    @Test
    void theDelimiterOfTheLoadStandsBetweenTheLinesOfAnUpdate() throws IOException {
        Properties properties = DorisExecutionOptions.defaultsProperties();
        properties.setProperty("line_delimiter", "\\x01");
        JsonDebeziumSchemaSerializer serializer =
                builder()
                        .setExecutionOptions(
                                execution()
                                        .setIgnoreUpdateBefore(false)
                                        .setStreamLoadProp(properties)
                                        .build())
                        .build();
        assertThat(line(serializer, Form.PLAIN.of("{\"id\":1}", "{\"id\":2}", "u")))
                .isEqualTo(
                        "{\"id\":\"1\",\"__DORIS_DELETE_SIGN__\":\"1\"}\u0001"
                                + "{\"id\":\"2\",\"__DORIS_DELETE_SIGN__\":\"0\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // CDC-4: digits stay.
                "12345678901234567890.123456789012345678|\"12345678901234567890.123456789012345678\"",
                "9223372036854775807|\"9223372036854775807\"",
                "1.10|\"1.10\"",
                "-0.0|\"-0.0\"",
                "0E-18|\"0.000000000000000000\"",
                "1E+3|\"1000\"",
                "1.5E300|\"1.5E300\"",
                "1E99999999999|\"1E99999999999\"",
                // CDC-5: NULL is NULL.
                "null|null",
                "true|true",
                "false|false",
                "\"\"|\"\"",
                "\"ö \\u00e4 \\ud83d\\ude00\"|\"ö ä 😀\"",
                "\"a\\n\\t\\u0001\\\\\"|\"a\\u000a\\u0009\\u0001\\\\\"",
                // Nested values stay JSON, with their digits.
                "{\"a\":1.10,\"b\":[null,true]}|{\"a\":1.10,\"b\":[null,true]}",
                "[12345678901234567890.1,\"x\"]|[12345678901234567890.1,\"x\"]",
                "[]|[]",
                "{}|{}",
                "{\"a\":\"x\\ny\"}|{\"a\":\"x\\u000ay\"}",
                // Doris' cast to ARRAY takes control characters as they are.
                "[\"x\\ny\",[\"\\\"\\\\\"],null,1]"
                        + "|\"[\\\"x\\u000ay\\\",[\\\"\\\\\\\"\\\\\\\\\\\"],null,1]\"",
            })
    void valuesWithoutASchemaStayAsTheyAre(String value, String expected) throws IOException {
        assertThat(inserted("{\"c\":" + value + "}")).isEqualTo("{\"c\":" + expected + "}");
    }

    // CDC-6
    @Test
    void aConfiguredTableComesBeforeTheSourcesNames() throws IOException {
        String record = Form.PLAIN.of("null", "{\"id\":1}", "c");
        DorisRecord one =
                builder()
                        .setTableMapping(Map.of("shop.orders", "other.t"))
                        .setTargetDatabase("x")
                        .build()
                        .serialize(record);
        assertThat(one.getTableIdentifier()).isEqualTo("ods.orders");
    }

    @Test
    void tablesAreRoutedByMappingThenByTargetDatabase() throws IOException {
        Map<String, String> mapping = new LinkedHashMap<>();
        mapping.put("shop.orders", "ods.o");
        mapping.put("pg.public.t", " ods.`p t` ");
        JsonDebeziumSchemaSerializer serializer =
                JsonDebeziumSchemaSerializer.builder()
                        .setDorisOptions(options(null))
                        .setTableMapping(mapping)
                        .setTargetDatabase("dw")
                        .setTargetTablePrefix("ods_")
                        .setTargetTableSuffix("_v1")
                        .build();
        assertThat(target(serializer, "\"db\":\"shop\",\"table\":\"orders\"")).isEqualTo("ods.o");
        assertThat(target(serializer, "\"db\":\"pg\",\"schema\":\"public\",\"table\":\"t\""))
                .isEqualTo("ods.p t");
        assertThat(target(serializer, "\"db\":\"pg\",\"schema\":null,\"table\":\"a.b\""))
                .isEqualTo("dw.ods_a.b_v1");

        Map<Pattern, String> rules = new LinkedHashMap<>();
        rules.put(Pattern.compile("order_.*"), "orders");
        JsonDebeziumSchemaSerializer converted =
                JsonDebeziumSchemaSerializer.builder()
                        .setTargetDatabase("dw")
                        .setTableNameConverter(new TableNameConverter("p_", "_s", rules))
                        .build();
        assertThat(target(converted, "\"db\":\"d\",\"table\":\"order_7\"")).isEqualTo("dw.orders");
        assertThat(target(converted, "\"db\":\"d\",\"table\":\"t\"")).isEqualTo("dw.p_t_s");
    }

    private static String target(JsonDebeziumSchemaSerializer serializer, String source)
            throws IOException {
        return serializer
                .serialize("{\"after\":{\"id\":1},\"op\":\"c\",\"source\":{" + source + "}}")
                .getTableIdentifier();
    }

    @Test
    void withoutATargetRowsGoToTheTableOfTheSink() throws IOException {
        DorisRecord record =
                JsonDebeziumSchemaSerializer.builder()
                        .build()
                        .serialize(Form.PLAIN.of("null", "{\"id\":1}", "c"));
        assertThat(record.getTableIdentifier()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "a.b.c", "", "d."})
    void wrongTargetsAreRefusedWhenBuilt(String target) {
        assertThatThrownBy(() -> builder().setTableMapping(Map.of("d.t", target)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + target + "'")
                .hasMessageContaining("d.t")
                .hasMessageContaining("database.table");
    }

    @Test
    void namesOfTablesNeedADatabase() {
        assertThatThrownBy(
                        () ->
                                JsonDebeziumSchemaSerializer.builder()
                                        .setTargetTablePrefix("ods_")
                                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setTargetDatabase");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "t|the operation is none of c, r, u and d|skipped.operations",
                "m|the operation is none of c, r, u and d|setLenient(true)",
                "x|the operation is none of c, r, u and d|setLenient(true)",
            })
    void unknownOperationsFailUnlessLenient(String op, String why, String toDo) throws Exception {
        String record = Form.PLAIN.of("{\"name\":\"secret\"}", "null", op);
        assertThatThrownBy(() -> builder().build().serialize(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Debezium record 1 of this attempt of the subtask")
                .hasMessageContaining("operation '" + op + "', " + PLACE + ") cannot be written")
                .hasMessageContaining(why)
                .hasMessageContaining(toDo)
                .hasMessageNotContaining("secret");
        isSkipped(record);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"source\":%s,\"historyRecord\":\"{\\\"ddl\\\":\\\"secret\\\"}\"}",
                "{\"source\":%s,\"databaseName\":\"shop\",\"ddl\":\"secret\",\"tableChanges\":[]}",
                "{\"schema\":{},\"payload\":{\"source\":%s,\"ddl\":\"secret\"}}",
            })
    void changesOfTheSchemaFailUnlessLenient(String form) throws Exception {
        String record = String.format(form, SOURCE);
        assertThatThrownBy(() -> builder().setNewSchemaChange(true).build().serialize(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(PLACE)
                .hasMessageContaining("schema changed")
                .hasMessageContaining("not carry over yet")
                .hasMessageContaining("includeSchemaChanges(false)")
                .hasMessageNotContaining("secret");
        isSkipped(record);
    }

    @Test
    void recordsOfOtherFormsFailUnlessLenient() throws Exception {
        String record = "{\"id\":1,\"name\":\"secret\"}";
        assertThatThrownBy(() -> builder().build().serialize(record))
                .hasMessageContaining("no operation")
                .hasMessageContaining("flattened")
                .hasMessageNotContaining("secret");
        isSkipped(record);
    }

    @Test
    void unmappedTablesFailUnlessLenient() throws Exception {
        JsonDebeziumSchemaSerializer.Builder mapped =
                JsonDebeziumSchemaSerializer.builder()
                        .setTableMapping(Map.of("shop.customers", "ods.customers"));
        String record = Form.PLAIN.of("null", "{\"name\":\"secret\"}", "c");
        assertThatThrownBy(() -> mapped.build().serialize(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("operation 'c', " + PLACE)
                .hasMessageContaining("no table of Doris is named")
                .hasMessageContaining("mapping")
                .hasMessageNotContaining("secret");
        assertThat(mapped.setLenient(true).build().serialize(record)).isSameAs(DorisRecord.empty);
    }

    private static void isSkipped(String record) throws IOException {
        try (CapturedLogs logs = CapturedLogs.of(DebeziumReader.class)) {
            JsonDebeziumSchemaSerializer lenient = builder().setLenient(true).build();
            for (int i = 0; i < 25; i++) {
                assertThat(lenient.serialize(record)).isSameAs(DorisRecord.empty);
            }
            assertThat(logs.lines())
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("WARN Debezium record "))
                    .allMatch(line -> !line.contains("secret"));
            assertThat(logs.lines().get(1)).contains("record 10 ").contains("the 10. of its kind");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "{\"schema\":null,\"payload\":null}",
                "{\"ts_ms\":1700000000000}",
                "{\"schema\":{\"name\":\"io.debezium.connector.common.Heartbeat\"},"
                        + "\"payload\":{\"ts_ms\":1}}",
                "{\"status\":\"END\",\"id\":\"571\",\"event_count\":2,\"data_collections\":[]}",
            })
    void recordsWithoutAChangeAreNone(String record) throws IOException {
        assertThat(builder().build().serialize(record)).isSameAs(DorisRecord.empty);
        assertThat(builder().build().serialize(null)).isSameAs(DorisRecord.empty);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|the record is no JSON: it is empty",
                "secret|the record is no JSON: it cannot be read at character",
                "{\"op\":\"c\" secret}|cannot be read at character 1",
                "{\"op\":\"c\"} {}|more follows behind the value",
                "[{\"op\":\"c\"}]|is no JSON object",
                "7|is no JSON object",
                "{\"op\":\"c\",\"after\":\"{secret\"}|its row 'after' is no JSON",
                "{\"op\":\"c\",\"after\":[1]}|its row 'after' is no JSON object",
                "{\"op\":\"c\",\"after\":null}|has no row after the change",
                "{\"op\":\"r\"}|has no row after the change",
                "{\"op\":\"u\",\"before\":{\"id\":1}}|has no row after the change",
                "{\"op\":\"d\",\"before\":null}|REPLICA IDENTITY FULL",
            })
    void damagedRecordsFailEvenIfLenient(String record, String why) {
        for (boolean lenient : new boolean[] {false, true}) {
            assertThatThrownBy(() -> builder().setLenient(lenient).build().serialize(record))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Debezium record 1 of this attempt")
                    .hasMessageContaining(why)
                    .hasMessageNotContaining("secret")
                    .hasNoCause();
        }
    }

    @Test
    void theNumberOfTheRecordIsThatOfTheCall() throws IOException {
        JsonDebeziumSchemaSerializer serializer = builder().build();
        serializer.serialize(Form.PLAIN.of("null", "{\"id\":1}", "c"));
        serializer.serialize(null);
        assertThatThrownBy(() -> serializer.serialize("{"))
                .hasMessageStartingWith("Debezium record 3 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"__debezium_unavailable_value\"",
                "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"",
                "[\"__debezium_unavailable_value\"]",
                "[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,"
                        + "101,95,118,97,108,117,101]",
            })
    void aPlaceholderIsNeverWritten(String placeholder) throws IOException {
        String row = "{\"id\":1,\"body\":" + placeholder + "}";
        assertThatThrownBy(() -> builder().build().serialize(Form.PLAIN.of("null", row, "u")))
                .hasMessageContaining("column 'body'")
                .hasMessageContaining("REPLICA IDENTITY FULL")
                .hasMessageContaining("UPDATE_FLEXIBLE_COLUMNS");
        assertThat(line(builder().build(), Form.PLAIN.of(row, "null", "d")))
                .isEqualTo("{\"id\":\"1\",\"body\":null,\"__DORIS_DELETE_SIGN__\":\"1\"}");
    }

    // CDC-2, as MongoDB's change stream sends it.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"{\\\"_id\\\":{\\\"$oid\\\":\\\"64ab\\\"},\\\"a\\\":1}\"",
                "{\"_id\":{\"$oid\":\"64ab\"},\"a\":1}"
            })
    void documentsInTextsGiveTheSameRow(String document) throws IOException {
        String expected = "{\"_id\":\"64ab\",\"a\":\"1\",\"__DORIS_DELETE_SIGN__\":\"0\"}";
        JsonDebeziumSchemaSerializer serializer =
                JsonDebeziumSchemaSerializer.builder()
                        .setTableMapping(Map.of("shop.orders", "ods.orders"))
                        .build();
        for (String type : List.of("insert", "update", "replace")) {
            assertThat(
                            line(
                                    serializer,
                                    "{\"fullDocument\":"
                                            + document
                                            + ",\"operationType\":\""
                                            + type
                                            + "\",\"ns\":{\"db\":\"shop\",\"coll\":\"orders\"}}"))
                    .isEqualTo(expected);
        }
        assertThat(
                        line(
                                serializer,
                                "{\"before\":null,\"after\":"
                                        + document
                                        + ",\"op\":\"c\",\"source\":{\"connector\":\"mongodb\","
                                        + "\"db\":\"shop\",\"collection\":\"orders\"}}"))
                .isEqualTo(expected);
        assertThat(
                        line(
                                serializer,
                                "{\"documentKey\":"
                                        + document
                                        + ",\"operationType\":\"delete\","
                                        + "\"ns\":{\"db\":\"shop\",\"coll\":\"orders\"}}"))
                .isEqualTo("{\"_id\":\"64ab\",\"a\":\"1\",\"__DORIS_DELETE_SIGN__\":\"1\"}");
        assertThatThrownBy(
                        () ->
                                serializer.serialize(
                                        "{\"operationType\":\"drop\","
                                                + "\"ns\":{\"db\":\"shop\",\"coll\":\"orders\"}}"))
                .hasMessageContaining("operation 'drop', table shop.orders");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"$numberLong\":\"5\"}|\"5\"",
                "{\"$numberDecimal\":\"1.10\"}|\"1.10\"",
                "{\"$numberDouble\":\"-Infinity\"}|\"-inf\"",
                "{\"$date\":1700000000123}|\"2023-11-14T22:13:20.123Z\"",
                "{\"$date\":{\"$numberLong\":\"1700000000000\"}}|\"2023-11-14T22:13:20Z\"",
                "{\"$date\":\"2023-11-14T22:13:20Z\"}|\"2023-11-14T22:13:20Z\"",
                "{\"a\":{\"$oid\":\"x\"}}|{\"a\":{\"$oid\":\"x\"}}",
                "[{\"$oid\":\"x\"}]|[{\"$oid\":\"x\"}]",
            })
    void fieldsOfDocumentsLoseTheirTypes(String value, String expected) throws IOException {
        assertThat(
                        line(
                                builder().build(),
                                "{\"fullDocument\":{\"f\":"
                                        + value
                                        + "},\"operationType\":\"insert\"}"))
                .isEqualTo("{\"f\":" + expected + ",\"__DORIS_DELETE_SIGN__\":\"0\"}");
    }

    @Test
    @SuppressWarnings("deprecation")
    void everySettingOfTheOfficialBuilderIsTaken() throws Exception {
        JsonDebeziumSchemaSerializer serializer =
                builder()
                        .setPattern(Pattern.compile("ALTER.*"))
                        .setSourceTableName("shop.orders")
                        .setNewSchemaChange(true)
                        .setSchemaChangeMode("")
                        .setSchemaChangeMode(null)
                        .setSchemaChangeMode("sql_parser")
                        .setSchemaChangeMode("Debezium_Structure")
                        .setTableProperties(Map.of("replication_num", "1"))
                        .setDorisTableConf(new DorisTableConfig(null))
                        .setTargetTablePrefix(null)
                        .setTargetTableSuffix(" ")
                        .build();
        JsonDebeziumSchemaSerializer travelled = InstantiationUtil.clone(serializer);
        assertThat(line(travelled, Form.PLAIN.of("null", "{\"id\":1}", "c"))).contains("\"id\"");
        assertThatThrownBy(() -> builder().setSchemaChangeMode("ddl"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'ddl'")
                .hasMessageContaining("SQL_PARSER");
        String record = Form.PLAIN.of("{\"id\":1}", "{\"id\":1}", "u");
        DorisExecutionOptions both = execution().setIgnoreUpdateBefore(false).build();
        assertThat(
                        line(
                                new JsonDebeziumSchemaSerializer(options("a.b"), null, null, false),
                                record))
                .doesNotContain("\n");
        assertThat(
                        line(
                                new JsonDebeziumSchemaSerializer(
                                        options("a.b"), null, null, false, both),
                                record))
                .contains("\n");
        DorisRecord eleven =
                new JsonDebeziumSchemaSerializer(
                                options(null),
                                null,
                                null,
                                true,
                                both,
                                Map.of("shop.orders", "a.b"),
                                new DorisTableConfig(),
                                null,
                                "",
                                "",
                                SchemaChangeMode.SQL_PARSER)
                        .serialize(record);
        assertThat(eleven.getTableIdentifier()).isEqualTo("a.b");
        DorisRecord twelve =
                new JsonDebeziumSchemaSerializer(
                                options(null),
                                null,
                                null,
                                true,
                                both,
                                null,
                                null,
                                "dw",
                                "",
                                "",
                                null,
                                new TableNameConverter("x_", null))
                        .serialize(record);
        assertThat(twelve.getTableIdentifier()).isEqualTo("dw.x_orders");
    }

    @Test
    void propertiesOfTablesAreReadAndNotChanged() {
        Map<String, String> given =
                Map.of(
                        "replication_num", "1",
                        "table-buckets", "student:10, a.*:30",
                        "table-partitions", "t:dt:month",
                        "convert-uniq-to-pk", "true");
        DorisTableConfig config = new DorisTableConfig(given);
        assertThat(config.getTableProperties())
                .isEqualTo(Map.of("replication_num", "1", "light_schema_change", "true"));
        assertThat(config.getTableBuckets()).isEqualTo(Map.of("student", 10, "a.*", 30));
        assertThat(config.getTablePartitions().get("t").f1).isEqualTo("month");
        assertThat(config.isConvertUniqToPk()).isTrue();
        assertThatThrownBy(() -> new DorisTableConfig(Map.of("table-buckets", "t:x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'t:x'")
                .hasMessageContaining("table:number");
    }
}
