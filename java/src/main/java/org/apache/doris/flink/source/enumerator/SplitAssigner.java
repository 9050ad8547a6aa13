package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.split.DorisSplit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds the splits that no reader has and assigns them one by one, preferring the back end that the
 * fewest readers are busy with, so that the load spreads. Used by the coordinator thread alone.
 */
final class SplitAssigner {

    private final Map<String, Deque<DorisSplit>> waiting = new LinkedHashMap<>();
    private final Set<String> waitingIds = new HashSet<>();
    private final Map<Integer, String> busyWith = new HashMap<>();

    /** Adds splits; one that waits already, by its id, is not doubled. */
    void add(Collection<DorisSplit> splits) {
        for (DorisSplit split : splits) {
            if (waitingIds.add(split.splitId())) {
                waiting.computeIfAbsent(backend(split), any -> new ArrayDeque<>()).add(split);
            }
        }
    }

    /** The next split for a subtask, which has finished what it was given before. */
    Optional<DorisSplit> next(int subtask) {
        busyWith.remove(subtask);
        Map<String, Integer> readers = new HashMap<>();
        busyWith.values().forEach(backend -> readers.merge(backend, 1, Integer::sum));

        String chosen = null;
        int fewest = Integer.MAX_VALUE;
        int longest = 0;
        for (Map.Entry<String, Deque<DorisSplit>> queue : waiting.entrySet()) {
            int count = readers.getOrDefault(queue.getKey(), 0);
            int length = queue.getValue().size();
            if (length > 0 && (count < fewest || count == fewest && length > longest)) {
                chosen = queue.getKey();
                fewest = count;
                longest = length;
            }
        }
        if (chosen == null) {
            return Optional.empty();
        }
        DorisSplit split = waiting.get(chosen).remove();
        waitingIds.remove(split.splitId());
        busyWith.put(subtask, chosen);
        return Optional.of(split);
    }

    /** Takes back what a failed subtask had since the checkpoint that it restores from. */
    void addBack(Collection<DorisSplit> splits, int subtask) {
        busyWith.remove(subtask);
        add(splits);
    }

    /** Splits that no reader has. */
    List<DorisSplit> waiting() {
        List<DorisSplit> splits = new ArrayList<>(size());
        waiting.values().forEach(splits::addAll);
        return splits;
    }

    /** Number of splits that no reader has. */
    int size() {
        return waitingIds.size();
    }

    private static String backend(DorisSplit split) {
        return split.backends().isEmpty() ? "" : split.backends().get(0);
    }
}
