package org.apache.doris.flink.chaos.job;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

import java.util.Map;

/**
 * The job of a run that follows a table: the source, an operator with hooks, and what keeps rows.
 */
public final class FollowJob {

    /** Name of the operator with hooks. */
    public static final String OPERATOR = "followed";

    /** Columns of the followed table and metadata of its changes, in the order of the kept rows. */
    private static final String COLUMNS =
            "k BIGINT, p INT, n BIGINT, v STRING, op STRING METADATA, tso BIGINT METADATA,"
                    + " lsn BIGINT METADATA";

    private FollowJob() {}

    /**
     * Submits the job.
     *
     * @param configuration where to, parallelism, checkpoints, what to restore
     * @param kept the folder that takes the rows
     * @param keyed whether rows are hashed by key behind the source: then all tasks start again
     *     together, else each by itself
     * @param options options of the table
     */
    public static JobClient submit(
            Configuration configuration,
            String control,
            String kept,
            boolean keyed,
            Map<String, String> options)
            throws Exception {
        StreamExecutionEnvironment flink = new StreamExecutionEnvironment(configuration);
        StreamTableEnvironment sql = StreamTableEnvironment.create(flink);
        StringBuilder with = new StringBuilder();
        options.forEach(
                (key, value) ->
                        with.append(with.length() == 0 ? "" : ", ")
                                .append(String.format("'%s' = '%s'", key, value)));
        sql.executeSql(
                String.format("CREATE TEMPORARY TABLE followed (%s) WITH (%s)", COLUMNS, with));
        DataStream<Row> changes = sql.toChangelogStream(sql.from("followed"));
        TypeInformation<Row> type = changes.getType();
        DataStream<Row> routed =
                keyed ? changes.keyBy(row -> String.valueOf(row.getField(0))) : changes;
        routed.transform(OPERATOR, type, new HookOperator(OPERATOR, control).chained())
                .uid(OPERATOR)
                .map(new KeptChanges(kept))
                .uid("kept")
                .sinkTo(new DiscardingSink<>())
                .uid("none");
        return flink.executeAsync("chaos-changelog");
    }
}
