package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Watches, while the content is read, that the changes after it are still kept when they are read:
 * nothing else reads the server's position then. Used by the coordinator thread alone.
 */
final class ContentRetention {

    private static final Logger LOG = LoggerFactory.getLogger(ContentRetention.class);

    /** Interval between requests for the position. */
    static final long INTERVAL_MILLIS = 10_000;

    private static final long WARN_MILLIS = 3_600_000;

    private final TableIdentifier table;
    private final LongSupplier clock;

    private boolean polling;
    private OptionalLong polledAt = OptionalLong.empty();
    private OptionalLong warnedAt = OptionalLong.empty();

    /**
     * @param clock milliseconds of a clock that never goes back
     */
    ContentRetention(TableIdentifier table, LongSupplier clock) {
        this.table = table;
        this.clock = clock;
    }

    /**
     * Whether a request for the position is due.
     *
     * @param ttlSeconds how long the server keeps changes, 0 when that is not known
     */
    boolean begin(long ttlSeconds) {
        long now = clock.getAsLong();
        boolean due = polledAt.isEmpty() || now - polledAt.getAsLong() >= INTERVAL_MILLIS;
        if (polling || !due || ttlSeconds <= 0) {
            return false;
        }
        polling = true;
        polledAt = OptionalLong.of(now);
        return true;
    }

    /** Warns once per hour when less than half of the retention is left; what readers receive. */
    RetentionEvent answered(long startMillis, long positionMillis, long ttlSeconds) {
        polling = false;
        long retained = positionMillis - ttlSeconds * 1000;
        long now = clock.getAsLong();
        boolean quiet = warnedAt.isPresent() && now - warnedAt.getAsLong() < WARN_MILLIS;
        if (!quiet && startMillis - retained < ttlSeconds * 500) {
            warnedAt = OptionalLong.of(now);
            LOG.warn(
                    "Table {}: its content is still being read, the changes behind it begin at {},"
                            + " and the server keeps changes since {} only"
                            + " (changelog.ttl_seconds = {}): less than half of the retention is"
                            + " left. Read faster (a higher parallelism), or set a larger"
                            + " changelog.ttl_seconds, which helps for changes that are still"
                            + " there.",
                    table,
                    Instant.ofEpochMilli(startMillis),
                    Instant.ofEpochMilli(retained),
                    ttlSeconds);
        }
        return new RetentionEvent(startMillis, positionMillis, ttlSeconds);
    }

    /** There was no answer; the next time is soon. */
    void failed(Throwable failure) {
        polling = false;
        LOG.debug("The position of table {} could not be looked up.", table, failure);
    }
}
