package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.Scan;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Set;

/**
 * Fetches the batches of its splits through one scan: snapshot splits one after the other, then the
 * windows of its slices in turns. Waits are short, a wake-up ends them at once, and a fetch that
 * ends without a batch can simply be repeated. Lives on a fetcher thread; the scan behind it
 * belongs to the reader.
 */
final class DorisSplitReader implements SplitReader<ReadRecord, DorisSplit> {

    private static final long WAIT_MILLIS = 100;

    private final ReaderScan readerScan;
    private final ReadBatch.Decoder decoder;
    private final OutstandingBatches outstanding;
    private final SliceControl control;
    private final ReaderMetrics metrics;
    private final Runnable logDrain;
    private final SliceWindows windows;
    private final Deque<DorisSplit> waiting = new ArrayDeque<>();

    private DorisSplit current;

    /**
     * @param logDrain forwards records of the native log; called between waits
     */
    DorisSplitReader(
            ReaderScan readerScan,
            ReadBatch.Decoder decoder,
            OutstandingBatches outstanding,
            SliceControl control,
            SliceWindows windows,
            ReaderMetrics metrics,
            Runnable logDrain) {
        this.readerScan = readerScan;
        this.decoder = decoder;
        this.outstanding = outstanding;
        this.control = control;
        this.windows = windows;
        this.metrics = metrics;
        this.logDrain = logDrain;
    }

    @Override
    public RecordsWithSplitIds<ReadRecord> fetch() throws IOException {
        try {
            return fetchNext();
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
        for (DorisSplit split : change.splits()) {
            if (split.isSnapshot()) {
                waiting.add(split);
            } else {
                windows.add(split);
            }
        }
    }

    /**
     * The reader itself notifies {@link SliceControl}, which does not depend on a running fetcher.
     */
    @Override
    public void pauseOrResumeSplits(
            Collection<DorisSplit> splitsToPause, Collection<DorisSplit> splitsToResume) {}

    @Override
    public void wakeUp() {
        control.wake();
        readerScan.wake();
    }

    @Override
    public void close() {
        // The scan is closed by the reader, which may make another split reader on top of it.
    }

    private RecordsWithSplitIds<ReadRecord> fetchNext() throws IOException {
        while (!Thread.currentThread().isInterrupted()) {
            long seen = control.version();
            if (control.takeWake()) {
                return ArrowRecords.nothing();
            }
            Set<String> finished = windows.takeFinished();
            if (!finished.isEmpty()) {
                return ArrowRecords.finished(finished);
            }
            windows.watchRetention();
            if (!begin()) {
                if (waiting.isEmpty() && windows.isEmpty()) {
                    return ArrowRecords.nothing();
                }
                control.await(seen, WAIT_MILLIS);
            } else {
                RecordsWithSplitIds<ReadRecord> records =
                        current != null ? pollSnapshot(seen) : windows.poll(seen, WAIT_MILLIS);
                if (records != null) {
                    return records;
                }
            }
            logDrain.run();
        }
        return ArrowRecords.nothing();
    }

    /** Makes sure that something is being read; false when there is nothing to read now. */
    private boolean begin() throws IOException {
        if (current != null || windows.isReading()) {
            return true;
        }
        if (!waiting.isEmpty() && !control.isPaused(waiting.element().splitId())) {
            DorisSplit next = waiting.element();
            readerScan.open().start(next.tablets(), next.fenceMillis(), next.looksUpTablets());
            current = waiting.remove();
            return true;
        }
        return windows.begin();
    }

    private RecordsWithSplitIds<ReadRecord> pollSnapshot(long seen) throws IOException {
        if (control.isPaused(current.splitId())) {
            control.await(seen, WAIT_MILLIS);
            return null;
        }
        Scan scan = readerScan.open();
        switch (scan.poll(WAIT_MILLIS)) {
            case READY:
                ReadBatch batch = decoder.ofSnapshot(scan.take());
                outstanding.add(batch);
                metrics.countBytes();
                return ArrowRecords.of(current.splitId(), batch, outstanding);
            case END:
                String ended = current.splitId();
                current = null;
                return ArrowRecords.finished(Set.of(ended));
            default:
                // Woken: the loop handles the new events.
                return null;
        }
    }
}
