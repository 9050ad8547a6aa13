package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Debezium records on their way into loads of tables that can delete and of others. */
class DebeziumInputTest {

    private final FakeDoris doris = new FakeDoris();
    private final FakeLoadClient client = new FakeLoadClient(doris);
    private final RecordedMetrics metrics = new RecordedMetrics();
    private final JsonDebeziumSchemaSerializer.Builder serializer =
            JsonDebeziumSchemaSerializer.builder();

    private TestSink.Start options() {
        return TestSink.on(doris).option("sink.properties.format", "json");
    }

    /** What the loads get, without the quotes of JSON. */
    private List<String> written(TestSink.Start options, String... records) throws Exception {
        TableLoads loads =
                new TableLoads(
                        new WriterIdentity("op", "job", 0, 1, 0, 0),
                        client,
                        null,
                        false,
                        new WriterMetrics(new RecordedMetrics(), client::metrics, false));
        try (DebeziumInput input =
                new DebeziumInput(
                        options.config(),
                        serializer.build(),
                        loads,
                        new WriterMetrics(metrics, client::metrics, false))) {
            input.open();
            for (String record : records) {
                input.write(record);
            }
            input.flush();
        }
        return client.opened.stream()
                .flatMap(
                        load ->
                                load.body
                                        .toString()
                                        .replace("\"", "")
                                        .replace("__DORIS_DELETE_SIGN__", "sign")
                                        .lines()
                                        .map(line -> load.table + line))
                .collect(Collectors.toList());
    }

    private static String record(String op, String before, String after) {
        return String.format(
                "{\"op\":\"%s\",\"before\":%s,\"after\":%s,\"source\":{\"table\":\"s\"}}",
                op, before, after);
    }

    private static String row(int id, String name) {
        return "{\"id\":" + id + ",\"name\":\"" + name + "\"}";
    }

    private static String[] changes() {
        return new String[] {
            record("r", "null", row(1, "a")),
            record("u", row(1, "a"), row(1, "b")),
            record("d", row(1, "b"), "null")
        };
    }

    @Test
    void rowsOfAUniqueTableHoldTheSign() throws Exception {
        assertThat(written(options(), changes()))
                .containsExactly(
                        "t{id:1,name:a,sign:0}", "t{id:1,name:b,sign:0}", "t{id:1,name:b,sign:1}");
        assertThat(client.opened.get(0).result()).containsEntry("rows", "3");
        assertThat(metrics.count("rowsSkippedByDeleteRule")).isZero();
        assertThat(metrics.count("debeziumRecordsSkipped")).isZero();
    }

    @Test
    void formerRowsAreDeletedOnRequestAndCounted() throws Exception {
        assertThat(written(options().option("sink.ignore.update-before", "false"), changes()))
                .containsExactly(
                        "t{id:1,name:a,sign:0}",
                        "t{id:1,name:a,sign:1}",
                        "t{id:1,name:b,sign:0}",
                        "t{id:1,name:b,sign:1}");
        assertThat(client.opened.get(0).result()).containsEntry("rows", "4");
    }

    private void keyed() {
        client.columns =
                List.of(
                        new TableCheck.Column("id", true),
                        new TableCheck.Column("day", true),
                        new TableCheck.Column("name", false));
    }

    private static String keyed(Object id, Object day, String name) {
        return String.format("{\"id\":%s,\"day\":%s,\"name\":\"%s\"}", id, day, name);
    }

