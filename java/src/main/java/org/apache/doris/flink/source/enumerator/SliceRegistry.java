package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.HeldSlicesEvent.HeldSlice;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The slices of the changelog: which there are, up to where completed checkpoints cover them, who
 * has them and which wait for a reader. A slice is assigned once; afterwards it lives where Flink
 * restores it, or comes back here and waits for the same subtask. Used by the coordinator thread
 * alone.
 */
final class SliceRegistry {

    private static final int ANYBODY = -1;

    private final Map<String, Long> covered = new TreeMap<>();
    private final Map<Long, Long> partitions = new TreeMap<>();
    private final Map<String, Integer> holders = new HashMap<>();
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();
    private final Map<Integer, List<HeldSlice>> reported = new HashMap<>();

    /** Takes over what a checkpoint knows. */
    void restore(ChangelogState state, Collection<DorisSplit> unassigned) {
        covered.putAll(state.covered());
        partitions.putAll(state.partitions());
        unassigned.forEach(split -> waiting.put(split.splitId(), new Waiting(split, ANYBODY)));
    }

    /** Up to where completed checkpoints cover each known slice, by its id. */
    Map<String, Long> covered() {
        return Collections.unmodifiableMap(covered);
    }

    /** Where the slice of each known partition began, by the partition's id. */
    Map<Long, Long> partitions() {
        return Collections.unmodifiableMap(partitions);
    }

    /** Slices that no reader has. */
    List<DorisSplit> waiting() {
        List<DorisSplit> splits = new ArrayList<>(waiting.size());
        waiting.values().forEach(entry -> splits.add(entry.split));
        return splits;
    }

    /** Ids of the slices that no reader has. */
    Set<String> waitingIds() {
        return Collections.unmodifiableSet(waiting.keySet());
    }

    /** Smallest covered position of all known slices; empty without slices. */
    OptionalLong minCovered() {
        return covered.values().stream().mapToLong(Long::longValue).min();
    }

    /** A new slice that waits for a reader; one that is known stays as it is. */
    void create(SliceScheme scheme, long slice, long startMillis) {
        String id = scheme.splitId(slice);
        if (covered.containsKey(id)) {
            return;
        }
        covered.put(id, startMillis);
        if (scheme.kind() == SliceScheme.Kind.PARTITIONS) {
            partitions.put(slice, startMillis);
        }
        ChangelogProgress progress =
                new ChangelogProgress(scheme, slice, startMillis, null, null, 0);
        waiting.put(id, new Waiting(DorisSplit.slice(id, progress), ANYBODY));
    }

    /** Known partitions that a listing lacks: they and their slices are known no longer. */
    List<Long> removeAllBut(Set<Long> listed) {
        List<Long> gone = new ArrayList<>(partitions.keySet());
        gone.removeAll(listed);
        gone.forEach(
                partition -> {
                    partitions.remove(partition);
                    forget(SliceScheme.PARTITIONS.splitId(partition));
                });
        return gone;
    }

    /** Nothing is known of these slices any more. */
    void forgetAll(Set<String> slices) {
        slices.forEach(this::forget);
    }

    /** Nothing is known of partitions any more. */
    void forgetPartitions() {
        partitions.clear();
    }

    /**
     * What a reader reports that it was restored with; all of it is covered by its checkpoint. What
     * it was given since it registered stays its own.
     */
    void held(int subtask, List<HeldSlice> slices) {
        reported.put(subtask, List.copyOf(slices));
        for (HeldSlice slice : slices) {
            holders.put(slice.splitId(), subtask);
            cover(slice.splitId(), slice.nextMillis());
        }
    }

    /** What a completed checkpoint covers of slices, by their ids; unknown ones are ignored. */
    void covered(Map<String, Long> millis) {
        millis.forEach(this::cover);
    }

    /**
     * Takes what a failed subtask was given since the checkpoint that it restores from. It waits
     * for the same subtask. What else the subtask had comes back with it.
     *
     * @return slices that are not known any more, since their partitions are gone
     */
    List<DorisSplit> takeBack(Collection<DorisSplit> splits, int subtask) {
        reported.remove(subtask);
        holders.values().removeIf(holder -> holder == subtask);
        List<DorisSplit> unknown = new ArrayList<>();
        for (DorisSplit split : splits) {
            if (covered.containsKey(split.splitId())) {
                waiting.put(split.splitId(), new Waiting(split, subtask));
            } else {
                unknown.add(split);
            }
        }
        return unknown;
    }

    /** Whether all readers have reported what they hold. */
    boolean allReported(int parallelism) {
        return reported.size() >= parallelism;
    }

    /** Furthest position that a slice reads before it can leave: its open window's end, or next. */
    OptionalLong furthestReach() {
        List<Long> reaches = new ArrayList<>();
        reported.values().forEach(held -> held.forEach(slice -> reaches.add(slice.reachMillis())));
        for (Waiting entry : waiting.values()) {
            ChangelogProgress progress = entry.split.changelog().orElseThrow();
            reaches.add(
                    progress.window()
                            .map(window -> window.endMillis())
                            .orElse(progress.nextMillis()));
        }
        return reaches.stream().mapToLong(Long::longValue).max();
    }

    /** Known slices that neither a reader nor the enumerator has. */
    Set<String> missing() {
        Set<String> missing = new HashSet<>(covered.keySet());
        missing.removeAll(holders.keySet());
        missing.removeAll(waiting.keySet());
        return missing;
    }

    /** A known slice that no reader holds waits for one again, from a position on. */
    void recreate(SliceScheme scheme, long slice, long startMillis) {
        forget(scheme.splitId(slice));
        create(scheme, slice, startMillis);
    }

    /** Ids of all slices that a reader is known to have, by their readers. */
    Map<String, Integer> holders() {
        return Collections.unmodifiableMap(holders);
    }

    /**
     * Gives slices that wait to readers: one that came back to its own subtask, the others to those
     * that have the fewest, and only when all readers have reported what they hold.
     *
     * @return splits by subtask
     */
    Map<Integer, List<DorisSplit>> assign(Set<Integer> registered, int parallelism) {
        Map<Integer, List<DorisSplit>> assigned = new TreeMap<>();
        boolean all = allReported(parallelism) && registered.size() >= parallelism;
        for (Waiting entry : List.copyOf(waiting.values())) {
            int subtask = entry.subtask;
            if (subtask == ANYBODY && all) {
                subtask = leastBusy(registered);
            }
            if (registered.contains(subtask)) {
                String id = entry.split.splitId();
                waiting.remove(id);
                holders.put(id, subtask);
                assigned.computeIfAbsent(subtask, any -> new ArrayList<>()).add(entry.split);
            }
        }
        return assigned;
    }

    private int leastBusy(Set<Integer> subtasks) {
        Map<Integer, Integer> load = new TreeMap<>();
        subtasks.forEach(subtask -> load.put(subtask, 0));
        holders.values()
                .forEach(subtask -> load.computeIfPresent(subtask, (any, count) -> count + 1));
        return Collections.min(load.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    private void cover(String slice, long millis) {
        covered.computeIfPresent(slice, (any, known) -> Math.max(known, millis));
    }

    private void forget(String slice) {
        covered.remove(slice);
        holders.remove(slice);
        waiting.remove(slice);
    }

    private static final class Waiting {

        private final DorisSplit split;
        private final int subtask;

        private Waiting(DorisSplit split, int subtask) {
            this.split = split;
            this.subtask = subtask;
        }
    }
}
