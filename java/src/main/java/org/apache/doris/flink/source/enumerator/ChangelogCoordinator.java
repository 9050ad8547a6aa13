package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The enumerator's part in following changes: goes from {@link StartPhase}, which fixes the start,
 * through {@link ContentPhase}, where the content is read before the changes, to {@link
 * FollowPhase}, and passes what happens to the phase it is in.
 *
 * <p>All methods run on the coordinator thread; calls to the cluster run on the worker thread and
 * see none of the state.
 */
final class ChangelogCoordinator {

    private static final Logger LOG = LoggerFactory.getLogger(ChangelogCoordinator.class);

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final ChangelogService service;
    private final SnapshotPhase snapshot;
    private final ClusterCalls calls;
    private final CoveredReports reports = new CoveredReports();
    private final TableWatch watch;
    private final StartPhase start;
    private final ContentPhase content;
    private final FollowPhase changes;

    private ChangelogPhase phase;

    /**
     * @param closed becomes true when the enumerator closes; read by any thread
     * @param clock milliseconds of a clock that never goes back
     */
    ChangelogCoordinator(
            SplitEnumeratorContext<DorisSplit> context,
            ScanConfig scan,
            ChangelogService service,
            SnapshotPhase snapshot,
            BooleanSupplier closed,
            LongSupplier clock) {
        this.context = context;
        this.table = scan.connection().table();
        this.config = scan.changelog();
        this.service = service;
        this.snapshot = snapshot;
        this.calls = new ClusterCalls(context, closed);
        this.watch = new TableWatch(table, clock);
        this.start = new StartPhase(table, config, service, closed);
        this.content =
                new ContentPhase(
                        context,
                        calls,
                        table,
                        config,
                        service,
                        snapshot,
                        reports,
                        watch,
                        this::beginChanges,
                        clock);
        this.changes =
                new FollowPhase(context, calls, table, config, service, reports, watch, clock);
        this.phase = start;
    }

    /** Goes on where a checkpoint was taken. */
    void restore(EnumeratorState state, Collection<DorisSplit> unassignedSlices) {
        start.restore(state.changelog());
        watch.restore(state.tableId(), state.changelog().probeHash());
        changes.restore(state.changelog(), unassignedSlices);
        if (changes.hasBegun()) {
            snapshot.end();
        }
    }

    /** Begins: requests the start, then polls. */
    void start() {
        start.find(calls, this::answered);
        calls.every(
                config.pollInterval().toMillis(),
                () -> {
                    phase.endIfDue();
                    phase.tick();
                });
        changes.startPublishing();
    }

    private void answered(StartPosition answer, Throwable failure) {
        if (failure == null) {
            started(answer);
            return;
        }
        FlinkRuntimeException refusal = start.refusal(failure);
        if (start.isRestored()) {
            throw refusal;
        }
        calls.refuse(refusal);
    }

    private void started(StartPosition answer) {
        if (phase != start) {
            return;
        }
        watch.first(answer, changes.hasBegun());
        boolean known = start.startMillis().isPresent();
        start.fix(answer);
        long from = start.startMillis().getAsLong();
        LOG.info(
                "Table {}: changes are followed from {} on, by {}{}.",
                table,
                Instant.ofEpochMilli(from),
                answer.reason(),
                known ? "; reading goes on where it was taken" : "");
        if (!known && !answer.readsSnapshot()) {
            snapshot.skip();
            changes.withoutContent(from);
            beginChanges();
        } else if (changes.hasBegun()) {
            phase = changes;
            changes.resume(from);
        } else {
            phase = content;
            content.begin(from, answer.facts().unique(), start.isRestored());
        }
    }

    private void beginChanges() {
        phase = changes;
        snapshot.end();
        changes.begin(start.startMillis().getAsLong());
    }

    /** A reader has started or restarted. */
    void addReader(int subtask) {
        changes.welcome(subtask);
        phase.proceed();
    }

    /** A subtask restarts; these are slices that it was given since its checkpoint. */
    void addSlicesBack(List<DorisSplit> splits, int subtask) {
        reports.forget(subtask);
        changes.takeBack(splits, subtask);
    }

    /** A reader requested a split; it got one or waits. */
    void requested() {
        phase.endIfDue();
    }

    /** An event of a reader. */
    void handle(int subtask, SourceEvent event) {
        if (event instanceof HeldSlicesEvent) {
            changes.held(subtask, (HeldSlicesEvent) event);
            phase.proceed();
        } else if (event instanceof CoveredEvent) {
            covered(subtask, (CoveredEvent) event);
        } else {
            throw new FlinkRuntimeException("The event " + event + " of a reader is unknown.");
        }
    }

    private void covered(int subtask, CoveredEvent event) {
        changes.noteCovered(event.coveredMillis());
        reports.report(
                event.checkpointId(),
                subtask,
                event.openSnapshotSplits(),
                event.coveredMillis().keySet(),
                context.currentParallelism());
        phase.covered(event);
    }

    /** What a checkpoint keeps. */
    ChangelogState snapshotState(long checkpoint) {
        if (phase == start) {
            start.awaitForCheckpoint().ifPresent(this::started);
        }
        content.checkpointTaken();
        boolean pending = !changes.hasBegun() && !snapshot.isPlanned();
        reports.taken(
                checkpoint, pending ? Long.MAX_VALUE : snapshot.unassigned(), changes.waitingIds());
        return changes.state(start.startMillis());
    }

    /** Slices that no reader has. */
    List<DorisSplit> waitingSlices() {
        return changes.waiting();
    }

    /** Id of the table on the server, where known. */
    OptionalLong tableId() {
        return watch.tableId();
    }

    /** A checkpoint that will never complete. */
    void checkpointAborted(long checkpoint) {
        reports.aborted(checkpoint);
    }

    /** Figures of the changelog and of the offset table. */
    void registerMetrics(SplitEnumeratorMetricGroup metrics) {
        changes.registerMetrics(metrics);
    }

    /** One last attempt to publish, then the end of all calls. */
    void close() {
        try {
            changes.close();
        } finally {
            service.close();
        }
    }
}
