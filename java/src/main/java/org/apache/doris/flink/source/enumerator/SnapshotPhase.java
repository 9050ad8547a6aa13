package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * The reading of a table's content: planned once, in the background, its splits assigned on
 * request. A finished split is not remembered: it is neither here nor with a reader, hence not read
 * again. Used by the coordinator thread; only the planning itself runs on a worker.
 */
final class SnapshotPhase {

    /**
     * Few enough that thousands of tablets are not thousands of queries, many enough that the
     * subtasks end together and that a failure repeats little.
     */
    static final int SPLITS_PER_SUBTASK = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotPhase.class);

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final int tabletsPerSplit;
    private final ScanPlanner planner;
    private final boolean bounded;
    private final BooleanSupplier closed;
    private final SplitAssigner assigner = new SplitAssigner();
    private final TabletLookUp lookUp;
    private final Set<Integer> idle = new LinkedHashSet<>();

    /** Subtask → its request that waits for the check of its splits' tablets. */
    private final Map<Integer, Object> ending = new HashMap<>();

    private boolean planned;
    private boolean over;
    private boolean enough;
    private long moves;
    private int total;

    /**
     * @param tabletsPerSplit as the user wants it; {@link ReadConfig#AUTOMATIC} for as many as
     *     leave each subtask {@value #SPLITS_PER_SUBTASK} splits
     * @param bounded whether readers end when there is no split left; otherwise they wait
     */
    SnapshotPhase(
            SplitEnumeratorContext<DorisSplit> context,
            TableIdentifier table,
            int tabletsPerSplit,
            ScanPlanner planner,
            boolean bounded,
            BooleanSupplier closed) {
        this.context = context;
        this.table = table;
        this.tabletsPerSplit = tabletsPerSplit;
        this.planner = planner;
        this.bounded = bounded;
        this.closed = closed;
        this.lookUp = new TabletLookUp(context, table, planner, closed);
    }

    /** Goes on where a checkpoint was taken. */
    void restore(boolean planned, int total, Collection<DorisSplit> unassigned, Set<Long> tablets) {
        this.planned = planned;
        this.total = total;
        lookUp.expect(tablets);
        assigner.add(unassigned);
    }

    /**
     * Plans in the background.
     *
     * @param fenceMillis where the changes that follow begin, carried by the splits
     * @param resumed whether the job resumes from a checkpoint
     */
    void plan(OptionalLong fenceMillis, boolean resumed) {
        context.callAsync(
                () -> planner.plan(closed),
                (plan, failure) -> handlePlan(plan, failure, fenceMillis, resumed));
    }

    /** The content is not read. */
    void skip() {
        planned = true;
    }

    /**
     * Changes are followed now. Splits that come back nevertheless, where no checkpoint holds their
     * end, go to the next reader that requests one, all at once: a reader with slices requests only
     * once.
     */
    void end() {
        over = true;
        lookUp.forget();
    }

    /**
     * A reader has emitted as many rows as are wanted, and requests no more splits. The others need
     * no further split either, unless one fails and its rows are taken back.
     */
    void enough(int subtask) {
        LOG.info("Subtask {} has read as many rows of table {} as are wanted.", subtask, table);
        enough = true;
    }

    /**
     * Runs something once it is sure that no tablet was lost, as of now; at once where there is
     * none to look for. Fails the job where one is gone.
     */
    void afterLookUp(Runnable next) {
        lookUp.thenRun(next);
    }

    /** Grows whenever a split is assigned to a reader or a reader restarts. */
    long moves() {
        return moves;
    }

    /** Tablets that must still exist when all splits are read. */
    Set<Long> tablets() {
        return lookUp.expected();
    }

    /** A reader has finished what it had. */
    void request(int subtask) {
        if (planned) {
            assign(subtask);
        } else {
            idle.add(subtask);
        }
    }

    /** Takes back what a failed subtask had since the checkpoint that it restores from. */
    void addBack(Collection<DorisSplit> splits, int subtask) {
        idle.remove(subtask);
        ending.remove(subtask);
        enough = false;
        moves++;
        assigner.addBack(splits, subtask);
        if (!bounded && planned && !splits.isEmpty()) {
            serve();
        }
    }

    /** Whether the splits are known. */
    boolean isPlanned() {
        return planned;
    }

    /** Number of splits, finished ones included; 0 before they are known. */
    int total() {
        return total;
    }

    /** Number of splits that no reader has. */
    int unassigned() {
        return assigner.size();
    }

    /** Splits that no reader has. */
    List<DorisSplit> waiting() {
        return assigner.waiting();
    }

    /** Whether that many readers wait without a split: nothing is open anywhere. */
    boolean isIdle(int parallelism) {
        return planned && assigner.size() == 0 && idle.size() >= parallelism;
    }

    private void handlePlan(
            ScanPlan plan, Throwable failure, OptionalLong fenceMillis, boolean resumed) {
        if (closed.getAsBoolean()) {
            return;
        }
        if (failure != null) {
            FlinkRuntimeException refusal =
                    PlanRefusedException.of(
                            String.format("Planning the scan of table %s failed", table),
                            failure,
                            resumed);
            if (resumed) {
                throw refusal;
            }
            RefusedStart.fail(context, closed, refusal);
            return;
        }
        plan.warnings().forEach(warning -> LOG.warn("Table {}: {}", table, warning));
        assigner.add(splits(plan, fenceMillis));
        plan.tablets().forEach(tablet -> lookUp.expect(Set.of(tablet.id())));
        total = assigner.size();
        planned = true;
        LOG.info("Planned {} splits of table {}.", total, table);
        serve();
    }

    private void serve() {
        List<Integer> subtasks = new ArrayList<>(idle);
        idle.clear();
        subtasks.forEach(this::assign);
    }

    private List<DorisSplit> splits(ScanPlan plan, OptionalLong fenceMillis) {
        if (!plan.hasTablets()) {
            return List.of(SplitPacker.wholeTable(table, fenceMillis));
        }
        Map<Long, List<String>> tablets = new TreeMap<>();
        for (ScanPlan.Tablet tablet : plan.tablets()) {
            tablets.merge(tablet.id(), tablet.backends(), SnapshotPhase::union);
        }
        return SplitPacker.pack(table, tablets, perSplit(tablets.size()), fenceMillis);
    }

    private int perSplit(int tablets) {
        if (tabletsPerSplit != ReadConfig.AUTOMATIC) {
            return tabletsPerSplit;
        }
        long wanted = (long) SPLITS_PER_SUBTASK * Math.max(1, context.currentParallelism());
        return (int) Math.max(1, (tablets + wanted - 1) / wanted);
    }

    private void assign(int subtask) {
        if (!context.registeredReaders().containsKey(subtask)) {
            return;
        }
        if (enough && bounded) {
            context.signalNoMoreSplits(subtask);
            return;
        }
        Optional<DorisSplit> split = assigner.next(subtask);
        if (split.isPresent()) {
            do {
                // Their tablets need no check any more.
                DorisSplit next = over ? split.get().lookedUpByReader() : split.get();
                context.assignSplit(next, subtask);
                moves++;
                split = over ? assigner.next(subtask) : Optional.empty();
            } while (split.isPresent());
        } else if (bounded) {
            Object request = new Object();
            ending.put(subtask, request);
            lookUp.thenRun(() -> finish(subtask, request));
        } else {
            idle.add(subtask);
        }
    }

    /** The splits that a reader had before this request are known to be whole. */
    private void finish(int subtask, Object request) {
        if (ending.remove(subtask, request) && context.registeredReaders().containsKey(subtask)) {
            if (assigner.size() > 0) {
                assign(subtask);
            } else {
                context.signalNoMoreSplits(subtask);
            }
        }
    }

    private static List<String> union(List<String> some, List<String> others) {
        Map<String, Boolean> all = new LinkedHashMap<>();
        some.forEach(backend -> all.put(backend, true));
        others.forEach(backend -> all.put(backend, true));
        return new ArrayList<>(all.keySet());
    }
}
