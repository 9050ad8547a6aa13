package org.apache.doris.flink.chaos.job;

import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The job of a run: updates and deletes into a Unique table, their keys hashed to the subtasks, and
 * two streams of inserts into one Duplicate table, by two sinks and all subtasks. In batch mode the
 * second stream is a DataStream sink's that routes each row to one of two Duplicate tables.
 */
public final class ChaosJob {

    /** Database of all tables. */
    public static final String DATABASE = "chaos";

    /** Takes the updates. */
    public static final String UNIQUE = "latest";

    /** Takes both streams of inserts, in batch mode the first one. */
    public static final String DUPLICATE = "all_rows";

    private static final String ROUTED = "routed_";
    private static final int ROUTED_TABLES = 2;

    private static final ChangelogMode CHANGES =
            ChangelogMode.newBuilder()
                    .addContainedKind(RowKind.INSERT)
                    .addContainedKind(RowKind.UPDATE_BEFORE)
                    .addContainedKind(RowKind.UPDATE_AFTER)
                    .addContainedKind(RowKind.DELETE)
                    .build();

    private ChaosJob() {}

    /** What the server needs before the job runs. */
    public static String[] tables() {
        List<String> tables = new ArrayList<>();
        tables.add("CREATE DATABASE " + DATABASE);
        tables.add(
                "CREATE TABLE "
                        + DATABASE
                        + "."
                        + UNIQUE
                        + " (k BIGINT NOT NULL, p INT, n BIGINT, v VARCHAR(200)) UNIQUE KEY(k)"
                        + " DISTRIBUTED BY HASH(k) BUCKETS 2"
                        + " PROPERTIES (\"replication_num\" = \"1\")");
        tables.add(duplicate(DUPLICATE));
        for (int i = 0; i < ROUTED_TABLES; i++) {
            tables.add(duplicate(routed(i)));
        }
        return tables.toArray(new String[0]);
    }

