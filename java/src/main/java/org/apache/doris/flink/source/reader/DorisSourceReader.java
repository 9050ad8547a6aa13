package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.IOUtils;

import java.util.Map;

/**
 * Reads splits one after the other through one scan, asking for the next when one is done. Owns the
 * scan and the batches that are still out: both are freed in {@link #close}, on the task thread.
 */
public final class DorisSourceReader<OUT>
        extends SingleThreadMultiplexSourceReaderBase<RowData, OUT, DorisSplit, DorisSplitState> {

    private final ReaderScan scan;
    private final OutstandingBatches outstanding;
    private final ReaderMetrics metrics;
    private final Runnable logDrain;

    DorisSourceReader(
            SourceReaderContext context,
            ReaderScan scan,
            OutstandingBatches outstanding,
            ReaderMetrics metrics,
            Runnable logDrain,
            RowEmitter<OUT> emitter) {
        super(
                () -> new DorisSplitReader(scan, outstanding, metrics, logDrain),
                emitter,
                context.getConfiguration(),
                context);
        this.scan = scan;
        this.outstanding = outstanding;
        this.metrics = metrics;
        this.logDrain = logDrain;
    }

    /** A reader on the native core. */
    public static <T> DorisSourceReader<T> create(
            SourceReaderContext context, ScanConfig config, RowEmitter<T> emitter) {
        return create(context, () -> NativeBatchScan.open(config), NativeLog::drain, emitter);
    }

    static <T> DorisSourceReader<T> create(
            SourceReaderContext context,
            BatchScan.Factory scans,
            Runnable logDrain,
            RowEmitter<T> emitter) {
        ReaderScan scan = new ReaderScan(scans);
        return new DorisSourceReader<>(
                context,
                scan,
                new OutstandingBatches(),
                new ReaderMetrics(context.metricGroup(), scan),
                logDrain,
                emitter);
    }

    @Override
    public void start() {
        if (getNumberOfCurrentlyAssignedSplits() == 0) {
            context.sendSplitRequest();
        }
    }

    @Override
    public void close() throws Exception {
        IOUtils.closeAll(super::close, outstanding, scan, logDrain::run);
    }

    @Override
    protected void onSplitFinished(Map<String, DorisSplitState> finished) {
        metrics.countSplitsDone(finished.size());
        if (getNumberOfCurrentlyAssignedSplits() == 0) {
            context.sendSplitRequest();
        }
    }

    @Override
    protected DorisSplitState initializedState(DorisSplit split) {
        return new DorisSplitState(split);
    }

    @Override
    protected DorisSplit toSplitType(String splitId, DorisSplitState state) {
        return state.toSplit();
    }
}
