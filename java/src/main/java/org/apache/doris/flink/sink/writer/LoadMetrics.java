package org.apache.doris.flink.sink.writer;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The 14 load metrics of one table, taken from the answers to its loads; what an answer lacks adds
 * nothing. Each is registered twice: as {@code <database.table>_<name>}, and under its plain name
 * in groups that carry database and table as variables.
 */
final class LoadMetrics {

    private final Map<String, Counter> sums = new LinkedHashMap<>();
    private final Map<String, Histogram> samples = new LinkedHashMap<>();
    private final Counter succeeded;
    private final Counter failed;

    LoadMetrics(MetricGroup group, String database, String table) {
        String prefix = database + "." + table + "_";
        MetricGroup labelled = group.addGroup("database", database).addGroup("table", table);
        sum(group, prefix, labelled, "totalFlushLoadBytes", "load.bytes");
        sum(group, prefix, labelled, "flushTotalNumberRows", "total.rows");
        sum(group, prefix, labelled, "totalFlushLoadedRows", "loaded.rows");
        sum(group, prefix, labelled, "totalFlushTimeMs", "load.time.ms");
        sum(group, prefix, labelled, "totalFlushFilteredRows", "filtered.rows");
        sum(group, prefix, labelled, "totalFlushUnselectedRows", "unselected.rows");
        succeeded = counter(group, prefix, labelled, "totalFlushSucceededNumber");
        failed = counter(group, prefix, labelled, "totalFlushFailedNumber");
        sample(group, prefix, labelled, "beginTxnTimeMs", "begin.txn.time.ms");
        sample(group, prefix, labelled, "putDataTimeMs", "put.time.ms");
        sample(group, prefix, labelled, "readDataTimeMs", "read.time.ms");
        sample(group, prefix, labelled, "writeDataTimeMs", "write.time.ms");
        sample(group, prefix, labelled, "commitAndPublishTimeMs", "commit.publish.time.ms");
        sample(group, prefix, labelled, "loadTimeMs", "load.time.ms");
    }

    /** A load succeeded, after as many failed attempts as its outcome holds. */
    void succeeded(LoadOutcome outcome) throws IOException {
        succeeded.inc();
        failed.inc(outcome.retries());
        for (Map.Entry<String, Counter> sum : sums.entrySet()) {
            OptionalLong value = outcome.number(sum.getKey());
            if (value.isPresent()) {
                sum.getValue().inc(value.getAsLong());
            }
        }
        for (Map.Entry<String, Histogram> sample : samples.entrySet()) {
            OptionalLong value = outcome.number(sample.getKey());
            if (value.isPresent()) {
                sample.getValue().update(value.getAsLong());
            }
        }
    }

    /** A load failed for good. */
    void failed() {
        failed.inc();
    }

    private void sum(
            MetricGroup group, String prefix, MetricGroup labelled, String name, String field) {
        sums.put(field, counter(group, prefix, labelled, name));
    }

    private static Counter counter(
            MetricGroup group, String prefix, MetricGroup labelled, String name) {
        Counter counter = new SimpleCounter();
        group.counter(prefix + name, counter);
        labelled.counter(name, new SameCounter(counter));
        return counter;
    }

    private void sample(
            MetricGroup group, String prefix, MetricGroup labelled, String name, String field) {
        Histogram histogram = new SampleHistogram();
        group.histogram(prefix + name, histogram);
        labelled.histogram(name, new SameHistogram(histogram));
        samples.put(field, histogram);
    }

    /**
     * The same numbers under a second name. Flink's REST interface keeps one name for each object,
     * so the first name would vanish from the web UI if one object had both.
     */
    private static final class SameCounter implements Counter {

        private final Counter counter;

        private SameCounter(Counter counter) {
            this.counter = counter;
        }

        @Override
        public void inc() {
            counter.inc();
        }

        @Override
        public void inc(long n) {
            counter.inc(n);
        }

        @Override
        public void dec() {
            counter.dec();
        }

        @Override
        public void dec(long n) {
            counter.dec(n);
        }

        @Override
        public long getCount() {
            return counter.getCount();
        }
    }

    /** See {@link SameCounter}. */
    private static final class SameHistogram implements Histogram {

        private final Histogram histogram;

        private SameHistogram(Histogram histogram) {
            this.histogram = histogram;
        }

        @Override
        public void update(long value) {
            histogram.update(value);
        }

        @Override
        public long getCount() {
            return histogram.getCount();
        }

        @Override
        public HistogramStatistics getStatistics() {
            return histogram.getStatistics();
        }
    }
}
