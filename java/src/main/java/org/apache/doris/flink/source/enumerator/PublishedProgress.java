package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.offset.OffsetPublisher;
import org.apache.doris.flink.source.offset.OffsetTable;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

import java.util.function.LongSupplier;

/**
 * What is published of progress: the slowest of all known slices, as completed checkpoints cover
 * it. A slice that was never reported counts with its start, one of a former scheme until new ones
 * take its place.
 */
final class PublishedProgress {

    private static final long TICK_MILLIS = 1000;

    private final SliceRegistry slices;
    private final OffsetPublisher publisher;

    /**
     * @param clock milliseconds of a clock that never goes back
     */
    PublishedProgress(OffsetTable table, SliceRegistry slices, LongSupplier clock) {
        this.slices = slices;
        this.publisher = new OffsetPublisher(table, clock);
    }

    /** Begins to look after writes. */
    void start(SplitEnumeratorContext<DorisSplit> context) {
        context.callAsync(
                () -> null, (nothing, failure) -> publisher.advance(), TICK_MILLIS, TICK_MILLIS);
    }

    /**
     * A reader's report has made progress certain; one without slices is from before the changes
     * were followed.
     */
    void covered(CoveredEvent event) {
        boolean changes =
                event.coveredMillis().keySet().stream().anyMatch(slices.covered()::containsKey);
        if (changes) {
            slices.minCovered().ifPresent(publisher::publish);
        }
    }

    /** Figures of the offset table. */
    void registerMetrics(SplitEnumeratorMetricGroup metrics) {
        metrics.gauge("offsetPublishedTimestamp", publisher::publishedMillis);
        metrics.gauge("offsetPublishLagMs", publisher::lagMillis);
        metrics.gauge("offsetPublishFailures", publisher::failures);
    }

    /** One last attempt to write; takes 5 s at most. */
    void close() {
        publisher.close();
    }
}
