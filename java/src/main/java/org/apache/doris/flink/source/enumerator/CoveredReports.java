package org.apache.doris.flink.source.enumerator;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * For the newest checkpoints: what waited in the enumerator when each was taken, and what the
 * subtasks reported of it once it was complete. A report that is lost is never missed for long: the
 * next checkpoint brings the next one. Used by the coordinator thread alone.
 */
final class CoveredReports {

    /** Checkpoints that are remembered, so that what never completes costs nothing. */
    private static final int REMEMBERED = 16;

    private final TreeMap<Long, Cut> cuts = new TreeMap<>();

    /**
     * The enumerator's own part of a checkpoint.
     *
     * @param pendingSnapshotSplits splits of the snapshot that no reader has, or of which it is not
     *     known yet how many they are
     * @param waitingSlices ids of slices that no reader has
     */
    void taken(long checkpoint, long pendingSnapshotSplits, Set<String> waitingSlices) {
        cuts.put(checkpoint, new Cut(pendingSnapshotSplits, waitingSlices));
        while (cuts.size() > REMEMBERED) {
            cuts.pollFirstEntry();
        }
    }

    /** A checkpoint that will never complete. */
    void aborted(long checkpoint) {
        cuts.remove(checkpoint);
    }

    /**
     * The report of a subtask about a completed checkpoint; one that is not remembered is ignored.
     */
    void report(
            long checkpoint,
            int subtask,
            int openSnapshotSplits,
            Set<String> slices,
            int parallelism) {
        Cut cut = cuts.get(checkpoint);
        if (cut != null) {
            cut.reports.put(subtask, new Report(openSnapshotSplits, slices));
            if (cut.isComplete(parallelism)) {
                cuts.headMap(checkpoint).clear();
            }
        }
    }

    /** Forgets what a subtask reported, since it restarts. */
    void forget(int subtask) {
        cuts.values().forEach(cut -> cut.reports.remove(subtask));
    }

    /** Whether the checkpoint holds the end of the snapshot: nothing waits, nothing is open. */
    boolean coversSnapshot(long checkpoint, int parallelism) {
        Cut cut = cuts.get(checkpoint);
        return cut != null
                && cut.pendingSnapshotSplits == 0
                && cut.isComplete(parallelism)
                && cut.reports.values().stream().allMatch(report -> report.openSnapshotSplits == 0);
    }

    /**
     * Whether none of the given slices is in the checkpoint any more, neither with a reader nor
     * here.
     */
    boolean coversEndOf(Set<String> slices, long checkpoint, int parallelism) {
        Cut cut = cuts.get(checkpoint);
        return cut != null
                && cut.isComplete(parallelism)
                && cut.waitingSlices.stream().noneMatch(slices::contains)
                && cut.reports.values().stream()
                        .noneMatch(report -> report.slices.stream().anyMatch(slices::contains));
    }

    /** Checkpoints that are remembered. */
    int size() {
        return cuts.size();
    }

    private static final class Cut {

        private final long pendingSnapshotSplits;
        private final Set<String> waitingSlices;
        private final Map<Integer, Report> reports = new HashMap<>();

        private Cut(long pendingSnapshotSplits, Set<String> waitingSlices) {
            this.pendingSnapshotSplits = pendingSnapshotSplits;
            this.waitingSlices = Set.copyOf(waitingSlices);
        }

        private boolean isComplete(int parallelism) {
            return IntStream.range(0, parallelism).allMatch(reports::containsKey);
        }
    }

    private static final class Report {

        private final int openSnapshotSplits;
        private final Set<String> slices;

        private Report(int openSnapshotSplits, Set<String> slices) {
            this.openSnapshotSplits = openSnapshotSplits;
            this.slices = Set.copyOf(slices);
        }
    }
}
