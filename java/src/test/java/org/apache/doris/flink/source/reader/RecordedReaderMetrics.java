package org.apache.doris.flink.source.reader;

import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The metric group of a source reader that remembers what was registered. */
final class RecordedReaderMetrics implements SourceReaderMetricGroup, OperatorIOMetricGroup {

    private final Map<String, Metric> metrics = new TreeMap<>();
    private final Map<String, Counter> standard = new HashMap<>();

    /** Names of what the reader registered. */
    Set<String> names() {
        return metrics.keySet();
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
    public Counter counter(String name) {
        return add(name, new SimpleCounter());
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
        return add(name, counter);
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        return add(name, gauge);
    }

    @Override
    public <H extends Histogram> H histogram(String name, H histogram) {
        return add(name, histogram);
    }

    @Override
    public <M extends Meter> M meter(String name, M meter) {
        return add(name, meter);
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
    public String[] getScopeComponents() {
        return new String[0];
    }

    @Override
    public Map<String, String> getAllVariables() {
        return Map.of();
    }

    @Override
    public String getMetricIdentifier(String name) {
        return name;
    }

    @Override
    public String getMetricIdentifier(String name, CharacterFilter filter) {
        return name;
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

    private <M extends Metric> M add(String name, M metric) {
        if (metrics.put(name, metric) != null) {
            throw new AssertionError(name + " is registered twice");
        }
        return metric;
    }

    private Counter standard(String name) {
        return standard.computeIfAbsent(name, key -> new SimpleCounter());
    }
}
