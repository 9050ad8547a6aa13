package org.apache.doris.flink.source.event;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

import java.util.List;

/**
 * Enumerator to reader: the partitions of these slices are gone for good. The reader drops them
 * with their open windows and reports each as finished to Flink, once.
 */
@Internal
public final class SlicesGoneEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;

    private final List<String> splitIds;

    /** Split ids, not partition ids; those that the reader does not hold are ignored. */
    public SlicesGoneEvent(List<String> splitIds) {
        this.splitIds = List.copyOf(splitIds);
    }

    public List<String> splitIds() {
        return splitIds;
    }

    @Override
    public String toString() {
        return "SlicesGoneEvent" + splitIds;
    }
}
