package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.jni.NativeScan;
import org.apache.doris.flink.jni.Scan;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.event.LimitReachedEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.doris.flink.source.event.SlicesGoneEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.IOUtils;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reads splits through one scan: snapshot splits one after the other, asking for the next when one
 * is done; slices of the changelog for as long as they exist. Owns the scan and the batches that
 * are still out: both are freed in {@link #close}, on the task thread.
 */
@Internal
public final class DorisSourceReader<OUT>
        extends SingleThreadMultiplexSourceReaderBase<
                ReadRecord, OUT, DorisSplit, DorisSplitState> {

    private final ReaderParts parts;
    private final Map<String, DorisSplitState> states;
    private final TreeMap<Long, CoveredEvent> covered = new TreeMap<>();
    private final IdleWithoutSplits<OUT> idle = new IdleWithoutSplits<>();

    private DorisSourceReader(
            SourceReaderContext context, ReaderParts parts, RowEmitter<OUT> emitter) {
        super(
                parts::splitReader,
                new ChangeEmitter<>(emitter, parts),
                context.getConfiguration(),
                context);
        this.parts = parts;
        this.states = parts.states();
    }

    /** A reader on the native core. */
    public static <T> DorisSourceReader<T> create(
            SourceReaderContext context, ScanConfig config, RowEmitter<T> emitter) {
        return create(context, config, () -> open(config), NativeLog::drain, emitter);
    }

    private static Scan open(ScanConfig config) throws IOException {
        NativeLibrary.load(config.connection().libraryPath());
        return NativeScan.open(ConfigCodec.encode(config));
    }

    static <T> DorisSourceReader<T> create(
            SourceReaderContext context,
            ScanConfig config,
            ReaderScan.Factory scans,
            Runnable logDrain,
            RowEmitter<T> emitter) {
        return new DorisSourceReader<>(
                context, new ReaderParts(context.metricGroup(), config, scans, logDrain), emitter);
    }

    @Override
    public void start() {
        if (parts.followsChanges()) {
            context.sendSourceEventToCoordinator(new HeldSlicesEvent(heldSlices()));
        }
        if (getNumberOfCurrentlyAssignedSplits() == 0) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<OUT> output) throws Exception {
        InputStatus status = super.pollNext(output);
        if (status == InputStatus.NOTHING_AVAILABLE
                && parts.followsChanges()
                && getNumberOfCurrentlyAssignedSplits() == 0) {
            idle.mark(output);
        }
        return status;
    }

    @Override
    public void addSplits(List<DorisSplit> splits) {
        idle.end();
        super.addSplits(splits.stream().map(parts::resumed).collect(Collectors.toList()));
    }

    /** Passed on directly: by way of the fetcher, Flink loses it for a split just added. */
    @Override
    public void pauseOrResumeSplits(
            Collection<String> splitsToPause, Collection<String> splitsToResume) {
        parts.control().pauseOrResume(splitsToPause, splitsToResume);
        parts.scan().wake();
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event instanceof BoundEvent) {
            parts.learn((BoundEvent) event);
        } else if (event instanceof RetentionEvent) {
            parts.retention().learn((RetentionEvent) event);
        } else if (event instanceof SlicesGoneEvent) {
            List<String> held = new ArrayList<>(((SlicesGoneEvent) event).splitIds());
            held.retainAll(states.keySet());
            parts.control().gone(held);
            parts.scan().wake();
        } else {
            super.handleSourceEvents(event);
        }
    }

    @Override
    public List<DorisSplit> snapshotState(long checkpointId) {
        if (parts.followsChanges()) {
            covered.put(checkpointId, coveredNow(checkpointId));
        }
        return super.snapshotState(checkpointId);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        CoveredEvent report = covered.get(checkpointId);
        covered.headMap(checkpointId, true).clear();
        if (report != null) {
            context.sendSourceEventToCoordinator(report);
        }
        super.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        covered.remove(checkpointId);
        super.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws Exception {
        IOUtils.closeAll(super::close, parts);
    }

    @Override
    protected void onSplitFinished(Map<String, DorisSplitState> finished) {
        int ofSnapshot = 0;
        for (Map.Entry<String, DorisSplitState> split : finished.entrySet()) {
            states.remove(split.getKey());
            parts.control().forget(split.getKey());
            if (split.getValue().isSnapshot()) {
                ofSnapshot++;
            }
        }
        parts.metrics().countSplitsDone(ofSnapshot);
        if (ofSnapshot > 0 && getNumberOfCurrentlyAssignedSplits() == 0) {
            if (hasReachedLimit()) {
                context.sendSourceEventToCoordinator(new LimitReachedEvent());
            }
            context.sendSplitRequest();
        }
    }

    @Override
    protected DorisSplitState initializedState(DorisSplit split) {
        DorisSplitState state = new DorisSplitState(split, parts.fingerprint());
        states.put(split.splitId(), state);
        return state;
    }

    @Override
    protected DorisSplit toSplitType(String splitId, DorisSplitState state) {
        return state.toSplit();
    }

    /**
     * Counted since the reader began and never from a checkpoint, so that what a failure takes back
     * is not counted as read.
     */
    private boolean hasReachedLimit() {
        long limit = parts.config().limit();
        return limit != ScanConfig.NO_LIMIT
                && ((ChangeEmitter<OUT>) recordEmitter).snapshotRows() >= limit;
    }

    private List<HeldSlicesEvent.HeldSlice> heldSlices() {
        List<HeldSlicesEvent.HeldSlice> held = new ArrayList<>();
        for (DorisSplitState state : states.values()) {
            if (!state.isSnapshot()) {
                held.add(
                        new HeldSlicesEvent.HeldSlice(
                                state.splitId(),
                                state.scheme(),
                                state.slice(),
                                state.coveredMillis(),
                                state.openEndMillis()));
            }
        }
        return held;
    }

    private CoveredEvent coveredNow(long checkpointId) {
        Map<String, Long> millis = new HashMap<>();
        int ofSnapshot = 0;
        for (DorisSplitState state : states.values()) {
            if (state.isSnapshot()) {
                ofSnapshot++;
            } else {
                millis.put(state.splitId(), state.coveredMillis());
            }
        }
        return new CoveredEvent(checkpointId, millis, ofSnapshot);
    }
}
