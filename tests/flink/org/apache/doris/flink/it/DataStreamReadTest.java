package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.deserialization.RowDataDeserializationSchema;
import org.apache.doris.flink.deserialization.SimpleListDeserializationSchema;
import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisSource;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Jobs that build the source themselves, as they do for the official connector. */
@Timeout(90)
class DataStreamReadTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.kinds (id INT, b BOOLEAN, t TINYINT, s SMALLINT, l BIGINT, huge"
                    + " LARGEINT, f FLOAT, d DOUBLE, m DECIMAL(10, 2), day DATE, moment"
                    + " DATETIME(6), text VARCHAR(20), items ARRAY<INT>, pairs MAP<STRING, INT>,"
                    + " parts STRUCT<x:INT, y:STRING>) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id)"
                    + " BUCKETS 3 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.kinds VALUES (1, true, 2, 3, 4,"
                        + " 170141183460469231731687303715884105727, 1.5, -2.5, 12.30,"
                        + " '2026-10-09', '2026-10-09 10:00:00.123456', 'ö',"
                        + " array(1, NULL), map('a', 1), named_struct('x', 7, 'y', 'z'))",
                "INSERT INTO test.kinds (id) VALUES (2)");
    }

    @Test
    void aRowIsAListOfValues() throws Exception {
        assertThat(texts(DorisReadOptions.defaults()))
                .containsExactlyInAnyOrder(
                        "1 Integer, true Boolean, 2 Byte, 3 Short, 4 Long,"
                                + " 170141183460469231731687303715884105727 String, 1.5 Float,"
                                + " -2.5 Double, 12.30 BigDecimal, 2026-10-09 LocalDate,"
                                + " 2026-10-09T10:00:00.123456 LocalDateTime, ö String,"
                                + " [1, null] ArrayList, {a=1} LinkedHashMap,"
                                + " {x=7, y=z} LinkedHashMap",
                        "2 Integer" + ", null".repeat(14));
    }

    @Test
    void fieldsAreChosenByNameAndRowsByAFilter() throws Exception {
        assertThat(
                        texts(
                                DorisReadOptions.builder()
                                        .setReadFields("`text`, ID")
                                        .setFilterQuery("id = 1")
                                        .build()))
                .containsExactly("ö String, 1 Integer");
    }

    @Test
    void aFieldThatIsNotThereIsNamedWithTheNearest() {
        Failure failure =
                Failure.of(
                        () -> texts(DorisReadOptions.builder().setReadFields("id, txt").build()));
        assertThat(failure.text()).contains("'txt' does not exist").contains("'text'");
    }

    @Test
    void rowsStayFlinksOwn() throws Exception {
        DorisSource<RowData> source =
                DorisSource.<RowData>builder()
                        .setDorisOptions(options("test.kinds"))
                        .setDeserializer(new RowDataDeserializationSchema(type("id", "text")))
                        .build();
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<RowData> iterator = stream(source)) {
            iterator.forEachRemaining(
                    row ->
                            rows.add(
                                    row.getInt(0)
                                            + " "
                                            + (row.isNullAt(1) ? null : row.getString(1))));
        }
        assertThat(rows).containsExactlyInAnyOrder("1 ö", "2 null");
    }

    @Test
    void changesReachASchemaWithWhatTheyTell() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DorisSource<String> source =
                DorisSource.<String>builder()
                        .setDorisOptions(options(table.identifier()))
                        .setDorisReadOptions(
                                DorisReadOptions.builder()
                                        .setScanMode(DorisSourceScanMode.INITIAL)
                                        .setBinlogIncrementType(DorisBinlogIncrementType.DETAIL)
                                        .setBinlogPollIntervalMs(1000L)
                                        .build())
                        .setDeserializer(new Texts())
                        .build();
        List<String> seen = new ArrayList<>();
        try (CloseableIterator<String> rows = stream(source)) {
            seen.add(rows.next());
            table.run("UPDATE T SET age = 19 WHERE id = 1", "DELETE FROM T WHERE id = 1");
            while (seen.size() < 4) {
                String row = rows.next();
                // What was committed in the second of the start may come as a change, too.
                if (!row.startsWith("+I")) {
                    seen.add(row);
                }
            }
        }
        assertThat(seen)
                .containsExactly(
                        "+I [1, Alice, 18] null false",
                        "-U [1, Alice, 18] 2 true",
                        "+U [1, Alice, 19] 3 true",
                        "-D [1, Alice, 19] 1 true");
    }

    @Test
    void changesKeepTheirKindAsRows() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        DorisSource<RowData> source =
                DorisSource.<RowData>builder()
                        .setDorisOptions(options(table.identifier()))
                        .setDorisReadOptions(
                                DorisReadOptions.builder()
                                        .setScanMode(DorisSourceScanMode.FROM_TIMESTAMP)
                                        .setScanTimestamp("2020-01-01 00:00:00")
                                        .setChangelogPollIntervalMs(1000L)
                                        .build())
                        .setDeserializer(new RowDataDeserializationSchema(type("id", "name")))
                        .build();
        table.run(
                "INSERT INTO T VALUES (1, 'Alice', 18)", "UPDATE T SET name = 'Ann' WHERE id = 1");
        List<String> seen = new ArrayList<>();
        try (CloseableIterator<RowData> rows = stream(source)) {
            while (seen.size() < 3) {
                RowData row = rows.next();
                seen.add(
                        row.getRowKind().shortString()
                                + " "
                                + row.getInt(0)
                                + " "
                                + row.getString(1));
            }
        }
        assertThat(seen).containsExactly("+I 1 Alice", "-U 1 Alice", "+U 1 Ann");
    }

    private static RowType type(String id, String text) {
        return RowType.of(
                new LogicalType[] {new IntType(), new VarCharType(VarCharType.MAX_LENGTH)},
                new String[] {id, text});
    }

    private static DorisOptions options(String table) {
        return DorisOptions.builder()
                .setFenodes(DORIS.fenodes())
                .setTableIdentifier(table)
                .setUsername("root")
                .setPassword("")
                .build();
    }

    /** Each row with the classes of its values; the lists themselves never leave their task. */
    private static List<String> texts(DorisReadOptions read) throws Exception {
        DorisSource<List<?>> source =
                DorisSource.<List<?>>builder()
                        .setDorisOptions(options("test.kinds"))
                        .setDorisReadOptions(read)
                        .setDeserializer(new SimpleListDeserializationSchema())
                        .build();
        List<String> texts = new ArrayList<>();
        try (CloseableIterator<String> rows =
                environment("pipeline.object-reuse", "true")
                        .fromSource(source, WatermarkStrategy.noWatermarks(), "doris")
                        .map(DataStreamReadTest::text)
                        .executeAndCollect()) {
            rows.forEachRemaining(texts::add);
        }
        return texts;
    }

    private static String text(List<?> row) {
        return row.stream()
                .map(
                        value ->
                                value == null
                                        ? "null"
                                        : value + " " + value.getClass().getSimpleName())
                .collect(Collectors.joining(", "));
    }

    private static <T> CloseableIterator<T> stream(DorisSource<T> source) throws Exception {
        return environment()
                .fromSource(source, WatermarkStrategy.noWatermarks(), "doris")
                .executeAndCollect();
    }

    private static StreamExecutionEnvironment environment(String... further) {
        List<String> settings =
                new ArrayList<>(
                        List.of(
                                "execution.checkpointing.interval", "200 ms",
                                "restart-strategy.type", "none",
                                "parallelism.default", "2"));
        settings.addAll(List.of(further));
        return FLINK.environment(settings.toArray(new String[0]));
    }

    /** Kind, values, operation, and whether it has a number. */
    private static final class Texts implements DorisDeserializationSchema<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(List<?> record, Collector<String> out) {
            throw new AssertionError("The record itself is asked for.");
        }

        @Override
        public void deserialize(DorisSourceRecord record, Collector<String> out) {
            String values =
                    record.getFieldValues().stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(", "));
            out.collect(
                    String.format(
                            "%s [%s] %s %s",
                            record.getRowKind().shortString(),
                            values,
                            record.getBinlogOp(),
                            record.getBinlogTso() != null && record.getBinlogLsn() != null));
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
