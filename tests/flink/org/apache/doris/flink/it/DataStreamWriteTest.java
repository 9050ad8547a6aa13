package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowDataSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.doris.flink.sink.writer.serializer.SimpleStringSerializer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;

/** Jobs that build the sink themselves, as they do for the official connector. */
@EachWriteMode
@Timeout(120)
class DataStreamWriteTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final WriteMode mode;
    private StreamExecutionEnvironment environment;
    private long mark;

    DataStreamWriteTest(WriteMode mode) {
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
                        "parallelism.default", "1");
        mark = DORIS.mark();
    }

    private static DorisOptions options(String table) {
        return DorisOptions.builder()
                .setFenodes(DORIS.fenodes())
                .setTableIdentifier(table)
                .setUsername("root")
                .setPassword("")
                .build();
    }

    private <T> void write(
            String table,
            DorisExecutionOptions.Builder execution,
            DorisRecordSerializer<T> serializer,
            TypeInformation<T> type,
            List<T> records)
            throws Exception {
        write(environment.fromData(records, type), sink(table, execution, serializer));
    }

    private <T> DorisSink<T> sink(
            String table,
            DorisExecutionOptions.Builder execution,
            DorisRecordSerializer<T> serializer) {
        return DorisSink.<T>builder()
                .setDorisOptions(options(table))
                .setDorisReadOptions(DorisReadOptions.builder().build())
                .setDorisExecutionOptions(execution.setWriteMode(mode).build())
                .setSerializer(serializer)
                .build();
    }

    private <T> void write(DataStream<T> records, DorisSink<T> sink) throws Exception {
        records.sinkTo(sink);
        FLINK.finish(environment.executeAsync());
    }

    private static TargetTable unique() {
        return TargetTable.unique(DORIS, "id INT, name STRING");
    }

    private static DorisExecutionOptions.Builder format(String format) {
        Properties properties = new Properties();
        properties.setProperty("format", format);
        return DorisExecutionOptions.builder()
                .setLabelPrefix("stream")
                .setStreamLoadProp(properties);
    }

    @Test
    void stringsAreLinesOfCsv() throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                format("csv").setDeletable(false),
                new SimpleStringSerializer(),
                Types.STRING,
                List.of("1\ta", "2\t\\N", "3\tö"));
        assertThat(table.rows("id, IFNULL(name, 'null')"))
                .containsExactly(List.of("1", "a"), List.of("2", "null"), List.of("3", "ö"));
    }

    @Test
    void stringsAreLinesOfJson() throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                DorisExecutionOptions.builderDefaults().setDeletable(false),
                new SimpleStringSerializer(),
                Types.STRING,
                List.of("{\"id\":1,\"name\":\"a\"}", "{\"name\":\"b\",\"id\":2}"));
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("2", "b"));
    }

    /** A serializer that writes the delete sign itself, as those for change records do. */
    @Test
    void aSignInTheRecordDeletes() throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                DorisExecutionOptions.builderDefaults(),
                new SimpleStringSerializer(),
                Types.STRING,
                List.of(
                        "{\"id\":1,\"name\":\"a\",\"__DORIS_DELETE_SIGN__\":\"0\"}",
                        "{\"id\":2,\"name\":\"b\",\"__DORIS_DELETE_SIGN__\":\"0\"}",
                        "{\"id\":1,\"name\":\"a\",\"__DORIS_DELETE_SIGN__\":\"1\"}"));
        assertThat(table.rows()).containsExactly(List.of("2", "b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void rowsOfFlinkGoColumnByColumn(String format) throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                format(format),
                rows(format),
                InternalTypeInfo.of(rows(format).getRowType()),
                List.of(
                        row(RowKind.INSERT, 1, "a"),
                        row(RowKind.INSERT, 2, "b"),
                        row(RowKind.DELETE, 1, "a")));
        assertThat(table.rows()).containsExactly(List.of("2", "b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void cdc8AnUpdateBeforeDeletesItsRow(String format) throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                format(format),
                rows(format),
                InternalTypeInfo.of(rows(format).getRowType()),
                List.of(
                        row(RowKind.INSERT, 1, "a"),
                        row(RowKind.INSERT, 2, "b"),
                        row(RowKind.UPDATE_BEFORE, 1, "a"),
                        row(RowKind.UPDATE_AFTER, 3, "a"),
                        row(RowKind.UPDATE_BEFORE, 2, "b"),
                        row(RowKind.UPDATE_AFTER, 2, "c")));
        assertThat(table.rows()).containsExactly(List.of("2", "c"), List.of("3", "a"));
    }

    @Test
    void aPartialUpdateKeepsTheOtherColumnsOfRowsThatStay() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING, note STRING");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a', 'one'), (2, 'b', 'two')");
        Properties partial = new Properties();
        partial.setProperty("format", "json");
        partial.setProperty("partial_columns", "true");
        partial.setProperty("columns", "id,name");
        // All from one record: a checkpoint between records of a source would part an update.
        DataStream<RowData> updates =
                environment
                        .fromData(1)
                        .flatMap(
                                (Integer id, Collector<RowData> out) -> {
                                    out.collect(row(RowKind.UPDATE_BEFORE, id, "a"));
                                    out.collect(row(RowKind.UPDATE_BEFORE, id + 1, "b"));
                                    out.collect(row(RowKind.UPDATE_AFTER, id, "c"));
                                })
                        .returns(InternalTypeInfo.of(rows("json").getRowType()));
        DorisExecutionOptions.Builder execution =
                DorisExecutionOptions.builder().setLabelPrefix("stream").setStreamLoadProp(partial);
        write(updates, sink(table.identifier(), execution, rows("json")));
        assertThat(table.rows()).containsExactly(List.of("1", "c", "one"));
    }

    private static RowDataSerializer rows(String format) {
        return RowDataSerializer.builder()
                .setFieldNames(new String[] {"id", "name"})
                .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                .setType(format)
                .setFieldDelimiter("\t")
                .enableDelete(true)
                .build();
    }

    private static RowData row(RowKind kind, int id, String name) {
        return GenericRowData.ofKind(kind, id, StringData.fromString(name));
    }

    @Test
    void eachRecordMayNameItsTable() throws Exception {
        TargetTable one = unique();
        TargetTable two = unique();
        write(
                "",
                DorisExecutionOptions.builderDefaults().setDeletable(false),
                new RecordWithMetaSerializer(),
                TypeInformation.of(RecordWithMeta.class),
                List.of(
                        new RecordWithMeta("test", one.name(), "{\"id\":1,\"name\":\"a\"}"),
                        new RecordWithMeta("test", two.name(), "{\"id\":2,\"name\":\"b\"}"),
                        new RecordWithMeta("test", one.name(), "{\"id\":3,\"name\":\"c\"}")));
        assertThat(one.rows()).containsExactly(List.of("1", "a"), List.of("3", "c"));
        assertThat(two.rows()).containsExactly(List.of("2", "b"));
        assertThat(one.loads(mark)).isNotEmpty();
        assertThat(DORIS.transactions("_test_" + two.name() + "_")).isNotEmpty();
    }

    @Test
    void aSerializerIsCalledAsPromised() throws Exception {
        TargetTable table = unique();
        write(
                table.identifier(),
                format("csv").setDeletable(false),
                new Framed(),
                Types.STRING,
                List.of("1", "skip", "empty", "2"));
        assertThat(table.rows())
                .containsExactly(
                        List.of("0", "initial"),
                        List.of("1", "a row"),
                        List.of("2", "a row"),
                        List.of("9", "flush"));
    }

    /** Gives a row at each of its calls. */
    private static final class Framed implements DorisRecordSerializer<String> {

        private static final long serialVersionUID = 1L;

        private boolean first;
        private boolean flushed;

        @Override
        public void initial() {
            first = true;
        }

        @Override
        public DorisRecord serialize(String record) throws IOException {
            if (record.equals("skip")) {
                return null;
            }
            if (record.equals("empty")) {
                return DorisRecord.empty;
            }
            String row = record + "\ta row";
            if (first) {
                first = false;
                row = "0\tinitial\n" + row;
            }
            return DorisRecord.of(row.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public DorisRecord flush() {
            if (flushed) {
                return DorisRecord.empty;
            }
            flushed = true;
            return DorisRecord.of("9\tflush".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aRecordForNoTableFailsTheJob() {
        Failure failure =
                Failure.of(
                        () ->
                                write(
                                        "",
                                        format("csv").setDeletable(false),
                                        new SimpleStringSerializer(),
                                        Types.STRING,
                                        List.of("1\ta")));
        assertThat(failure.text()).contains("table");
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json"})
    void rowsOfValuesGoColumnByColumn(String format) throws Exception {
        TargetTable table = unique();
        Row named = Row.withNames();
        named.setField("name", "named");
        named.setField("id", 3);
        write(
                table.identifier(),
                format(format),
                values(format),
                Types.ROW_NAMED(new String[] {"id", "name"}, Types.INT, Types.STRING),
                List.of(
                        Row.of(1, "a\"\u00f6"),
                        Row.of(2, null),
                        Row.of(4, "d"),
                        Row.ofKind(RowKind.DELETE, 4, "d")));
        assertThat(table.rows("id, IFNULL(name, 'null')"))
                .containsExactly(List.of("1", "a\"ö"), List.of("2", "null"));
        write(
                environment
                        .fromData(1)
                        .map(any -> named)
                        .returns(
                                Types.ROW_NAMED(
                                        new String[] {"id", "name"}, Types.INT, Types.STRING)),
                sink(table.identifier(), format(format), values(format)));
        assertThat(table.rows("name")).contains(List.of("named"));
    }

    private static RowSerializer values(String format) {
        return RowSerializer.builder()
                .setFieldNames(new String[] {"id", "name"})
                .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                .setType(format)
                .setFieldDelimiter("\t")
                .enableDelete(true)
                .build();
    }

    @Test
    void aSerializerThatThrowsFailsTheJobWithTheNumberOfTheRecord() {
        TargetTable table = unique();
        Failure failure =
                Failure.of(
                        () ->
                                write(
                                        table.identifier(),
                                        format("csv").setDeletable(false),
                                        new Numbered(),
                                        Types.STRING,
                                        List.of("1", "2", "secret", "4")));
        assertThat(failure.text())
                .contains(
                        Numbered.class.getName()
                                + " failed on record 3 of subtask 0, counted from 1 since the"
                                + " task's last start. What it holds is not shown.")
                .contains("IllegalStateException: no number")
                .doesNotContain("secret");
        // In batch mode a checkpoint before the failure makes rows visible.
        assertThat(table.count()).isBetween(0L, mode == WriteMode.STREAM_LOAD ? 0L : 2L);
    }

    /** Takes numbers only. */
    private static final class Numbered implements DorisRecordSerializer<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public DorisRecord serialize(String record) {
            if (!record.matches("[0-9]+")) {
                throw new IllegalStateException("no number");
            }
            return DorisRecord.of((record + "\tn").getBytes(StandardCharsets.UTF_8));
        }
    }
}
