package org.apache.doris.flink.sink;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.committer.DorisCommittableSerializer;
import org.apache.doris.flink.sink.committer.DorisCommitter;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.writer.DorisWriter;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.WriterState;
import org.apache.doris.flink.sink.writer.WriterStateSerializer;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * The sink: streams rows to Doris while they come, pre-commits at each checkpoint and commits when
 * it has completed, so that every row is in the table exactly once. Building it touches neither the
 * cluster nor the native library. What it promises and what it needs for that:
 * docs/exactly-once.md.
 */
@PublicEvolving
public class DorisSink<IN>
        implements Sink<IN>,
                SupportsWriterState<IN, WriterState>,
                SupportsCommitter<DorisCommittable>,
                SupportsPreWriteTopology<IN> {

    private static final long serialVersionUID = 1L;

    private final SinkConfig config;
    private final DorisRecordSerializer<IN> serializer;

    /** Learned when the job is put together, before the sink is sent to the machines. */
    private CheckpointPlan checkpoints = CheckpointPlan.UNKNOWN;

    /**
     * A sink for DataStream jobs, as {@link #builder} makes it.
     *
     * @throws org.apache.flink.table.api.ValidationException for whatever is wrong with the options
     */
    public DorisSink(
            DorisOptions options,
            DorisReadOptions readOptions,
            DorisExecutionOptions executionOptions,
            DorisRecordSerializer<IN> serializer) {
        this(options, readOptions, executionOptions, serializer, null);
    }

    /**
     * A sink with a mode of its own.
     *
     * @param mode null for what the options say
     */
    protected DorisSink(
            DorisOptions options,
            DorisReadOptions readOptions,
            DorisExecutionOptions executionOptions,
            DorisRecordSerializer<IN> serializer,
            WriteMode mode) {
        DorisSinkBuilder<IN> builder = new DorisSinkBuilder<>();
        builder.setOptions(options);
        builder.setReadOptions(readOptions);
        builder.setExecutionOptions(executionOptions);
        builder.setSerializer(serializer);
        builder.setMode(mode);
        this.config = builder.config();
        this.serializer = builder.serializer();
    }

    DorisSink(SinkConfig config, DorisRecordSerializer<IN> serializer) {
        this.config = config;
        this.serializer = serializer;
    }

    /** A builder for DataStream jobs. */
    public static <IN> Builder<IN> builder() {
        return new Builder<>();
    }

    /** A sink of internal rows, as the Table API wants it; the configuration declares columns. */
    public static DorisSink<RowData> rowData(SinkConfig config) {
        if (config.declared().isEmpty()) {
            throw new IllegalArgumentException("A sink of rows needs their columns.");
        }
        return new DorisSink<>(config, null);
    }

    @Override
    public StatefulSinkWriter<IN, WriterState> createWriter(WriterInitContext context)
            throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public StatefulSinkWriter<IN, WriterState> restoreWriter(
            WriterInitContext context, Collection<WriterState> recovered) throws IOException {
        return writer(config, context, recovered);
    }

    /** A writer of this sink with another configuration. */
    final StatefulSinkWriter<IN, WriterState> writer(
            SinkConfig config, WriterInitContext context, Collection<WriterState> recovered)
            throws IOException {
        return DorisWriter.create(config, checkpoints, serializer, context, recovered);
    }

    @Override
    public SimpleVersionedSerializer<WriterState> getWriterStateSerializer() {
        return WriterStateSerializer.INSTANCE;
    }

    @Override
    public Committer<DorisCommittable> createCommitter(CommitterInitContext context) {
        return DorisCommitter.create(config, checkpoints, context);
    }

    @Override
    public SimpleVersionedSerializer<DorisCommittable> getCommittableSerializer() {
        return DorisCommittableSerializer.INSTANCE;
    }

    /** Adds nothing: this is where a sink can see the checkpoint settings of its job. */
    @Override
    public DataStream<IN> addPreWriteTopology(DataStream<IN> input) {
        checkpoints = CheckpointPlan.of(input);
        return input;
    }

    /** What the sink knows of the job's checkpoints. */
    CheckpointPlan checkpoints() {
        return checkpoints;
    }

    @Override
    public String toString() {
        return "DorisSink{" + config + '}';
    }

    /** Builds sinks from options objects, which are read and never changed. */
    public static class Builder<IN> {

        private DorisOptions options;
        private DorisReadOptions readOptions;
        private DorisExecutionOptions executionOptions;
        private DorisRecordSerializer<IN> serializer;

        /** A builder without any value. */
        public Builder() {}

        /** Cluster, login and, unless every record names its own, the table. */
        public Builder<IN> setDorisOptions(DorisOptions options) {
            this.options = options;
            return this;
        }

        /** Time limits of requests; the defaults if it is not called. */
        public Builder<IN> setDorisReadOptions(DorisReadOptions options) {
            this.readOptions = options;
            return this;
        }

        /** How to write. */
        public Builder<IN> setDorisExecutionOptions(DorisExecutionOptions options) {
            this.executionOptions = options;
            return this;
        }

        /** What turns records into rows. */
        public Builder<IN> setSerializer(DorisRecordSerializer<IN> serializer) {
            this.serializer = serializer;
            return this;
        }

        /**
         * The sink.
         *
         * @throws org.apache.flink.table.api.ValidationException for whatever is wrong with the
         *     options
         */
        public DorisSink<IN> build() {
            return new DorisSink<>(options, readOptions, executionOptions, serializer);
        }
    }
}
