package org.apache.doris.flink.source;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.source.enumerator.DorisEnumerator;
import org.apache.doris.flink.source.enumerator.EnumeratorState;
import org.apache.doris.flink.source.enumerator.EnumeratorStateSerializer;
import org.apache.doris.flink.source.reader.DorisSourceReader;
import org.apache.doris.flink.source.reader.RowEmitter;
import org.apache.doris.flink.source.schema.LearnedColumns;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;

/**
 * The source: reads the content of a Doris table, split by tablets, and finishes, or follows its
 * changes, with or without the content first. Building it touches neither the cluster nor the
 * native library.
 *
 * <p>Guarantee: every row of each split's version once; a split that was under way when a job fails
 * is read again as a whole, since Doris gives its rows no stable order. Every change at least once
 * while the server keeps it; once as a rule, since changes have an order.
 */
@PublicEvolving
public class DorisSource<OUT>
        implements Source<OUT, DorisSplit, EnumeratorState>, ResultTypeQueryable<OUT> {

    private static final long serialVersionUID = 1L;

    private final ScanConfig scan;
    private final Boundedness boundedness;
    private final TypeInformation<OUT> producedType;
    private final RowOutput<OUT> rows;

    private DorisSource(
            ScanConfig scan,
            Boundedness boundedness,
            TypeInformation<OUT> producedType,
            RowOutput<OUT> rows) {
        this.scan = scan;
        this.boundedness =
                scan.changelog().scanMode().isSnapshotOnly()
                        ? boundedness
                        : Boundedness.CONTINUOUS_UNBOUNDED;
        this.producedType = producedType;
        this.rows = rows;
    }

    /**
     * A source for DataStream jobs, as {@link #builder} makes it.
     *
     * @param boundedness boundedness of a snapshot read; one that follows changes is unbounded
     */
    public DorisSource(
            DorisOptions options,
            DorisReadOptions readOptions,
            Boundedness boundedness,
            DorisDeserializationSchema<OUT> deserializer) {
        this(
                StreamRows.plan(options, readOptions, boundedness, deserializer),
                boundedness == null ? Boundedness.BOUNDED : boundedness,
                deserializer.getProducedType(),
                StreamRows.output(deserializer));
    }

    /** A builder for DataStream jobs. */
    public static <OUT> DorisSourceBuilder<OUT> builder() {
        return new DorisSourceBuilder<>();
    }

    /** A source of internal rows, as the Table API wants it. */
    public static DorisSource<RowData> rowData(
            ScanConfig scan, TypeInformation<RowData> producedType) {
        return new DorisSource<>(
                scan, Boundedness.BOUNDED, producedType, columns -> RowEmitter.rowData());
    }

    @Override
    public Boundedness getBoundedness() {
        return boundedness;
    }

    @Override
    public SourceReader<OUT, DorisSplit> createReader(SourceReaderContext context)
            throws Exception {
        ScanConfig declared = LearnedColumns.declare(scan, () -> false);
        return DorisSourceReader.create(context, declared, rows.emitter(declared.producedType()));
    }

    @Override
    public SplitEnumerator<DorisSplit, EnumeratorState> createEnumerator(
            SplitEnumeratorContext<DorisSplit> context) {
        return DorisEnumerator.create(context, scan);
    }

    @Override
    public SplitEnumerator<DorisSplit, EnumeratorState> restoreEnumerator(
            SplitEnumeratorContext<DorisSplit> context, EnumeratorState checkpoint) {
        return DorisEnumerator.restore(context, scan, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<DorisSplit> getSplitSerializer() {
        return DorisSplitSerializer.INSTANCE;
    }

    @Override
    public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
        return EnumeratorStateSerializer.INSTANCE;
    }

    @Override
    public TypeInformation<OUT> getProducedType() {
        return producedType;
    }

    /** What is read and how. */
    ScanConfig scan() {
        return scan;
    }

    @Override
    public String toString() {
        return "DorisSource{" + scan.connection().table() + '}';
    }

    /** Makes emitters of what this source produces; one per reader. */
    interface RowOutput<OUT> extends Serializable {

        /** An emitter of rows with these columns. */
        RowEmitter<OUT> emitter(RowType columns);
    }

    /** Builds sources from options objects, which are read and never changed. */
    public static class DorisSourceBuilder<OUT> {

        private DorisOptions options;
        private DorisReadOptions readOptions = DorisReadOptions.defaults();
        private Boundedness boundedness;
        private DorisDeserializationSchema<OUT> deserializer;

        DorisSourceBuilder() {}

        /** Cluster, login and table; required. */
        public DorisSourceBuilder<OUT> setDorisOptions(DorisOptions options) {
            this.options = options;
            return this;
        }

        /** What to read and how; the content, with all defaults, if it is not called. */
        public DorisSourceBuilder<OUT> setDorisReadOptions(DorisReadOptions readOptions) {
            this.readOptions = readOptions;
            return this;
        }

        /** Boundedness of a snapshot read; one that follows changes is unbounded. */
        public DorisSourceBuilder<OUT> setBoundedness(Boundedness boundedness) {
            this.boundedness = boundedness;
            return this;
        }

        /** What makes records of rows; required. */
        public DorisSourceBuilder<OUT> setDeserializer(
                DorisDeserializationSchema<OUT> deserializer) {
            this.deserializer = deserializer;
            return this;
        }

        /**
         * Makes the source; contacts no server.
         *
         * @throws org.apache.flink.table.api.ValidationException for whatever is wrong
         */
        public DorisSource<OUT> build() {
            return new DorisSource<>(options, readOptions, boundedness, deserializer);
        }
    }
}
