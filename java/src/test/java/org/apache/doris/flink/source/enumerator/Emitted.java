package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What readers emitted for each key: time ranges, in order, with who did it and when. */
final class Emitted {

    private final List<Range> ranges = new ArrayList<>();

    /** For each checkpoint the moment of its barrier, and of its completion. */
    private final TreeMap<Long, Long> barriers = new TreeMap<>();

    private final TreeMap<Long, Long> completions = new TreeMap<>();

    /** When a key came to be, where that is not before all else. */
    final Map<Long, Long> born = new HashMap<>();

    private final List<Read> splits = new ArrayList<>();
    private long moment;

    /** A split of the content was read to its end. */
    void split(int subtask, String id) {
        splits.add(new Read(id, subtask, moment++));
    }

    /** How many splits of the content were read to their end. */
    long splits() {
        return splits.stream().map(read -> read.id).distinct().count();
    }

    void window(SimulatedJob job, int subtask, SimulatedReader.Slice slice, long start, long end) {
        for (long key = 0; key < SimulatedJob.KEYS; key++) {
            if (slice.holds(job, key)) {
                ranges.add(new Range(key, start, end, subtask, moment++));
            }
        }
    }

    void barrier(long checkpoint) {
        barriers.put(checkpoint, moment++);
    }

    void complete(long checkpoint) {
        completions.put(checkpoint, moment++);
    }

    void rollBack(int subtask, long checkpoint) {
        long barrier = barriers.getOrDefault(checkpoint, -1L);
        ranges.removeIf(range -> range.subtask == subtask && range.moment > barrier);
        splits.removeIf(read -> read.subtask == subtask && read.moment > barrier);
    }

    void rollBackAll(long checkpoint) {
        long barrier = barriers.getOrDefault(checkpoint, -1L);
        ranges.removeIf(range -> range.moment > barrier);
        splits.removeIf(read -> read.moment > barrier);
        splits.forEach(read -> read.subtask = -1);
        // Subtasks have other numbers afterwards: what is behind the barrier is settled.
        ranges.forEach(range -> range.subtask = -1);
    }

    /** Every key was read from {@code start} to {@code end}, once and in order. */
    void assertComplete(long start, long end) {
        for (long key = 0; key < SimulatedJob.KEYS; key++) {
            assertThat(assertContiguous(key, start)).as("end of key %d", key).isEqualTo(end);
        }
    }

    /** What was read of a key has neither gap nor overlap; returns its end. */
    long assertContiguous(long key, long start) {
        long at = start;
        Range before = null;
        for (Range range : ranges) {
            if (range.key != key) {
                continue;
            }
            boolean unborn = range.start > at && range.start <= born.getOrDefault(key, start);
            if (!unborn) {
                assertThat(range.start).as("key %d after %s", key, before).isEqualTo(at);
            }
            if (before != null && before.subtask >= 0 && before.subtask != range.subtask) {
                assertThat(isBehindACheckpoint(before, range))
                        .as("key %d: %s and %s may overtake each other", key, before, range)
                        .isTrue();
            }
            at = range.end;
            before = range;
        }
        return at;
    }

    /** Up to where all keys were read when this checkpoint was taken. */
    long coveredBy(long checkpoint, long start) {
        long least = Long.MAX_VALUE;
        for (long key = 0; key < SimulatedJob.KEYS; key++) {
            long at = Math.max(start, born.getOrDefault(key, start));
            for (Range range : ranges) {
                if (range.key == key && range.moment < barriers.get(checkpoint)) {
                    at = Math.max(at, range.end);
                }
            }
            least = Math.min(least, at);
        }
        return least;
    }

    private boolean isBehindACheckpoint(Range first, Range second) {
        return completions.entrySet().stream()
                .anyMatch(
                        completion ->
                                completion.getValue() < second.moment
                                        && barriers.get(completion.getKey()) > first.moment);
    }

    private static final class Range {

        private final long key;
        private final long start;
        private final long end;
        private int subtask;
        private final long moment;

        private Range(long key, long start, long end, int subtask, long moment) {
            this.key = key;
            this.start = start;
            this.end = end;
            this.subtask = subtask;
            this.moment = moment;
        }

        @Override
        public String toString() {
            return String.format("[%d, %d) of subtask %d at %d", start, end, subtask, moment);
        }
    }

    private static final class Read {

        private final String id;
        private int subtask;
        private final long moment;

        private Read(String id, int subtask, long moment) {
            this.id = id;
            this.subtask = subtask;
            this.moment = moment;
        }
    }
}
