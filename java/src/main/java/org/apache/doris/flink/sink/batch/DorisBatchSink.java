package org.apache.doris.flink.sink.batch;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.flink.annotation.PublicEvolving;

/**
 * The sink in batch mode, whatever its options say of the mode.
 *
 * @deprecated {@link DorisSink} with {@link WriteMode#STREAM_LOAD_BATCH} is the same
 */
@Deprecated
@PublicEvolving
public class DorisBatchSink<IN> extends DorisSink<IN> {

    private static final long serialVersionUID = 1L;

    private final DorisReadOptions readOptions;

    /**
     * A sink as {@link #builder} makes it.
     *
     * @throws org.apache.flink.table.api.ValidationException for whatever is wrong with the options
     */
    public DorisBatchSink(
            DorisOptions options,
            DorisReadOptions readOptions,
            DorisExecutionOptions executionOptions,
            DorisRecordSerializer<IN> serializer) {
        super(options, readOptions, executionOptions, serializer, WriteMode.STREAM_LOAD_BATCH);
        this.readOptions = readOptions;
    }

    /** A builder for DataStream jobs. */
    public static <IN> Builder<IN> builder() {
        return new Builder<>();
    }

    /** What was given as such; may be null. */
    public DorisReadOptions getDorisReadOptions() {
        return readOptions;
    }

    /** Builds sinks from options objects, which are read and never changed. */
    public static class Builder<IN> extends DorisSink.Builder<IN> {

        private DorisOptions options;
        private DorisReadOptions readOptions = DorisReadOptions.defaults();
        private DorisExecutionOptions executionOptions;
        private DorisRecordSerializer<IN> serializer;

        /** A builder without any value. */
        public Builder() {}

        @Override
        public Builder<IN> setDorisOptions(DorisOptions options) {
            this.options = options;
            return this;
        }

        @Override
        public Builder<IN> setDorisReadOptions(DorisReadOptions options) {
            this.readOptions = options;
            return this;
        }

        @Override
        public Builder<IN> setDorisExecutionOptions(DorisExecutionOptions options) {
            this.executionOptions = options;
            return this;
        }

        @Override
        public Builder<IN> setSerializer(DorisRecordSerializer<IN> serializer) {
            this.serializer = serializer;
            return this;
        }

        @Override
        public DorisBatchSink<IN> build() {
            return new DorisBatchSink<>(options, readOptions, executionOptions, serializer);
        }
    }
}
