package doris.connector.job;

import org.apache.doris.flink.cfg.ConfigurationOptions;
import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisLookupOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.cfg.DorisStreamOptions;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.deserialization.RowDataDeserializationSchema;
import org.apache.doris.flink.deserialization.SimpleListDeserializationSchema;
import org.apache.doris.flink.deserialization.converter.DorisRowConverter;
import org.apache.doris.flink.exception.DorisException;
import org.apache.doris.flink.exception.DorisRuntimeException;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.batch.DorisBatchSink;
import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.doris.flink.sink.writer.LoadConstants;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowDataSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.doris.flink.sink.writer.serializer.SimpleStringSerializer;
import org.apache.doris.flink.source.DorisSource;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * A job of the official connector: everything it offers to jobs, used as its documentation does.
 * Compiled against that connector, run on it and on ours.
 *
 * <p>Arguments: front end, database, Flight port, and the cases to be run in turn. What is read is
 * printed, a line {@code case|row} per row.
 */
public final class OfficialJob {

    private static final String[] NAMES = {"id", "name", "price", "day", "moment"};
    private static final DataType[] TYPES = {
        DataTypes.INT(),
        DataTypes.STRING(),
        DataTypes.DECIMAL(10, 2),
        DataTypes.DATE(),
        DataTypes.TIMESTAMP(6)
    };

    /** Its tasks run in this process. */
    private static final Queue<String> READ = new ConcurrentLinkedQueue<>();

    private final String fenodes;
    private final String database;
    private final int flightPort;

    private OfficialJob(String fenodes, String database, int flightPort) {
        this.fenodes = fenodes;
        this.database = database;
        this.flightPort = flightPort;
    }

    /** See the class. */
    public static void main(String[] args) throws Exception {
        OfficialJob job = new OfficialJob(args[0], args[1], Integer.parseInt(args[2]));
        for (String name : Arrays.asList(args).subList(3, args.length)) {
            job.run(name);
            System.out.println("done|" + name);
        }
    }

