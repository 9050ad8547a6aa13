package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.RecordedGroup;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The metric group of a source reader that remembers what was registered. */
final class RecordedReaderMetrics extends RecordedGroup
        implements SourceReaderMetricGroup, OperatorIOMetricGroup {

    private final Map<String, Metric> metrics;
    private final Map<String, Counter> standard = new HashMap<>();

    RecordedReaderMetrics() {
        this(new TreeMap<>());
    }

    private RecordedReaderMetrics(Map<String, Metric> metrics) {
        super("", metrics);
        this.metrics = metrics;
    }

    /** Value of a counter that the reader registered, or that Flink has. */
    long count(String name) {
        Metric own = metrics.get(name);
        return own == null ? standard(name).getCount() : ((Counter) own).getCount();
    }

    /** Value of a gauge. */
    long value(String name) {
        return ((Number) ((Gauge<?>) metrics.get(name)).getValue()).longValue();
    }

    @Override
    public MetricGroup addGroup(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, String> getAllVariables() {
        return Map.of();
    }

    @Override
    public OperatorIOMetricGroup getIOMetricGroup() {
        return this;
    }

    @Override
    public Counter getNumRecordsInErrorsCounter() {
        return standard("numRecordsInErrors");
    }

    @Override
    public void setPendingBytesGauge(Gauge<Long> gauge) {
        add("pendingBytes", gauge);
    }

    @Override
    public void setPendingRecordsGauge(Gauge<Long> gauge) {
        add("pendingRecords", gauge);
    }

    @Override
    public Counter getNumRecordsInCounter() {
        return standard("numRecordsIn");
    }

    @Override
    public Counter getNumRecordsOutCounter() {
        return standard("numRecordsOut");
    }

    @Override
    public Counter getNumBytesInCounter() {
        return standard("numBytesIn");
    }

    @Override
    public Counter getNumBytesOutCounter() {
        return standard("numBytesOut");
    }

    private Counter standard(String name) {
        return standard.computeIfAbsent(name, key -> new SimpleCounter());
    }
}
