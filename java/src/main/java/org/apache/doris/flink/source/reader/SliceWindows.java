package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.Scan;
import org.apache.doris.flink.jni.ScanMetrics;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Reads the windows of a reader's slices through its one scan, one window at a time. A window that
 * is under way when its slice is paused keeps its batches back; if another slice could read
 * meanwhile it releases the scan and is requested again later, behind the rows that were handed
 * out: else slices that wait for each other's watermarks would wait for ever.
 *
 * <p>Used by the fetcher thread alone.
 */
final class SliceWindows {

    private static final Logger LOG = LoggerFactory.getLogger(SliceWindows.class);

    private final ReaderScan readerScan;
    private final ReadBatch.Decoder decoder;
    private final OutstandingBatches outstanding;
    private final SliceControl control;
    private final WindowLength length;
    private final Retention retention;
    private final ReaderMetrics metrics;
    private final IncrementType type;
    private final PartitionRetries retries;
    private final SliceTurns turns;

    private SliceRead reading;
    private long begunNanos;
    private long waitedMillis;
    private long sent;
    private long rows;
    private boolean interrupted;

    SliceWindows(
            ReaderScan readerScan,
            ReadBatch.Decoder decoder,
            OutstandingBatches outstanding,
            SliceControl control,
            WindowLength length,
            Retention retention,
            ReaderMetrics metrics,
            ScanConfig config) {
        this.readerScan = readerScan;
        this.decoder = decoder;
        this.outstanding = outstanding;
        this.control = control;
        this.length = length;
        this.retention = retention;
        this.metrics = metrics;
        this.type = config.changelog().incrementType();
        this.retries =
                new PartitionRetries(config.changelog().visibleWaitTimeout(), System::nanoTime);
        this.turns = new SliceTurns(control, retries, ColumnFingerprint.of(config.columns()));
    }

    /** A slice more. */
    void add(DorisSplit split) {
        turns.add(split);
    }

    /** Whether there are no slices. */
    boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Warns in time of changes that will expire before they are read. */
    void watchRetention() {
        retention.watch(turns.all());
    }

    /** Whether a window is being read. */
    boolean isReading() {
        return reading != null;
    }

    /**
     * Takes out the slices that are gone, with a window that is under way, and those that were read
     * as far as their scheme goes.
     */
    Set<String> takeFinished() {
        Set<String> ids = new LinkedHashSet<>();
        for (SliceRead slice : turns.takeFinished()) {
            if (control.isGone(slice.splitId())) {
                LOG.warn(
                        "Slice {} is gone with its partition: changes of it from {} on that were"
                                + " not read yet are not in the output.",
                        slice.splitId(),
                        UtcText.of(slice.neededMillis()));
            } else {
                LOG.info("Slice {} of a former slice scheme was read to its end.", slice.splitId());
            }
            if (slice == reading) {
                reading = null;
                readerScan.abandon();
            }
            retries.forget(slice.splitId());
            retention.forget(slice.splitId());
            ids.add(slice.splitId());
        }
        return ids;
    }

    /** Begins a window, or the rest of one, of the slice whose turn it is; false: there is none. */
    boolean begin() throws IOException {
        SliceRead next = turns.next();
        if (next == null) {
            return false;
        }
        long most = length.from(next.neededMillis(), retention.firstRetainedMillis());
        next.open(control.bound(), most, type);
        judge(next);
        begunNanos = System.nanoTime();
        ScanMetrics before = readerScan.metrics();
        waitedMillis = before.visibleWaitMillis();
        sent = sendings(before);
        rows = 0;
        interrupted = false;
        readerScan.open().startWindow(next.request().toMap());
        reading = next;
        return true;
    }

    /**
     * Waits for rows or the end of the window that is being read; null when none came.
     *
     * @param seen version of the control before anything was looked at
     */
    RecordsWithSplitIds<ReadRecord> poll(long seen, long waitMillis) throws IOException {
        if (control.isPaused(reading.splitId())) {
            keepBack(seen, waitMillis);
            return null;
        }
        try {
            Scan scan = readerScan.open();
            switch (scan.poll(waitMillis)) {
                case READY:
                    judgeAgain();
                    return rows(decoder.ofWindow(scan.take()));
                case END:
                    judgeAgain();
                    return end();
                default:
                    return null;
            }
        } catch (NativeException e) {
            if (!PartitionRetries.isPartitionGone(e)) {
                throw e;
            }
            retries.failed(reading, e);
            LOG.info("Slice {} is tried again: {}", reading.splitId(), e.getMessage());
            turns.toTheEnd(reading);
            reading = null;
            return null;
        }
    }

    /** Changes may expire whenever a window is requested, so each time counts. */
    private void judge(SliceRead slice) throws IOException {
        if (retention.hasExpired(slice) && slice.lacks()) {
            metrics.countExpiredWindow();
        }
    }

    /** The scan may have retried by itself for a while since the last call. */
    private void judgeAgain() throws IOException {
        long now = sendings(readerScan.metrics());
        if (now != sent) {
            sent = now;
            judge(reading);
        }
    }

    private static long sendings(ScanMetrics metrics) {
        return metrics.visibleWaitRetries() + metrics.splitRetries();
    }

    private RecordsWithSplitIds<ReadRecord> rows(ReadBatch batch) {
        outstanding.add(batch);
        metrics.countBytes();
        ChangeColumns changes = batch.changes();
        if (batch.rows() > 0) {
            metrics.fetched(changes.tso(batch.rows() - 1));
        }
        rows += batch.rows();
        reading.handOut(changes, batch.rows());
        retries.forget(reading.splitId());
        return ArrowRecords.ofWindow(reading.splitId(), reading.takeNew(), batch, outstanding);
    }

    private RecordsWithSplitIds<ReadRecord> end() {
        SliceRead slice = reading;
        reading = null;
        if (!interrupted) {
            long waited = readerScan.metrics().visibleWaitMillis() - waitedMillis;
            long taken = (System.nanoTime() - begunNanos) / 1_000_000 - waited;
            long window = slice.window().endMillis() - slice.window().startMillis();
            length.wasRead(window, taken, rows);
        }
        RecordsWithSplitIds<ReadRecord> records =
                ArrowRecords.endOfWindow(slice.splitId(), slice.takeNew());
        slice.close();
        retries.forget(slice.splitId());
        turns.toTheEnd(slice);
        return records;
    }

    private void keepBack(long seen, long waitMillis) {
        interrupted = true;
        if (turns.next() == null) {
            control.await(seen, waitMillis);
            return;
        }
        LOG.info(
                "Slice {} is paused inside window {}, which is read on later: other slices of this"
                        + " reader have changes to read.",
                reading.splitId(),
                reading.window());
        turns.toTheEnd(reading);
        reading = null;
        readerScan.abandon();
    }
}