    private void run(String name) throws Exception {
        switch (name) {
            case "rowdata":
                write(
                        Arrays.asList(
                                rowData(RowKind.INSERT, 1, "a"),
                                rowData(RowKind.INSERT, 2, "ö"),
                                rowData(RowKind.INSERT, 3, null),
                                rowData(RowKind.DELETE, 1, "a")),
                        InternalTypeInfo.of(rowType()),
                        sink(
                                "rowdata",
                                execution("rowdata", "json").setDeletable(true),
                                rowData()));
                break;
            case "row":
                write(
                        Arrays.asList(
                                row(RowKind.INSERT, 1, "a"),
                                row(RowKind.INSERT, 2, "b c"),
                                row(RowKind.INSERT, 3, null),
                                row(RowKind.DELETE, 2, "b c")),
                        Types.ROW_NAMED(
                                NAMES,
                                Types.INT,
                                Types.STRING,
                                Types.BIG_DEC,
                                Types.LOCAL_DATE,
                                Types.LOCAL_DATE_TIME),
                        sink("row", execution("row", "csv").setDeletable(true), row()));
                break;
            case "strings":
                write(
                        Arrays.asList("1\ta", "2\t\\N", "3\tö😱"),
                        Types.STRING,
                        sink("strings", execution("strings", "csv"), new SimpleStringSerializer()));
                break;
            case "meta":
                write(
                        records("meta"),
                        TypeInformation.of(RecordWithMeta.class),
                        sink("", execution("meta", "json"), new RecordWithMetaSerializer()));
                break;
            case "custom":
                write(
                        Arrays.asList(1L, 2L, 3L, 4L),
                        Types.LONG,
                        sink("custom", execution("custom", "json"), new Longs()));
                break;
            case "batch":
                write(
                        Arrays.asList("1\ta", "2\t\\N", "3\tö"),
                        Types.STRING,
                        batchSink("batch", "csv", new SimpleStringSerializer()));
                break;
            case "batch-meta":
                write(
                        records("batch"),
                        TypeInformation.of(RecordWithMeta.class),
                        batchSink("", "json", new RecordWithMetaSerializer()));
                break;
            case "batch-mode":
                write(
                        Arrays.asList(
                                rowData(RowKind.INSERT, 1, "a"),
                                rowData(RowKind.INSERT, 2, "b"),
                                rowData(RowKind.DELETE, 1, "a")),
                        InternalTypeInfo.of(rowType()),
                        sink(
                                "batch_mode",
                                batch("json")
                                        .setDeletable(true)
                                        .setWriteMode(WriteMode.STREAM_LOAD_BATCH)
                                        .setBatchMode(true),
                                rowData()));
                break;
            case "read-list":
                read(
                        name,
                        new SimpleListDeserializationSchema(),
                        row ->
                                row.stream()
                                        .map(OfficialJob::shown)
                                        .collect(Collectors.joining(", ")));
                break;
            case "read-rowdata":
                read(
                        name,
                        new RowDataDeserializationSchema(rowType()),
                        row ->
                                row.getInt(0)
                                        + (row.isNullAt(2) ? "" : " " + row.getDecimal(2, 10, 2)));
                break;
            case "read-custom":
                read(name, new Products(), text -> text);
                break;
            case "options":
                options();
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private DorisOptions options(String table) {
        return DorisOptions.builder()
                .setFenodes(fenodes)
                .setTableIdentifier(table.isEmpty() ? "" : database + "." + table)
                .setUsername("root")
                .setPassword("")
                .build();
    }

    private DorisExecutionOptions.Builder execution(String label, String format) {
        Properties properties = new Properties();
        properties.setProperty(LoadConstants.FORMAT_KEY, format);
        if (format.equals(LoadConstants.JSON)) {
            properties.setProperty(LoadConstants.READ_JSON_BY_LINE, "true");
        }
        return DorisExecutionOptions.builder()
                .setLabelPrefix(database + "-" + label)
                .setDeletable(false)
                .setMaxRetries(2)
                .setBufferCount(3)
                .setBufferSize(1024 * 1024)
                .setWriteMode(WriteMode.STREAM_LOAD)
                .setStreamLoadProp(properties)
                .enable2PC();
    }

    private <T> Sink<T> sink(
            String table,
            DorisExecutionOptions.Builder execution,
            DorisRecordSerializer<T> serializer) {
        DorisSink.Builder<T> builder = DorisSink.builder();
        return builder.setDorisOptions(options(table))
                .setDorisReadOptions(DorisReadOptions.builder().build())
                .setDorisExecutionOptions(execution.build())
                .setSerializer(serializer)
                .build();
    }

    private DorisExecutionOptions.Builder batch(String format) {
        return execution("batch", format)
                .disable2PC()
                .setFlushQueueSize(2)
                .setBufferFlushMaxRows(10_000)
                .setBufferFlushMaxBytes(10 * 1024 * 1024)
                .setBufferFlushIntervalMs(1_000);
    }

    @SuppressWarnings("deprecation")
    private <T> Sink<T> batchSink(
            String table, String format, DorisRecordSerializer<T> serializer) {
        DorisBatchSink.Builder<T> builder = DorisBatchSink.builder();
        return builder.setDorisOptions(options(table))
                .setDorisReadOptions(DorisReadOptions.builder().build())
                .setDorisExecutionOptions(batch(format).build())
                .setSerializer(serializer)
                .build();
    }

    private static StreamExecutionEnvironment environment() {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "none");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        environment.enableCheckpointing(500);
        return environment;
    }

    private static <T> void write(List<T> records, TypeInformation<T> type, Sink<T> sink)
            throws Exception {
        StreamExecutionEnvironment environment = environment();
        environment.fromData(records, type).sinkTo(sink);
        environment.execute();
    }

    private <T> void read(
            String name, DorisDeserializationSchema<T> schema, MapFunction<T, String> text)
            throws Exception {
        DorisSource<T> source =
                DorisSource.<T>builder()
                        .setDorisOptions(options("products"))
                        .setDorisReadOptions(
                                DorisReadOptions.builder()
                                        .setUseFlightSql(true)
                                        .setFlightSqlPort(flightPort)
                                        .setReadFields("id,name,price,day,moment")
                                        .setFilterQuery("id < 4")
                                        .setRequestTabletSize(
                                                ConfigurationOptions.DORIS_TABLET_SIZE_DEFAULT)
                                        .build())
                        .setBoundedness(Boundedness.BOUNDED)
                        .setDeserializer(schema)
                        .build();
        StreamExecutionEnvironment environment = environment();
        // The lists themselves never leave their task.
        environment.getConfig().enableObjectReuse();
        READ.clear();
        environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), name)
                .map(row -> READ.add(text.map(row)))
                .returns(Types.BOOLEAN)
                .sinkTo(new DiscardingSink<>());
        environment.execute();
        List<String> rows = new ArrayList<>(READ);
        Collections.sort(rows);
        rows.forEach(row -> System.out.println(name + "|" + row));
    }

    /** Class and value; of decimals the number alone, since the official one drops zeros of it. */
    private static String shown(Object value) {
        Object plain =
                value instanceof BigDecimal ? ((BigDecimal) value).stripTrailingZeros() : value;
        return value == null ? "null" : value.getClass().getSimpleName() + " " + plain;
    }

    /** Options objects and exceptions, as jobs refer to them. */
    private void options() {
        Properties properties = new Properties();
        properties.setProperty(ConfigurationOptions.DORIS_FENODES, fenodes);
        properties.setProperty(ConfigurationOptions.TABLE_IDENTIFIER, database + ".products");
        properties.setProperty(ConfigurationOptions.DORIS_USER, "root");
        properties.setProperty(ConfigurationOptions.DORIS_PASSWORD, "");
        properties.setProperty(
                ConfigurationOptions.DORIS_BATCH_SIZE,
                ConfigurationOptions.DORIS_BATCH_SIZE_DEFAULT.toString());
        DorisStreamOptions stream = new DorisStreamOptions(properties);
        System.out.println("options|" + stream.getOptions().getTableIdentifier());
        System.out.println("options|" + stream.getReadOptions().getRequestBatchSize());
        DorisLookupOptions lookup =
                DorisLookupOptions.builder().setAsync(true).setCacheMaxSize(5).build();
        System.out.println("options|" + lookup.isAsync() + " " + lookup.getCacheMaxSize());
        DorisExecutionOptions defaults = DorisExecutionOptions.defaults();
        System.out.println("options|" + defaults.getStreamLoadProp().get("read_json_by_line"));
        System.out.println("options|" + WriteMode.of("stream_load"));
        try {
            throw new DorisException("checked");
        } catch (DorisException e) {
            System.out.println("options|" + new DorisRuntimeException(e).getMessage());
        }
    }

    private static RowType rowType() {
        return (RowType)
                DataTypes.ROW(
                                DataTypes.FIELD(NAMES[0], TYPES[0]),
                                DataTypes.FIELD(NAMES[1], TYPES[1]),
                                DataTypes.FIELD(NAMES[2], TYPES[2]),
                                DataTypes.FIELD(NAMES[3], TYPES[3]),
                                DataTypes.FIELD(NAMES[4], TYPES[4]))
                        .getLogicalType();
    }

    private static RowDataSerializer rowData() {
        return RowDataSerializer.builder()
                .setFieldNames(NAMES)
                .setFieldType(TYPES)
                .setType(LoadConstants.JSON)
                .enableDelete(true)
                .build();
    }

    private static RowSerializer row() {
        return RowSerializer.builder()
                .setFieldNames(NAMES)
                .setFieldType(TYPES)
                .setType(LoadConstants.CSV)
                .setFieldDelimiter("\t")
                .enableDelete(true)
                .build();
    }

    private static RowData rowData(RowKind kind, int id, String name) {
        Object[] values = {
            id, name, new BigDecimal("12.30"), LocalDate.of(2026, 10, 9), moment(id)
        };
        GenericRowData row = new DorisRowConverter(TYPES).convertInternal(Arrays.asList(values));
        row.setRowKind(kind);
        if (name != null) {
            row.setField(1, StringData.fromString(name));
        }
        return row;
    }

    private static Row row(RowKind kind, int id, String name) {
        return Row.ofKind(
                kind, id, name, new BigDecimal("12.30"), LocalDate.of(2026, 10, 9), moment(id));
    }

    private static LocalDateTime moment(int id) {
        return LocalDateTime.of(2026, 10, 9, 10, 0, id, 123_456_000);
    }

    private List<RecordWithMeta> records(String prefix) {
        RecordWithMeta set = new RecordWithMeta();
        set.setDatabase(database);
        set.setTable(prefix + "_b");
        set.setRecord("{\"id\":2,\"name\":\"b\"}");
        return Arrays.asList(
                new RecordWithMeta(database, prefix + "_a", "{\"id\":1,\"name\":\"a\"}"),
                set,
                new RecordWithMeta(database, prefix + "_a", "{\"id\":3,\"name\":\"c\"}"));
    }

    /** Numbers as rows; leaves some out, and adds one at the end. */
    private static final class Longs implements DorisRecordSerializer<Long> {

        private static final long serialVersionUID = 1L;

        private boolean open;
        private boolean flushed;

        @Override
        public void initial() {
            open = true;
        }

        @Override
        public DorisRecord serialize(Long number) throws IOException {
            if (!open) {
                throw new IOException("not opened");
            }
            if (number == 2) {
                return null;
            }
            return number == 3 ? DorisRecord.empty : line(number);
        }

        @Override
        public DorisRecord flush() {
            if (flushed || !open) {
                return DorisRecord.empty;
            }
            flushed = true;
            return line(99);
        }

        private static DorisRecord line(long number) {
            String json = "{\"id\":" + number + ",\"name\":\"n" + number + "\"}";
            return DorisRecord.of(json.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Two records of each row. */
    private static final class Products implements DorisDeserializationSchema<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(List<?> record, Collector<String> out) {
            if (record.get(2) == null) {
                return;
            }
            BigDecimal price = (BigDecimal) record.get(2);
            LocalDate day = (LocalDate) record.get(3);
            LocalDateTime moment = (LocalDateTime) record.get(4);
            out.collect(record.get(0) + " " + record.get(1) + " " + price.setScale(1));
            out.collect(day.getYear() + " " + moment.getSecond());
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
