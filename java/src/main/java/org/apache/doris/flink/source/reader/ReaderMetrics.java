package org.apache.doris.flink.source.reader;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * Metrics of one source reader, beside those that Flink counts by itself. The fetcher thread counts
 * bytes and errors, the task thread splits.
 */
final class ReaderMetrics {

    private final ReaderScan scan;
    private final Counter bytesIn;
    private final Counter recordErrors;
    private final Counter splitsDone;

    private long bytesCounted;

    ReaderMetrics(SourceReaderMetricGroup group, ReaderScan scan) {
        this.scan = scan;
        this.bytesIn = group.getIOMetricGroup().getNumBytesInCounter();
        this.recordErrors = group.getNumRecordsInErrorsCounter();
        this.splitsDone = group.counter("snapshotSplitsDone");
        group.gauge("snapshotSplitRetries", () -> scan.figures().splitRetries);
        group.gauge("nativeMemoryBytes", () -> scan.figures().heldBytes);
    }

    /** Adds the bytes received since the last call. */
    void countBytes() {
        long bytes = scan.figures().bytes;
        bytesIn.inc(bytes - bytesCounted);
        bytesCounted = bytes;
    }

    /** A row could not be taken over. */
    void countRecordError() {
        recordErrors.inc();
    }

    /** Splits were read completely. */
    void countSplitsDone(int count) {
        splitsDone.inc(count);
    }
}
