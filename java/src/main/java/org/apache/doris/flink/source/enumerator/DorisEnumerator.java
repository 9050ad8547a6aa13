package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Plans a snapshot once, in the background, and hands out its splits on request. A finished split
 * is remembered by nobody: it is neither here nor with a reader, hence not read again.
 *
 * <p>All methods run on the coordinator thread, as Flink calls them; only the planning itself runs
 * on a worker thread.
 */
public final class DorisEnumerator implements SplitEnumerator<DorisSplit, EnumeratorState> {

    private static final Logger LOG = LoggerFactory.getLogger(DorisEnumerator.class);

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final int tabletsPerSplit;
    private final ScanPlanner planner;
    private final SplitAssigner assigner = new SplitAssigner();
    private final Set<Integer> awaitingPlan = new LinkedHashSet<>();

    private OptionalLong tableId = OptionalLong.empty();
    private boolean restored;
    private boolean planned;
    private int splitsTotal;
    private volatile boolean closed;

    DorisEnumerator(
            SplitEnumeratorContext<DorisSplit> context, ScanConfig scan, ScanPlanner planner) {
        this.context = context;
        this.table = scan.connection().table();
        this.tabletsPerSplit = scan.read().tabletSize();
        this.planner = planner;
    }

    /** An enumerator for a source that starts anew. */
    public static DorisEnumerator create(
            SplitEnumeratorContext<DorisSplit> context, ScanConfig scan) {
        return new DorisEnumerator(context, scan, new NativeScanPlanner(scan));
    }

    /**
     * An enumerator that goes on where a checkpoint was taken.
     *
     * @throws FlinkRuntimeException when the checkpoint belongs to another table or scan mode
     */
    public static DorisEnumerator restore(
            SplitEnumeratorContext<DorisSplit> context, ScanConfig scan, EnumeratorState state) {
        DorisEnumerator enumerator = create(context, scan);
        enumerator.adopt(state);
        return enumerator;
    }

    @Override
    public void start() {
        registerMetrics();
        if (!planned) {
            context.callAsync(() -> planner.plan(() -> closed), this::handlePlan);
        }
    }

    @Override
    public void handleSplitRequest(int subtask, String requesterHostname) {
        if (planned) {
            assign(subtask);
        } else {
            awaitingPlan.add(subtask);
        }
    }

    @Override
    public void addReader(int subtask) {
        // A reader asks for its first split itself.
    }

    @Override
    public void addSplitsBack(List<DorisSplit> splits, int subtask) {
        LOG.info("Subtask {} gave back {} splits of table {}.", subtask, splits.size(), table);
        awaitingPlan.remove(subtask);
        assigner.addBack(splits, subtask);
    }

    @Override
    public EnumeratorState snapshotState(long checkpointId) {
        return new EnumeratorState(
                table,
                tableId,
                DorisSourceScanMode.SNAPSHOT,
                planned,
                splitsTotal,
                assigner.waiting(),
                EnumeratorState.Changelog.NONE);
    }

    @Override
    public void close() {
        closed = true;
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
        if (!state.scanMode().isSnapshotOnly()) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The checkpoint was taken with option 'source.scan.mode' = '%s', which"
                                + " cannot be changed to 'snapshot'. Set it back to '%s', or start"
                                + " without the checkpoint.",
                            state.scanMode().option(), state.scanMode().option()));
        }
        restored = true;
        tableId = state.tableId();
        planned = state.planned();
        splitsTotal = state.splitsTotal();
        assigner.add(state.unassigned());
    }

    private void handlePlan(ScanPlan plan, Throwable failure) {
        if (closed) {
            return;
        }
        if (failure != null) {
            String message =
                    String.format(
                            "Planning the scan of table %s failed: %s",
                            table, failure.getMessage());
            throw !restored && PlanRefusedException.isHopeless(failure)
                    ? new PlanRefusedException(message, failure)
                    : new FlinkRuntimeException(message, failure);
        }
        plan.warnings().forEach(warning -> LOG.warn("Table {}: {}", table, warning));
        assigner.add(splits(plan));
        splitsTotal = assigner.size();
        planned = true;
        LOG.info("Planned {} splits of table {}.", splitsTotal, table);

        List<Integer> subtasks = new ArrayList<>(awaitingPlan);
        awaitingPlan.clear();
        subtasks.forEach(this::assign);
    }

    private List<DorisSplit> splits(ScanPlan plan) {
        if (!plan.hasTablets()) {
            return List.of(SplitPacker.wholeTable(table));
        }
        Map<Long, List<String>> tablets = new TreeMap<>();
        for (ScanPlan.Tablet tablet : plan.tablets()) {
            tablets.merge(tablet.id(), tablet.backends(), DorisEnumerator::union);
        }
        return SplitPacker.pack(table, tablets, tabletsPerSplit);
    }

    private void assign(int subtask) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return;
        }
        Optional<DorisSplit> split = assigner.next(subtask);
        if (split.isPresent()) {
            context.assignSplit(split.get(), subtask);
        } else {
            context.signalNoMoreSplits(subtask);
        }
    }

    private void registerMetrics() {
        if (context.metricGroup() != null) {
            context.metricGroup().setUnassignedSplitsGauge(() -> (long) assigner.size());
            context.metricGroup().gauge("snapshotSplitsTotal", () -> splitsTotal);
        }
    }

    private static List<String> union(List<String> some, List<String> others) {
        Map<String, Boolean> all = new LinkedHashMap<>();
        some.forEach(backend -> all.put(backend, true));
        others.forEach(backend -> all.put(backend, true));
        return new ArrayList<>(all.keySet());
    }
}
