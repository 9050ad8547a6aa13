package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.jni.ErrorCode;
import org.apache.doris.flink.jni.NativeException;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.table.data.RowData;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Fetches the batches of its splits, one split after the other. Waits are short, a wake-up ends
 * them at once, and a fetch that ends without a batch can simply be repeated. Lives on a fetcher
 * thread; the scan behind it belongs to the reader.
 */
final class DorisSplitReader implements SplitReader<RowData, DorisSplit> {

    private static final long SLICE_MILLIS = 100;

    private final ReaderScan readerScan;
    private final OutstandingBatches outstanding;
    private final ReaderMetrics metrics;
    private final Runnable logDrain;
    private final Deque<DorisSplit> waiting = new ArrayDeque<>();

    private DorisSplit current;

    /**
     * @param logDrain hands records of the native log on; called between waits
     */
    DorisSplitReader(
            ReaderScan readerScan,
            OutstandingBatches outstanding,
            ReaderMetrics metrics,
            Runnable logDrain) {
        this.readerScan = readerScan;
        this.outstanding = outstanding;
        this.metrics = metrics;
        this.logDrain = logDrain;
    }

    @Override
    public RecordsWithSplitIds<RowData> fetch() throws IOException {
        try {
            return fetchBatch();
        } catch (NativeException e) {
            if (e.code() == ErrorCode.DATA) {
                metrics.countRecordError();
            }
            throw e;
        } finally {
            logDrain.run();
        }
    }

    @Override
    public void handleSplitsChanges(SplitsChange<DorisSplit> change) {
        if (!(change instanceof SplitsAddition)) {
            throw new UnsupportedOperationException(
                    "Splits are only ever added, got " + change.getClass().getName());
        }
        waiting.addAll(change.splits());
    }

    @Override
    public void wakeUp() {
        readerScan.wake();
    }

    @Override
    public void close() {
        // The scan is closed by the reader, which may make another split reader on top of it.
    }

    private RecordsWithSplitIds<RowData> fetchBatch() throws IOException {
        if (current == null && waiting.isEmpty()) {
            return ArrowRecords.nothing();
        }
        BatchScan scan = readerScan.open();
        if (current == null) {
            scan.start(waiting.element().tablets());
            current = waiting.remove();
        }
        while (!Thread.currentThread().isInterrupted()) {
            switch (scan.poll(SLICE_MILLIS)) {
                case READY:
                    BatchScan.Batch batch = scan.take();
                    outstanding.add(batch);
                    metrics.countBytes();
                    return ArrowRecords.of(current.splitId(), batch, outstanding);
                case END:
                    String ended = current.splitId();
                    current = null;
                    return ArrowRecords.finished(ended);
                case WOKEN:
                    return ArrowRecords.nothing();
                default:
                    logDrain.run();
            }
        }
        return ArrowRecords.nothing();
    }
}
