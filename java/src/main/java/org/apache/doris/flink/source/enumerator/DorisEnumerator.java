package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.event.LimitReachedEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsHandleExecutionAttemptSourceEvent;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The source's coordinator: the reading of the content, and of the changes where they are followed.
 *
 * <p>All methods run on the coordinator thread, as Flink calls them; questions to the cluster run
 * on a worker thread.
 */
@Internal
public final class DorisEnumerator
        implements SplitEnumerator<DorisSplit, EnumeratorState>,
                SupportsHandleExecutionAttemptSourceEvent {

    private static final Logger LOG = LoggerFactory.getLogger(DorisEnumerator.class);

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final SnapshotPhase snapshot;
    private final ChangelogCoordinator changelog;

    private ScanMode scanMode;
    private OptionalLong tableId = OptionalLong.empty();
    private boolean restored;
    private FlinkRuntimeException refusal;
    private volatile boolean closed;

    /**
     * @param service null where no changes are followed
     * @param clock milliseconds of a clock that never goes back
     */
    DorisEnumerator(
            SplitEnumeratorContext<DorisSplit> context,
            ScanConfig scan,
            ScanPlanner planner,
            ChangelogService service,
            LongSupplier clock) {
        this.context = context;
        this.table = scan.connection().table();
        this.scanMode = scan.changelog().scanMode();
        this.snapshot =
                new SnapshotPhase(
                        context,
                        table,
                        scan.read().tabletSize(),
                        planner,
                        scanMode.isSnapshotOnly(),
                        () -> closed);
        this.changelog =
                scanMode.isSnapshotOnly()
                        ? null
                        : new ChangelogCoordinator(
                                context, scan, service, snapshot, () -> closed, clock);
    }

    /** An enumerator for a source without a checkpoint. */
    public static DorisEnumerator create(
            SplitEnumeratorContext<DorisSplit> context, ScanConfig scan) {
        return new DorisEnumerator(
                context,
                scan,
                new NativeScanPlanner(scan),
                scan.changelog().scanMode().isSnapshotOnly()
                        ? null
                        : new NativeChangelogService(scan),
                () -> System.nanoTime() / 1_000_000);
    }

    /**
     * An enumerator that resumes from a checkpoint. A checkpoint of another table, or of a scan
     * mode that cannot be changed to the present one, is refused in {@link #start}: Flink restores
     * before it can fail a job, so that a refusal here may leave the job without either.
     */
    public static DorisEnumerator restore(
            SplitEnumeratorContext<DorisSplit> context, ScanConfig scan, EnumeratorState state) {
        DorisEnumerator enumerator = create(context, scan);
        try {
            enumerator.adopt(state);
        } catch (FlinkRuntimeException e) {
            enumerator.refusal = e;
        }
        return enumerator;
    }

    @Override
    public void start() {
        throwRefusal();
        registerMetrics();
        if (changelog != null) {
            changelog.start();
        } else if (!snapshot.isPlanned()) {
            snapshot.plan(OptionalLong.empty(), restored);
        }
    }

    @Override
    public void handleSplitRequest(int subtask, String requesterHostname) {
        snapshot.request(subtask);
        if (changelog != null) {
            changelog.requested();
        }
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (event instanceof LimitReachedEvent) {
            snapshot.enough(subtask);
        } else if (changelog != null) {
            changelog.handle(subtask, event);
        }
    }

    /** With speculative execution; attempts of a subtask read the same splits. */
    @Override
    public void handleSourceEvent(int subtask, int attempt, SourceEvent event) {
        handleSourceEvent(subtask, event);
    }

    @Override
    public void addReader(int subtask) {
        // A reader requests its first split of the snapshot itself.
        if (changelog != null) {
            changelog.addReader(subtask);
        }
    }

    @Override
    public void addSplitsBack(List<DorisSplit> splits, int subtask) {
        LOG.info("Subtask {} gave back {} splits of table {}.", subtask, splits.size(), table);
        if (changelog != null) {
            changelog.addSlicesBack(slices(splits), subtask);
        }
        snapshot.addBack(
                splits.stream().filter(DorisSplit::isSnapshot).collect(Collectors.toList()),
                subtask);
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        throwRefusal();
        ChangelogState changes =
                changelog == null ? ChangelogState.NONE : changelog.snapshotState(checkpointId);
        List<DorisSplit> unassigned = new ArrayList<>(snapshot.waiting());
        if (changelog != null) {
            unassigned.addAll(changelog.waitingSlices());
        }
        return new EnumeratorState(
                table,
                changelog == null ? tableId : changelog.tableId(),
                scanMode,
                snapshot.isPlanned(),
                snapshot.total(),
                unassigned,
                snapshot.tablets(),
                changes);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        if (changelog != null) {
            changelog.checkpointAborted(checkpointId);
        }
    }

    @Override
    public void close() {
        closed = true;
        if (changelog != null) {
            changelog.close();
        }
    }

    void adopt(EnumeratorState state) {
        if (!state.table().equals(table)) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The checkpoint was taken while reading table %s, but option"
                                + " 'table.identifier' now names %s. Restore with the table of the"
                                + " checkpoint, or start without it.",
                            state.table(), table));
        }
        if (state.scanMode().isSnapshotOnly() != scanMode.isSnapshotOnly()) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The checkpoint was taken with option 'source.scan.mode' = '%s', which"
                                    + " cannot be changed to '%s'. Set it back to '%s', or start"
                                    + " without the checkpoint.",
                            state.scanMode().option(),
                            scanMode.option(),
                            state.scanMode().option()));
        }
        if (state.scanMode() != scanMode) {
            LOG.info(
                    "Table {}: option 'source.scan.mode' was '{}' when the checkpoint was taken and"
                            + " is '{}' now; it is for new consumers, the checkpoint counts.",
                    table,
                    state.scanMode().option(),
                    scanMode.option());
        }
        restored = true;
        scanMode = state.scanMode();
        tableId = state.tableId();
        snapshot.restore(
                state.planned(),
                state.splitsTotal(),
                state.unassigned().stream()
                        .filter(DorisSplit::isSnapshot)
                        .collect(Collectors.toList()),
                state.tablets());
        if (changelog != null) {
            changelog.restore(state, slices(state.unassigned()));
        }
    }

    private void throwRefusal() {
        if (refusal != null) {
            throw refusal;
        }
    }

    private static List<DorisSplit> slices(List<DorisSplit> splits) {
        return splits.stream().filter(split -> !split.isSnapshot()).collect(Collectors.toList());
    }

    private void registerMetrics() {
        if (context.metricGroup() != null) {
            context.metricGroup().setUnassignedSplitsGauge(() -> (long) snapshot.unassigned());
            context.metricGroup().gauge("snapshotSplitsTotal", snapshot::total);
            if (changelog != null) {
                changelog.registerMetrics(context.metricGroup());
            }
        }
    }
}
