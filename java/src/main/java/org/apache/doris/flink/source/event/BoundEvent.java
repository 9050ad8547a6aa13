package org.apache.doris.flink.source.event;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

import java.util.OptionalLong;

/**
 * Enumerator to reader: up to where changes may be read now. The newest one wins; it is sent again
 * to a reader that registers.
 */
@Internal
public final class BoundEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;
    private static final long NONE = Long.MIN_VALUE;

    private final long boundMillis;
    private final long lastMillis;
    private final SliceScheme scheme;
    private final long positionMillis;
    private final long ttlSeconds;
    private final long netFromMillis;
    private final boolean history;

    /**
     * @param boundMillis end of the newest window that may be read, whole seconds as ms since 1970
     * @param lastMillis while slices of a former scheme are still held: where they leave; empty
     *     when all slices are of {@code scheme}
     * @param scheme how the table is cut into slices at present
     * @param positionMillis newest committed position on the server, ms since 1970
     * @param ttlSeconds how long the server keeps changes; 0 when that is not known
     * @param netFromMillis where the windows of net changes begin; before it, after the content,
     *     every change is read
     * @param history whether the table's changelog holds rows as they were before a change
     */
    public BoundEvent(
            long boundMillis,
            OptionalLong lastMillis,
            SliceScheme scheme,
            long positionMillis,
            long ttlSeconds,
            long netFromMillis,
            boolean history) {
        this.boundMillis = boundMillis;
        this.lastMillis = lastMillis.orElse(NONE);
        this.scheme = scheme;
        this.positionMillis = positionMillis;
        this.ttlSeconds = ttlSeconds;
        this.netFromMillis = netFromMillis;
        this.history = history;
    }

    /** No window ends after this, ms since 1970. */
    public long boundMillis() {
        return boundMillis;
    }

    /** Slices of another scheme than {@link #scheme} are done when they have reached this. */
    public OptionalLong lastMillis() {
        return lastMillis == NONE ? OptionalLong.empty() : OptionalLong.of(lastMillis);
    }

    /** How the table is cut into slices at present. */
    public SliceScheme scheme() {
        return scheme;
    }

    /** Newest committed position on the server when the bound was looked up, ms since 1970. */
    public long positionMillis() {
        return positionMillis;
    }

    /** How long the server keeps changes, 0 when that is not known. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /**
     * No window that begins before this, ms since 1970, may be one of net changes: a row that came
     * while the content was read, and was deleted before the window ended, would net to nothing and
     * stay. Whole seconds.
     */
    public long netFromMillis() {
        return netFromMillis;
    }

    /**
     * Whether the table's changelog holds rows as they were before a change. Without them a row
     * with this version holds the values after it.
     */
    public boolean history() {
        return history;
    }

    /** Whether a reader may do the same by both; the positions may differ. */
    public boolean allowsTheSameAs(BoundEvent other) {
        return boundMillis == other.boundMillis
                && lastMillis == other.lastMillis
                && scheme.equals(other.scheme)
                && ttlSeconds == other.ttlSeconds
                && netFromMillis == other.netFromMillis
                && history == other.history;
    }

    @Override
    public String toString() {
        return String.format(
                "BoundEvent{bound %d, last %s, scheme %s, position %d, ttl %d s, net from %d,"
                        + " history %s}",
                boundMillis,
                lastMillis(),
                scheme,
                positionMillis,
                ttlSeconds,
                netFromMillis,
                history);
    }
}
