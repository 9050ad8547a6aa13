package doris.connector.bench;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A table that throws rows away and counts them in this JVM, so that a job without an end can be
 * stopped when it has read what there is.
 */
public final class CountedRows implements DynamicTableSinkFactory {

    private static final AtomicLong ROWS = new AtomicLong();

    /** How many rows came so far, by all jobs of this JVM. */
    static long count() {
        return ROWS.get();
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        return new Table();
    }

    @Override
    public String factoryIdentifier() {
        return "counted-rows";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    private static final class Table implements DynamicTableSink {

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requested) {
            return requested;
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            return new DataStreamSinkProvider() {
                @Override
                public DataStreamSink<?> consumeDataStream(
                        ProviderContext provider, DataStream<RowData> rows) {
                    return rows.map(row -> ROWS.incrementAndGet()).sinkTo(new DiscardingSink<>());
                }
            };
        }

        @Override
        public DynamicTableSink copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "counted rows";
        }
    }
}
