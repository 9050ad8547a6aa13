package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ChangelogConfig;

/**
 * How long a window may be while a slice catches up. Where the user gives no length, it is fitted
 * so that a window is read in less than half a checkpoint interval: a failure then repeats little
 * of a query. Used by the fetcher thread, outlives it.
 */
final class WindowLength {

    private static final long FIRST_MILLIS = 60_000;
    private static final long SHORTEST_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 86_400_000;
    private static final long DEFAULT_INTERVAL_MILLIS = 10_000;

    /**
     * With fewer it is the question that takes time, not the rows: shorter windows would not help.
     */
    private static final long FEW_ROWS = 10_000;

    private final boolean fitted;
    private final long targetMillis;

    private long millis;

    WindowLength(ChangelogConfig config) {
        long interval = config.checkpointInterval().orElse(0);
        fitted = config.maxWindow().isEmpty();
        targetMillis = (interval > 0 ? interval : DEFAULT_INTERVAL_MILLIS) / 2;
        millis =
                config.maxWindow()
                        .map(given -> Math.floorDiv(given.toMillis(), 1000L) * 1000L)
                        .orElse(FIRST_MILLIS);
    }

    /** Whole seconds, one at least. */
    long millis() {
        return millis;
    }

    /**
     * Length of the window that begins at {@code start}. What has expired holds no changes any
     * more, so that a fitted window may take all of it at once.
     *
     * @param firstRetainedMillis {@link Retention#UNKNOWN} where nothing is known to expire
     */
    long from(long start, long firstRetainedMillis) {
        if (!fitted || firstRetainedMillis < start + millis) {
            return millis;
        }
        return Math.floorDiv(firstRetainedMillis - start, 1000L) * 1000L;
    }

    /**
     * Learns from a window that was read.
     *
     * @param length of the window, ms of changes
     * @param taken to read it, ms without waiting for transactions and pauses
     * @param rows that it had
     */
    void wasRead(long length, long taken, long rows) {
        if (!fitted) {
            return;
        }
        boolean few = rows < FEW_ROWS;
        if (taken > targetMillis && !few) {
            // Of the window that was read: it may have been shorter than allowed.
            long half = Math.floorDiv(length / 2, 1000L) * 1000L;
            millis = Math.min(millis, Math.max(SHORTEST_MILLIS, half));
        } else if ((taken < targetMillis / 2 || few) && length >= millis) {
            millis = Math.min(LONGEST_MILLIS, millis * 2);
        }
    }
}
