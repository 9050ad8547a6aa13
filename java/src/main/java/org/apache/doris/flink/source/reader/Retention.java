package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Watches whether the server still keeps the changes that are to be read. In {@code detail} and
 * {@code append_only} it leaves out what has expired silently, so the connector reports it; in
 * {@code min_delta} it refuses the window. Thread-safe.
 */
final class Retention {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    /** Value of {@link #firstRetainedMillis} where nothing is known to expire. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long CHECK_NANOS = 1_000_000_000L;
    private static final long WARN_NANOS = 3_600_000_000_000L;

    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final LongSupplier nanos;
    private final Map<String, Long> reportedUntil = new HashMap<>();

    private BoundEvent newest;
    private long positionMillis = UNKNOWN;
    private long ttlSeconds;
    private long pendingMillis = Long.MAX_VALUE;
    private long receivedNanos;
    private long checkedNanos;
    private long warnedNanos;
    private boolean checked;
    private boolean warned;

    /**
     * @param nanos a clock like {@link System#nanoTime}
     */
    Retention(TableIdentifier table, ChangelogConfig config, LongSupplier nanos) {
        this.table = table;
        this.config = config;
        this.nanos = nanos;
    }

    /** The server's position and how long it keeps changes. */
    synchronized void learn(BoundEvent bound) {
        newest = bound;
        pendingMillis = Long.MAX_VALUE;
        learn(bound.positionMillis(), bound.ttlSeconds());
    }

    /** The same while the content is read, after which changes wait. */
    synchronized void learn(RetentionEvent event) {
        pendingMillis = event.startMillis();
        learn(event.positionMillis(), event.ttlSeconds());
    }

    private void learn(long position, long ttl) {
        positionMillis = position;
        ttlSeconds = ttl;
        receivedNanos = nanos.getAsLong();
    }

    /**
     * Where the changes begin that wait for the end of the content, ms since 1970; MAX_VALUE when
     * none do.
     */
    synchronized long pendingMillis() {
        return pendingMillis;
    }

    /**
     * Newest committed position that is known, ms since 1970; {@link #UNKNOWN} before the first.
     */
    synchronized long positionMillis() {
        return positionMillis;
    }

    /**
     * Changes committed before it may be gone, ms since 1970; {@link #UNKNOWN} where the server did
     * not tell. The server's clock has moved on since it was read.
     */
    synchronized long firstRetainedMillis() {
        if (positionMillis == UNKNOWN || ttlSeconds <= 0) {
            return UNKNOWN;
        }
        long since = (nanos.getAsLong() - receivedNanos) / NANOS_PER_MILLI;
        return positionMillis + since - ttlSeconds * 1000;
    }

    /**
     * A window is requested, or was retried.
     *
     * @return whether it lacks changes that have expired; reported once for each lost range
     * @throws IOException when it does and the user wants that to fail, as one who wants net
     *     changes does: where every change is read after the content, too
     */
    synchronized boolean hasExpired(SliceRead slice) throws IOException {
        long retained = firstRetainedMillis();
        long needed = slice.neededMillis();
        if (!slice.leavesOutExpired() || retained == UNKNOWN || needed >= retained) {
            return false;
        }
        if (config.failsOnExpired()) {
            throw new IOException(
                    String.join(
                            " ",
                            lost(slice, needed, retained) + '.',
                            config.whyItFailsOnExpired(),
                            ChangelogConfig.EXPIRED_REMEDY));
        }
        if (needed >= reportedUntil.getOrDefault(slice.splitId(), Long.MIN_VALUE)) {
            reportedUntil.put(slice.splitId(), retained);
            LOG.error(
                    "{} and are missing in the output. {}",
                    lost(slice, needed, retained),
                    ChangelogConfig.EXPIRED_REMEDY);
        }
        return true;
    }

    /** Warns once per hour of the slice that is nearest to losing changes. */
    synchronized void watch(Collection<SliceRead> slices) {
        long now = nanos.getAsLong();
        if (newest == null || checked && now - checkedNanos < CHECK_NANOS) {
            return;
        }
        checked = true;
        checkedNanos = now;
        long retained = firstRetainedMillis();
        if (retained == UNKNOWN || warned && now - warnedNanos < WARN_NANOS) {
            return;
        }
        long half = ttlSeconds * 1000 / 2;
        SliceRead last = null;
        for (SliceRead slice : slices) {
            boolean behind = slice.canRead(newest);
            if (behind && (last == null || slice.neededMillis() < last.neededMillis())) {
                last = slice;
            }
        }
        boolean lost = last != null && last.neededMillis() < retained;
        if (last != null && !lost && last.neededMillis() - retained < half) {
            warned = true;
            warnedNanos = now;
            LOG.warn(
                    "Table {}: slice {} is read up to {}, and the server keeps changes since {}"
                            + " only (changelog.ttl_seconds = {}): less than half of the retention"
                            + " is left. Read faster (option 'source.changelog.slices' with a"
                            + " higher parallelism), or set a larger changelog.ttl_seconds, which"
                            + " helps for changes that are still there.",
                    table,
                    last.splitId(),
                    UtcText.of(last.neededMillis()),
                    UtcText.of(retained),
                    ttlSeconds);
        }
    }

    /** A slice is no longer held. */
    synchronized void forget(String splitId) {
        reportedUntil.remove(splitId);
    }

    private String lost(SliceRead slice, long needed, long retained) {
        return String.format(
                "Table %s: changes of slice %s committed from %s until before %s have expired on"
                        + " the server (changelog.ttl_seconds = %d, newest position %s)",
                table,
                slice.splitId(),
                UtcText.of(needed),
                UtcText.of(retained),
                ttlSeconds,
                UtcText.of(positionMillis));
    }
}
