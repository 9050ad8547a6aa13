package org.apache.doris.flink.source.event;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Enumerator to reader, while the content is read: how long the changes after it are still kept.
 * Nothing may be read on its strength; {@link BoundEvent}s take its place when the changes begin.
 */
@Internal
public final class RetentionEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;

    private final long startMillis;
    private final long positionMillis;
    private final long ttlSeconds;

    /**
     * @param startMillis where the changes will begin, ms since 1970
     * @param positionMillis newest committed position on the server, ms since 1970
     * @param ttlSeconds how long the server keeps changes, above 0
     */
    public RetentionEvent(long startMillis, long positionMillis, long ttlSeconds) {
        this.startMillis = startMillis;
        this.positionMillis = positionMillis;
        this.ttlSeconds = ttlSeconds;
    }

    /** Where the changes will begin, ms since 1970. */
    public long startMillis() {
        return startMillis;
    }

    /** Newest committed position on the server, ms since 1970. */
    public long positionMillis() {
        return positionMillis;
    }

    /** How long the server keeps changes. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    @Override
    public String toString() {
        return String.format(
                "RetentionEvent{start %d, position %d, ttl %d s}",
                startMillis, positionMillis, ttlSeconds);
    }
}
