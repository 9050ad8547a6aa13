package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Checks that no rows were lost with their tablets. For a tablet that it does not know Doris
 * returns no rows; a rewrite of the table in mid-read gives it other tablets. Ids are never used
 * again, so one check after the end of many splits shows that all of them were whole.
 *
 * <p>The tablets are part of the checkpoint: a split that was finished before it is not read again
 * after a restore, but its tablets are checked. Used by the coordinator thread; only the request
 * itself runs on a worker.
 */
final class TabletLookUp {

    private static final int NAMED = 10;

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final ScanPlanner planner;
    private final BooleanSupplier closed;
    private final Set<Long> expected = new TreeSet<>();
    private final List<Runnable> waiting = new ArrayList<>();

    private boolean running;

    TabletLookUp(
            SplitEnumeratorContext<DorisSplit> context,
            TableIdentifier table,
            ScanPlanner planner,
            BooleanSupplier closed) {
        this.context = context;
        this.table = table;
        this.planner = planner;
        this.closed = closed;
    }

    /** From now on these must exist. */
    void expect(Collection<Long> tablets) {
        expected.addAll(tablets);
    }

    /** From now on none must exist: they were checked. */
    void forget() {
        expected.clear();
    }

    /** What must exist, in order. */
    Set<Long> expected() {
        return Collections.unmodifiableSet(expected);
    }

    /**
     * Runs something after a check that begins from now on; at once where nothing is expected. One
     * check does for all requests before it begins.
     */
    void thenRun(Runnable next) {
        if (expected.isEmpty()) {
            next.run();
            return;
        }
        waiting.add(next);
        if (!running) {
            lookUp();
        }
    }

    private void lookUp() {
        running = true;
        List<Runnable> served = new ArrayList<>(waiting);
        waiting.clear();
        context.callAsync(
                () -> planner.lookUp(closed),
                (present, failure) -> {
                    running = false;
                    if (!closed.getAsBoolean()) {
                        check(present, failure);
                        served.forEach(Runnable::run);
                        if (!waiting.isEmpty() && !running) {
                            lookUp();
                        }
                    }
                });
    }

    private void check(ScanPlan present, Throwable failure) {
        if (failure != null) {
            throw new FlinkRuntimeException(
                    String.format(
                            "Whether table %s still has the tablets that were read cannot be looked"
                                    + " up: %s",
                            table, failure.getMessage()),
                    failure);
        }
        Set<Long> gone = new TreeSet<>(expected);
        present.tablets().forEach(tablet -> gone.remove(tablet.id()));
        if (!gone.isEmpty()) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The table %s has no tablet %s%s any more: it was overwritten,"
                                    + " replaced, altered or truncated after the read was planned;"
                                    + " start the job anew, without its checkpoint.",
                            table,
                            gone.stream().limit(NAMED).collect(Collectors.toList()),
                            gone.size() > NAMED ? " and " + (gone.size() - NAMED) + " more" : ""));
        }
    }
}
