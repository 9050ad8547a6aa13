package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The bound up to which changes may be read: the newest committed position, rounded down to whole
 * seconds, one look-up at a time. A position that went back is waited for, and so is a server that
 * cannot be reached; both only for a limited time. Used by the coordinator thread alone.
 */
final class PositionPoll {

    private static final Logger LOG = LoggerFactory.getLogger(PositionPoll.class);

    private final TableIdentifier table;
    private final long intervalMillis;
    private final long maxWaitMillis;
    private final LongSupplier clock;

    private OptionalLong bound = OptionalLong.empty();
    private boolean polling;
    private boolean reported;
    private OptionalLong polledAt = OptionalLong.empty();
    private OptionalLong backSince = OptionalLong.empty();
    private OptionalLong failingSince = OptionalLong.empty();

    /**
     * @param maxWait how long a clock that went back, or failing look-ups, are waited for
     * @param clock milliseconds of a clock that never goes back
     */
    PositionPoll(TableIdentifier table, Duration interval, Duration maxWait, LongSupplier clock) {
        this.table = table;
        this.intervalMillis = interval.toMillis();
        this.maxWaitMillis = maxWait.toMillis();
        this.clock = clock;
    }

    /** The last bound; empty before the first. */
    OptionalLong bound() {
        return bound;
    }

    /** Makes sure that the bound is not below a position that is known to have passed. */
    void raise(long millis) {
        if (bound.isEmpty() || bound.getAsLong() < millis) {
            bound = OptionalLong.of(millis);
        }
    }

    /**
     * Whether a lookup begins now. Ticks that piled up behind a slow one are skipped.
     *
     * @param atOnce begins even if the last one was a moment ago
     */
    boolean begin(boolean atOnce) {
        long now = clock.getAsLong();
        boolean due = polledAt.isEmpty() || now - polledAt.getAsLong() >= intervalMillis / 2;
        if (polling || !due && !atOnce) {
            return false;
        }
        polling = true;
        polledAt = OptionalLong.of(now);
        return true;
    }

    /** Result of a lookup. */
    enum Outcome {
        /** The bound moved on. */
        MOVED,
        /** Nothing new. */
        SAME,
        /** The position is before the bound. */
        BEHIND
    }

    /**
     * Takes the answer of a look-up.
     *
     * @throws FlinkRuntimeException when the position has been before the bound for too long
     */
    Outcome answered(long positionMillis) {
        polling = false;
        reported = true;
        failingSince = OptionalLong.empty();
        long seconds = wholeSeconds(positionMillis);
        if (bound.isPresent() && seconds < bound.getAsLong()) {
            wentBack(positionMillis);
            return Outcome.BEHIND;
        }
        if (backSince.isPresent()) {
            LOG.info(
                    "Table {}: the server's position has reached {} again.",
                    table,
                    Instant.ofEpochMilli(bound.getAsLong()));
            backSince = OptionalLong.empty();
        }
        if (bound.isPresent() && seconds == bound.getAsLong()) {
            return Outcome.SAME;
        }
        bound = OptionalLong.of(seconds);
        return Outcome.MOVED;
    }

    /**
     * Takes the failure of a look-up.
     *
     * @throws FlinkRuntimeException when trying again is of no use, or was of none for too long
     */
    void failed(Throwable failure) {
        polling = false;
        long now = clock.getAsLong();
        if (failingSince.isEmpty()) {
            failingSince = OptionalLong.of(now);
        }
        long waited = now - failingSince.getAsLong();
        boolean hopeless = PlanRefusedException.isHopeless(failure) && !isNewRefusal(failure);
        if (hopeless || waited >= maxWaitMillis) {
            throw new FlinkRuntimeException(
                    String.format(
                            "Looking up how far the changes of table %s may be read failed%s: %s",
                            table,
                            hopeless ? "" : " for " + waited / 1000 + " s",
                            failure.getMessage()),
                    failure);
        }
        LOG.warn(
                "Looking up how far the changes of table {} may be read failed and is tried again"
                        + " at the next poll; reading pauses. {}",
                table,
                failure.getMessage());
    }

    /**
     * A server that reported its position before may have no clock for a moment, as a new master
     * has.
     */
    private boolean isNewRefusal(Throwable failure) {
        return reported
                && failure instanceof NativeException
                && ((NativeException) failure).code() == ErrorCode.QUERY;
    }

    /** Rounded down to whole seconds, the step of incremental queries. */
    static long wholeSeconds(long millis) {
        return Math.floorDiv(millis, 1000L) * 1000L;
    }

    private void wentBack(long positionMillis) {
        long now = clock.getAsLong();
        boolean first = backSince.isEmpty();
        if (first) {
            backSince = OptionalLong.of(now);
        }
        long waited = now - backSince.getAsLong();
        Instant position = Instant.ofEpochMilli(positionMillis);
        Instant reached = Instant.ofEpochMilli(bound.getAsLong());
        if (waited >= maxWaitMillis) {
            throw new FlinkRuntimeException(
                    String.format(
                            "Table %s: the server's position went back to %s, although changes up"
                                + " to %s were read already, and has not caught up for %d s (option"
                                + " 'source.changelog.visible-wait-timeout'). Check the clocks of"
                                + " the front ends. If the cluster was restored from a backup,"
                                + " start with 'source.scan.mode' = 'initial' and without the"
                                + " checkpoint.",
                            table, position, reached, waited / 1000));
        }
        if (first) {
            LOG.warn(
                    "Table {}: the server's position went back to {}, although changes up to {}"
                            + " were read already. Reading pauses until it has caught up, for at"
                            + " most {} s.",
                    table,
                    position,
                    reached,
                    maxWaitMillis / 1000);
        }
    }
}
