package org.apache.doris.flink.source.event;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Reader to enumerator: this reader alone has emitted as many rows as the query wants since it
 * began, so no reader needs a further split. Sent before the request for one.
 */
@Internal
public final class LimitReachedEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
        return "LimitReachedEvent";
    }
}
