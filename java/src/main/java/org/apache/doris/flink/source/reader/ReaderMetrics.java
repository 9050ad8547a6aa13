package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

import java.util.Map;

/**
 * Metrics of one source reader, beside those that Flink counts by itself. The fetcher thread counts
 * bytes, errors and windows, the task thread splits and news; gauges may be read by any thread.
 */
final class ReaderMetrics {

    /** Value of a time or a lag that is not known, as Flink has it. */
    private static final long UNDEFINED = -1;

    private final ReaderScan scan;
    private final Counter recordsIn;
    private final Counter bytesIn;
    private final Counter recordErrors;
    private final Counter splitsDone;
    private final Counter expiredWindows;
    private final Counter beforeRowsDropped;

    private long bytesCounted;
    private volatile long fetchLagMillis = UNDEFINED;

    private ReaderMetrics(
            SourceReaderMetricGroup group,
            ReaderScan scan,
            Counter expiredWindows,
            Counter beforeRowsDropped) {
        this.scan = scan;
        this.recordsIn = group.getIOMetricGroup().getNumRecordsInCounter();
        this.bytesIn = group.getIOMetricGroup().getNumBytesInCounter();
        this.recordErrors = group.getNumRecordsInErrorsCounter();
        this.splitsDone = group.counter("snapshotSplitsDone");
        this.expiredWindows = expiredWindows;
        this.beforeRowsDropped = beforeRowsDropped;
        group.gauge("snapshotSplitRetries", () -> scan.metrics().splitRetries());
        group.gauge("scannedRows", () -> scan.metrics().rows());
        group.gauge("identityBatches", () -> scan.metrics().identityBatches());
        group.gauge("convertedBatches", () -> scan.metrics().convertedBatches());
        group.gauge("nativeMemoryBytes", () -> scan.metrics().heldBytes());
        group.gauge("maxNativeMemoryBytes", () -> scan.metrics().maxHeldBytes());
    }

    /** Of a reader that reads a snapshot alone. */
    static ReaderMetrics ofSnapshot(SourceReaderMetricGroup group, ReaderScan scan) {
        return new ReaderMetrics(group, scan, null, null);
    }

    /**
     * Of a reader that follows changes.
     *
     * @param states the splits in hand; a map that may be read by any thread
     */
    static ReaderMetrics ofChangelog(
            SourceReaderMetricGroup group,
            ReaderScan scan,
            Map<String, DorisSplitState> states,
            Retention retention) {
        ReaderMetrics metrics =
                new ReaderMetrics(
                        group,
                        scan,
                        group.counter("changelogExpiredWindows"),
                        group.counter("changelogBeforeRowsDropped"));
        group.gauge("currentFetchEventTimeLag", () -> metrics.fetchLagMillis);
        group.gauge("changelogPositionTimestamp", () -> defined(emitted(states)));
        group.gauge("changelogLagMs", () -> lag(retention.positionMillis(), emitted(states)));
        group.gauge(
                "changelogRetentionHeadroomMs",
                () ->
                        headroom(
                                Math.min(emitted(states), retention.pendingMillis()),
                                retention.firstRetainedMillis()));
        group.gauge("changelogWindowRows", () -> scan.metrics().windowRows());
        group.gauge("changelogVisibleWaitRetries", () -> scan.metrics().visibleWaitRetries());
        group.gauge("changelogVisibleWaitMs", () -> scan.metrics().visibleWaitMillis());
        group.gauge("changelogReplayedRowsDropped", () -> scan.metrics().replayedRows());
        group.gauge("changelogPositionMismatches", () -> scan.metrics().positionMismatches());
        return metrics;
    }

    /** Adds the bytes received since the last call. */
    void countBytes() {
        long bytes = scan.metrics().bytes();
        bytesIn.inc(bytes - bytesCounted);
        bytesCounted = bytes;
    }

    /** A change was fetched, the last one of its batch. */
    void fetched(long tso) {
        fetchLagMillis = System.currentTimeMillis() - ChangelogPosition.millis(tso);
    }

    /** A row could not be taken over. */
    void countRecordError() {
        recordErrors.inc();
    }

    /** Splits of the snapshot were read completely. */
    void countSplitsDone(int count) {
        splitsDone.inc(count);
    }

    /** A window was begun that lacks changes which have expired. */
    void countExpiredWindow() {
        expiredWindows.inc();
    }

    /** A row that claims to be from before an update was dropped: the table keeps none. */
    void countBeforeRowDropped() {
        beforeRowsDropped.inc();
    }

    /** Flink has counted a record that is no row. */
    void uncountRecord() {
        recordsIn.dec();
    }

    /** Up to where all slices in hand were emitted; MAX_VALUE without any. */
    private static long emitted(Map<String, DorisSplitState> states) {
        long least = Long.MAX_VALUE;
        for (DorisSplitState state : states.values()) {
            if (!state.isSnapshot()) {
                least = Math.min(least, state.emittedMillis());
            }
        }
        return least;
    }

    private static long defined(long emitted) {
        return emitted == Long.MAX_VALUE ? UNDEFINED : emitted;
    }

    private static long lag(long position, long emitted) {
        return position == Retention.UNKNOWN || emitted == Long.MAX_VALUE
                ? UNDEFINED
                : Math.max(0, position - emitted);
    }

    /** Nothing in hand, or nothing that expires: as much as can be. */
    private static long headroom(long emitted, long retained) {
        return retained == Retention.UNKNOWN || emitted == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : emitted - retained;
    }
}