    private static String duplicate(String table) {
        return "CREATE TABLE "
                + DATABASE
                + "."
                + table
                + " (s INT, p INT, n BIGINT, v VARCHAR(200)) DUPLICATE KEY(s, p, n)"
                + " DISTRIBUTED BY HASH(n) BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")";
    }

    /** The table that a routed row of this position goes to. */
    public static String routed(long position) {
        return ROUTED + position % ROUTED_TABLES;
    }

    /** All rows of both streams of inserts; the side of one in a table of others is -1. */
    public static String inserts() {
        StringBuilder query =
                new StringBuilder("SELECT s, p, n, v FROM " + DATABASE + "." + DUPLICATE);
        for (int i = 0; i < ROUTED_TABLES; i++) {
            query.append(
                    String.format(
                            " UNION ALL SELECT CASE WHEN n %% %d = %d THEN s ELSE -1 END, p, n, v"
                                    + " FROM %s.%s",
                            ROUTED_TABLES, i, DATABASE, routed(i)));
        }
        return query.toString();
    }

    /**
     * Submits the job.
     *
     * @param configuration where to, parallelism, checkpoints, what to restore
     * @param routed whether the second stream of inserts is routed
     * @param options options of all sinks besides table and format
     */
    public static JobClient submit(
            Configuration configuration,
            long seed,
            String control,
            boolean routed,
            Map<String, String> options)
            throws Exception {
        StreamExecutionEnvironment flink = new StreamExecutionEnvironment(configuration);
        StreamTableEnvironment sql = StreamTableEnvironment.create(flink);
        ChaosRows rows = new ChaosRows(seed);
        StreamStatementSet inserts = sql.createStatementSet();

        updates(flink, sql, rows, control);
        sink(sql, "latest", "k BIGINT NOT NULL, PRIMARY KEY (k) NOT ENFORCED", options, "json");
        inserts.addInsertSql("INSERT INTO latest SELECT k, p, n, v FROM updates");

        inserts(flink, sql, rows, Stream.SIDE_A, control);
        sink(sql, "all_rows_a", "s INT", options, "csv");
        inserts.addInsertSql("INSERT INTO all_rows_a SELECT s, p, n, v FROM side_a");

        if (routed) {
            hooked(flink, rows, Stream.SIDE_B, control)
                    .map(new RoutedSink.Route())
                    .uid("route")
                    .sinkTo(RoutedSink.of(options))
                    .uid("routed");
        } else {
            inserts(flink, sql, rows, Stream.SIDE_B, control);
            sink(sql, "all_rows_b", "s INT", options, "arrow");
            inserts.addInsertSql("INSERT INTO all_rows_b SELECT s, p, n, v FROM side_b");
        }

        inserts.attachAsDataStream();
        return flink.executeAsync("chaos");
    }

    private static void updates(
            StreamExecutionEnvironment flink,
            StreamTableEnvironment sql,
            ChaosRows rows,
            String control) {
        TypeInformation<Row> type = type("k", Types.LONG);
        DataStream<Row> changes =
                source(flink, rows, Stream.UPDATES, control, type)
                        .keyBy(row -> (Long) row.getField(0))
                        .transform(
                                Stream.UPDATES.operator(),
                                type,
                                new HookOperator(Stream.UPDATES.operator(), control).chained())
                        .uid(Stream.UPDATES.operator());
        sql.createTemporaryView(
                "updates",
                sql.fromChangelogStream(
                        changes, schema("k", true).primaryKey("k").build(), CHANGES));
    }

    private static void inserts(
            StreamExecutionEnvironment flink,
            StreamTableEnvironment sql,
            ChaosRows rows,
            Stream stream,
            String control) {
        sql.createTemporaryView(
                stream.name().toLowerCase(java.util.Locale.ROOT),
                sql.fromDataStream(
                        hooked(flink, rows, stream, control), schema("s", false).build()));
    }

    /** Inserts, with the operator that breaks their tasks. */
    private static DataStream<Row> hooked(
            StreamExecutionEnvironment flink, ChaosRows rows, Stream stream, String control) {
        TypeInformation<Row> type = type("s", Types.INT);
        return source(flink, rows, stream, control, type)
                .transform(
                        stream.operator(),
                        type,
                        new HookOperator(stream.operator(), control).chained())
                .uid(stream.operator());
    }

    private static SingleOutputStreamOperator<Row> source(
            StreamExecutionEnvironment flink,
            ChaosRows rows,
            Stream stream,
            String control,
            TypeInformation<Row> type) {
        String name = "source-" + stream.operator();
        return flink.fromSource(
                        new ChaosSource(rows, stream, control, type),
                        WatermarkStrategy.noWatermarks(),
                        name)
                .uid(name);
    }

    private static TypeInformation<Row> type(String first, TypeInformation<?> type) {
        return Types.ROW_NAMED(
                new String[] {first, "p", "n", "v"}, type, Types.INT, Types.LONG, Types.STRING);
    }

    private static Schema.Builder schema(String first, boolean key) {
        return Schema.newBuilder()
                .column(first, key ? DataTypes.BIGINT().notNull() : DataTypes.INT())
                .column("p", DataTypes.INT())
                .column("n", DataTypes.BIGINT())
                .column("v", DataTypes.STRING());
    }

    private static void sink(
            StreamTableEnvironment sql,
            String name,
            String first,
            Map<String, String> options,
            String format) {
        StringBuilder with = new StringBuilder();
        options.forEach(
                (key, value) ->
                        with.append(", '").append(key).append("' = '").append(value).append("'"));
        String table = name.startsWith(DUPLICATE) ? DUPLICATE : UNIQUE;
        String key = first.contains(",") ? first.substring(first.indexOf(',')) : "";
        sql.executeSql(
                String.format(
                        "CREATE TEMPORARY TABLE %s (%s, p INT, n BIGINT, v STRING%s) WITH"
                                + " ('table.identifier' = '%s.%s', 'sink.properties.format' ="
                                + " '%s'%s)",
                        name, first.replaceFirst(",.*", ""), key, DATABASE, table, format, with));
    }
}