    // CDC-8
    @ParameterizedTest
    @CsvSource({
        "1, 1, 2, 1, true",
        "1, 1, 1, 2, true",
        "1, 1, 1, null, true",
        "1, 1, 1, 1, false",
        "null, 1, null, 1, false"
    })
    void anUpdateToAnotherKeyDeletesTheFormerRow(
            String id, String day, String newId, String newDay, boolean moved) throws Exception {
        String update = record("u", keyed(id, day, "a"), keyed(newId, newDay, "b"));
        keyed();
        assertThat(written(options(), update))
                .hasSize(moved ? 2 : 1)
                .last()
                .asString()
                .endsWith("name:b,sign:0}");
        if (moved) {
            assertThat(client.opened.get(0).body.toString()).contains("SIGN__\":\"1\"}\n{");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void aPartialUpdateDeletesTheFormerRowOnlyOfAnotherKey(String ignored) throws Exception {
        keyed();
        TestSink.Start partial =
                options()
                        .option("sink.properties.partial_columns", "true")
                        .option("sink.properties.columns", "id,day,name")
                        .option("sink.ignore.update-before", ignored);
        assertThat(
                        written(
                                partial,
                                record("u", keyed(1, 1, "a"), keyed(1, 1, "b")),
                                record("u", keyed(1, 1, "b"), keyed(1, 2, "b"))))
                .containsExactly(
                        "t{id:1,day:1,name:b,sign:0}",
                        "t{id:1,day:1,name:b,sign:1}",
                        "t{id:1,day:2,name:b,sign:0}");
    }

    @Test
    void columnsAreSpelledAsDorisHasThem() throws Exception {
        keyed();
        String upper = "{\"ID\":1,\"DAY\":1,\"Name\":\"a\"}";
        assertThat(
                        written(
                                options(),
                                record("c", "null", upper),
                                record("u", upper, upper.replace("1", "2"))))
                .containsExactly(
                        "t{id:1,day:1,name:a,sign:0}",
                        "t{id:1,day:1,name:a,sign:1}",
                        "t{id:2,day:2,name:a,sign:0}");
    }

    @Test
    void aListOfColumnsNamesTheFieldsAsTheyAre() throws Exception {
        keyed();
        assertThat(
                        written(
                                options().option("sink.properties.columns", "ID, id = ID + 1"),
                                record("c", "null", "{\"ID\":1}")))
                .containsExactly("t{ID:1,sign:0}");
    }

    @Test
    void aColumnThatTheTableLacksIsToldOnce() throws Exception {
        keyed();
        String row = "{\"id\":1,\"extra\":\"secret\"}";
        try (CapturedLogs logs = CapturedLogs.of(TargetColumns.class)) {
            assertThat(written(options(), record("c", "null", row), record("c", "null", row)))
                    .hasSize(2)
                    .allMatch(line -> line.equals("t{id:1,extra:secret,sign:0}"));
            assertThat(logs.lines()).hasSize(1);
            assertThat(logs.lines().get(0))
                    .contains("test.t")
                    .contains("'extra'")
                    .doesNotContain("secret");
        }
    }

    // CDC-9
    @Test
    void tablesThatCannotDeleteGetNoSign() throws Exception {
        client.unique = false;
        try (CapturedLogs logs = CapturedLogs.of(DebeziumInput.class)) {
            assertThat(written(options(), changes()))
                    .containsExactly("t{id:1,name:a}", "t{id:1,name:b}", "t{id:1,name:b}");
            assertThat(logs.lines()).hasSize(1);
            assertThat(logs.lines().get(0))
                    .contains("test.t")
                    .contains("not a Unique table")
                    .contains("rowsSkippedByDeleteRule");
        }
        assertThat(metrics.count("rowsSkippedByDeleteRule")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void skippedRecordsAreCounted(boolean lenient) throws Exception {
        serializer.setLenient(lenient);
        String[] records = {record("t", "null", "null"), record("c", "null", row(1, "a"))};
        if (lenient) {
            assertThat(written(options(), records)).containsExactly("t{id:1,name:a,sign:0}");
            assertThat(metrics.count("debeziumRecordsSkipped")).isEqualTo(1);
        } else {
            assertThatThrownBy(() -> written(options(), records))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("operation 't', table s)");
        }
    }

    @Test
    void rowsGoToTheTablesOfTheSerializer() throws Exception {
        serializer.setTableMapping(Map.of("s", "test.mapped")).setTargetDatabase("test");
        String other = record("c", "null", row(2, "b")).replace("\"s\"", "\"other\"");
        assertThat(written(options(), record("c", "null", row(1, "a")), other))
                .containsExactly("mapped{id:1,name:a,sign:0}", "other{id:2,name:b,sign:0}");
        assertThat(client.checked).containsExactly("test.mapped", "test.other");
    }

    @Test
    void aRecordNeedsATable() {
        assertThatThrownBy(
                        () ->
                                written(
                                        options().option("table.identifier", null),
                                        record("c", "null", row(1, "secret"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no table")
                .hasMessageContaining("'table.identifier'")
                .hasMessageNotContaining("secret");
    }

    @Test
    void aFlexibleUpdateLeavesOutWhatWasNotLogged() throws Exception {
        String large = "{\"id\":1,\"name\":\"__debezium_unavailable_value\"}";
        TestSink.Start flexible =
                options()
                        .option(
                                "sink.properties.unique_key_update_mode",
                                "UPDATE_FLEXIBLE_COLUMNS");
        assertThat(written(flexible, record("u", "null", large))).containsExactly("t{id:1,sign:0}");
    }
}
