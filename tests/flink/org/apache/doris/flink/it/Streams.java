package org.apache.doris.flink.it;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.function.FunctionWithException;

/** Streaming jobs whose rows go by a function of the test. */
final class Streams {

    private Streams() {}

    /** Starts a job that shows the rows of a query to a recorder. */
    static JobClient record(StreamTableEnvironment sql, String query, Recorder recorder)
            throws Exception {
        return start(sql, query, rows -> rows.map(recorder));
    }

    /** Starts a job that does something with the rows of a query. */
    static JobClient start(
            StreamTableEnvironment sql,
            String query,
            FunctionWithException<DataStream<Row>, DataStream<Long>, Exception> what)
            throws Exception {
        DataStream<Row> rows = sql.toDataStream(sql.sqlQuery(query));
        what.apply(rows).sinkTo(new DiscardingSink<>());
        StreamExecutionEnvironment environment = rows.getExecutionEnvironment();
        return environment.executeAsync(query);
    }
}
