package org.apache.doris.flink.source;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.enumerator.DorisEnumerator;
import org.apache.doris.flink.source.enumerator.EnumeratorState;
import org.apache.doris.flink.source.enumerator.EnumeratorStateSerializer;
import org.apache.doris.flink.source.reader.DorisSourceReader;
import org.apache.doris.flink.source.reader.RowEmitter;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
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

/**
 * The source: reads the content of a Doris table, split by tablets, and finishes, or follows its
 * changes, with or without the content first. Building it touches neither the cluster nor the
 * native library.
 *
 * <p>Guarantee: every row of each split's version once; a split that was under way when a job fails
 * is read again as a whole, since Doris gives its rows no stable order. Every change at least once
 * while the server keeps it; once as a rule, since changes have an order.
 */
public final class DorisSource<OUT>
        implements Source<OUT, DorisSplit, EnumeratorState>, ResultTypeQueryable<OUT> {

    private static final long serialVersionUID = 1L;

    private final ScanConfig scan;
    private final TypeInformation<OUT> producedType;
    private final RowEmitter<OUT> emitter;

    private DorisSource(
            ScanConfig scan, TypeInformation<OUT> producedType, RowEmitter<OUT> emitter) {
        this.scan = scan;
        this.producedType = producedType;
        this.emitter = emitter;
    }

    /** A source of internal rows, as the Table API wants it. */
    public static DorisSource<RowData> rowData(
            ScanConfig scan, TypeInformation<RowData> producedType) {
        return new DorisSource<>(scan, producedType, RowEmitter.rowData());
    }

    @Override
    public Boundedness getBoundedness() {
        return scan.changelog().scanMode().isSnapshotOnly()
                ? Boundedness.BOUNDED
                : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<OUT, DorisSplit> createReader(SourceReaderContext context) {
        return DorisSourceReader.create(context, scan, emitter);
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
}
