package org.apache.doris.flink.source.enumerator;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Decides on the end of the snapshot for a job that takes no checkpoints. With checkpoints it ends
 * where one covers it ({@link CoveredReports#coversSnapshot}). Used by the coordinator thread
 * alone.
 */
final class HandOver {

    /** So long all readers are idle without any checkpoint before there seem to be none. */
    static final Duration SILENCE = Duration.ofMinutes(10);

    private final OptionalLong checkpointInterval;
    private final LongSupplier clock;
    private OptionalLong quietSince = OptionalLong.empty();

    /**
     * @param checkpointInterval milliseconds, 0 without checkpoints; empty when not known
     * @param clock milliseconds of a clock that never goes back
     */
    HandOver(OptionalLong checkpointInterval, LongSupplier clock) {
        this.checkpointInterval = checkpointInterval;
        this.clock = clock;
    }

    /** A checkpoint is being taken. */
    void checkpointTaken() {
        quietSince = OptionalLong.empty();
    }

    /**
     * Whether the snapshot ends although no checkpoint covers its end.
     *
     * @param allIdle whether all readers have asked for splits and there is none
     */
    boolean isDueWithoutCheckpoint(boolean allIdle) {
        if (!allIdle) {
            quietSince = OptionalLong.empty();
            return false;
        }
        if (checkpointInterval.isPresent()) {
            return checkpointInterval.getAsLong() == 0;
        }
        long now = clock.getAsLong();
        if (quietSince.isEmpty()) {
            quietSince = OptionalLong.of(now);
        }
        return now - quietSince.getAsLong() >= SILENCE.toMillis();
    }
}
