package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.IOUtils;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What a reader consists of, made before Flink's base class and shared with its fetchers. */
final class ReaderParts implements AutoCloseable {

    private final ScanConfig config;
    private final Runnable logDrain;
    private final long fingerprint;
    private final ReaderScan scan;
    private final ReadBatch.Decoder decoder;
    private final OutstandingBatches outstanding = new OutstandingBatches();
    private final SliceControl control = new SliceControl();
    private final Map<String, DorisSplitState> states = new ConcurrentHashMap<>();
    private final Retention retention;
    private final WindowLength windowLength;
    private final ReaderMetrics metrics;
    // No row of a window comes before the first bound.
    private volatile boolean history = true;

    ReaderParts(
            SourceReaderMetricGroup group,
            ScanConfig config,
            ReaderScan.Factory scans,
            Runnable logDrain) {
        this.config = config;
        this.logDrain = logDrain;
        this.fingerprint = ColumnFingerprint.of(config.columns());
        this.scan = new ReaderScan(scans);
        this.decoder = new ReadBatch.Decoder(config);
        this.retention =
                new Retention(config.connection().table(), config.changelog(), System::nanoTime);
        this.windowLength = new WindowLength(config.changelog());
        this.metrics =
                followsChanges()
                        ? ReaderMetrics.ofChangelog(group, scan, states, retention)
                        : ReaderMetrics.ofSnapshot(group, scan);
    }

    /** A split reader for a new fetcher. */
    DorisSplitReader splitReader() {
        SliceWindows windows =
                new SliceWindows(
                        scan,
                        decoder,
                        outstanding,
                        control,
                        windowLength,
                        retention,
                        metrics,
                        config);
        return new DorisSplitReader(
                scan, decoder, outstanding, control, windows, metrics, logDrain);
    }

    /**
     * A split as it is read with the present configuration.
     *
     * @throws FlinkRuntimeException for a part of a snapshot that changes are to follow, where none
     *     are followed; the enumerator refuses the checkpoint too, but may be later
     */
    DorisSplit resumed(DorisSplit split) {
        if (split.fenceMillis().isPresent() && !followsChanges()) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The checkpoint was taken while reading table %s with option"
                                    + " 'source.scan.mode' = 'initial', which cannot be changed to"
                                    + " 'snapshot'. Set it back, or start without the checkpoint.",
                            config.connection().table()));
        }
        return ResumedSlice.adapt(split, config.changelog().incrementType(), fingerprint);
    }

    /** What is read. */
    ScanConfig config() {
        return config;
    }

    /** Whether changes are followed, not only a snapshot read. */
    boolean followsChanges() {
        return config.changelog().scanMode().hasIncrementalPhase();
    }

    /** Of the columns that are selected now. */
    long fingerprint() {
        return fingerprint;
    }

    /** The one scan. */
    ReaderScan scan() {
        return scan;
    }

    /** Batches that are out. */
    OutstandingBatches outstanding() {
        return outstanding;
    }

    /** What is passed to the fetchers. */
    SliceControl control() {
        return control;
    }

    /** By id the splits in hand; written by the task thread, read by metrics. */
    Map<String, DorisSplitState> states() {
        return states;
    }

    /** What the enumerator sends, for all parts of the reader. */
    void learn(BoundEvent bound) {
        history = bound.history();
        retention.learn(bound);
        control.bound(bound);
    }

    /** Whether the table's changelog holds rows as they were before a change. */
    boolean history() {
        return history;
    }

    /** What the server keeps. */
    Retention retention() {
        return retention;
    }

    ReaderMetrics metrics() {
        return metrics;
    }

    /** Frees the batches that are out and the scan; when no fetcher runs any more. */
    @Override
    public void close() throws Exception {
        IOUtils.closeAll(outstanding, scan, logDrain::run);
    }
}
