package org.apache.doris.flink.sink.committer;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** Metrics of one committer, beside those that Flink counts by itself. */
final class CommitterMetrics {

    private final Counter retries;
    private final Counter errorsIgnored;
    private final Counter abandonedAborted;
    private final Counter abandonedFailed;

    CommitterMetrics(MetricGroup group) {
        retries = group.counter("commitRetries");
        errorsIgnored = group.counter("commitErrorsIgnored");
        abandonedAborted = group.counter("abandonedLoadsAborted");
        abandonedFailed = group.counter("abandonedAbortFailures");
    }

    void retried(int count) {
        retries.inc(count);
    }

    void errorIgnored() {
        errorsIgnored.inc();
    }

    void abandonedAborted() {
        abandonedAborted.inc();
    }

    void abandonedFailed() {
        abandonedFailed.inc();
    }
}
