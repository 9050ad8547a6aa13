package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Slices whose partition was not in the listing of the front end that answered. That one may lag,
 * so the window is retried with growing pauses, until the enumerator knows from the master that the
 * partition is gone, or the time for it is over. Used by the fetcher thread alone.
 */
final class PartitionRetries {

    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000_000L;

    private final Map<String, Retry> retries = new HashMap<>();
    private final Duration limit;
    private final LongSupplier nanos;

    /**
     * @param limit for each window, from the first time on
     * @param nanos a clock like {@link System#nanoTime}
     */
    PartitionRetries(Duration limit, LongSupplier nanos) {
        this.limit = limit;
        this.nanos = nanos;
    }

    /** Whether a failure is of this kind. */
    static boolean isPartitionGone(NativeException failure) {
        return failure.code() == ErrorCode.PARTITION_GONE;
    }

    /** Whether a slice's pause is not over yet. */
    boolean isWaiting(String splitId) {
        Retry retry = retries.get(splitId);
        return retry != null && nanos.getAsLong() - retry.atNanos < 0;
    }

    /**
     * A window failed.
     *
     * @throws NativeException that failure, when the time for it is over
     */
    void failed(SliceRead slice, NativeException failure) throws NativeException {
        long now = nanos.getAsLong();
        Retry retry = retries.computeIfAbsent(slice.splitId(), id -> new Retry(now));
        long left = limit.toNanos() - (now - retry.sinceNanos);
        if (left <= 0) {
            throw failure;
        }
        retry.atNanos = now + Math.min(retry.pauseNanos, left);
        retry.pauseNanos = Math.min(LONGEST_PAUSE_NANOS, retry.pauseNanos * 2);
    }

    /** A window goes well, or the slice is no longer held. */
    void forget(String splitId) {
        retries.remove(splitId);
    }

    private static final class Retry {

        private final long sinceNanos;
        private long atNanos;
        private long pauseNanos = FIRST_PAUSE_NANOS;

        Retry(long now) {
            this.sinceNanos = now;
        }
    }
}
