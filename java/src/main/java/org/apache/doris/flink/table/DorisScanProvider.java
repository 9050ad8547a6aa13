package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.DorisSource;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.data.RowData;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A source that needs more of the job than its own options: watermarks that are made per split, the
 * checkpoint interval, the other sources of the statement.
 */
final class DorisScanProvider implements DataStreamScanProvider {

    private final ScanConfig scan;
    private final TypeInformation<RowData> type;
    private final WatermarkStrategy<RowData> watermarks;
    private final Integer parallelism;
    private final ReadableConfig planner;

    /**
     * @param watermarks as the planner pushed it down
     * @param parallelism of the source, or null for the planner's
     * @param planner the planner's configuration, as it is when it is read
     */
    DorisScanProvider(
            ScanConfig scan,
            TypeInformation<RowData> type,
            WatermarkStrategy<RowData> watermarks,
            Integer parallelism,
            ReadableConfig planner) {
        this.scan = scan;
        this.type = type;
        this.watermarks = watermarks;
        this.parallelism = parallelism;
        this.planner = planner;
    }

    @Override
    public boolean isBounded() {
        return scan.changelog().scanMode().isSnapshotOnly();
    }

    @Override
    public Optional<Integer> getParallelism() {
        return Optional.ofNullable(parallelism);
    }

    /** Called once for each source that becomes part of a job. */
    @Override
    public DataStream<RowData> produceDataStream(
            ProviderContext context, StreamExecutionEnvironment environment) {
        ConsumerIds.take(scan, planner, environment);
        var stream =
                environment.fromSource(
                        DorisSource.rowData(
                                scan.withCheckpointInterval(checkpointInterval(environment)), type),
                        watermarks,
                        "Doris[" + scan.connection().table() + "]",
                        type);
        context.generateUid("doris-source").ifPresent(stream::uid);
        return stream;
    }

    /** What a statement sets reaches the environment only when the job is submitted. */
    private OptionalLong checkpointInterval(StreamExecutionEnvironment environment) {
        Optional<Duration> set = planner.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL);
        if (set.isPresent()) {
            return OptionalLong.of(set.get().toMillis());
        }
        return OptionalLong.of(
                environment.getCheckpointConfig().isCheckpointingEnabled()
                        ? environment.getCheckpointConfig().getCheckpointInterval()
                        : 0);
    }
}
