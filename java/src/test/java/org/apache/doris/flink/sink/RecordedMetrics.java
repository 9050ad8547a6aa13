package org.apache.doris.flink.sink;

import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A metric group that remembers what was registered, by name with its groups in front. */
public final class RecordedMetrics implements SinkWriterMetricGroup {

    /** The id of the operator of every test. */
    public static final String OPERATOR = "0123456789abcdef0123456789abcdef";

    private final String path;
    private final Map<String, Metric> metrics;

    /** The group of an operator. */
    public RecordedMetrics() {
        this("", new TreeMap<>());
    }

    private RecordedMetrics(String path, Map<String, Metric> metrics) {
        this.path = path;
        this.metrics = metrics;
    }

    /** Names of everything registered. */
    public Set<String> names() {
        return metrics.keySet();
    }

    /** A metric, for its type. */
    public Metric metric(String name) {
        return metrics.get(name);
    }

    /** Value of a counter. */
    public long count(String name) {
        return ((Counter) metrics.get(name)).getCount();
    }

    /** Value of a gauge. */
    public Object value(String name) {
        return ((Gauge<?>) metrics.get(name)).getValue();
    }

    private <M extends Metric> M add(String name, M metric) {
        if (metrics.put(path + name, metric) != null) {
            throw new AssertionError(path + name + " is registered twice");
        }
        return metric;
    }

    private Counter standard(String name) {
        return (Counter) metrics.computeIfAbsent(name, key -> new SimpleCounter());
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
        return new RecordedMetrics(path + name + ".", metrics);
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
        return new RecordedMetrics(path + key + "=" + value + ".", metrics);
    }

    @Override
    public String[] getScopeComponents() {
        return new String[0];
    }

    @Override
    public Map<String, String> getAllVariables() {
        return Map.of("<operator_id>", OPERATOR);
    }

    @Override
    public String getMetricIdentifier(String name) {
        return path + name;
    }

    @Override
    public String getMetricIdentifier(String name, CharacterFilter filter) {
        return path + name;
    }

    @Override
    public OperatorIOMetricGroup getIOMetricGroup() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Counter getNumRecordsOutErrorsCounter() {
        return standard("numRecordsOutErrors");
    }

    @Override
    public Counter getNumRecordsSendErrorsCounter() {
        return standard("numRecordsSendErrors");
    }

    @Override
    public Counter getNumRecordsSendCounter() {
        return standard("numRecordsSend");
    }

    @Override
    public Counter getNumBytesSendCounter() {
        return standard("numBytesSend");
    }

    @Override
    public void setCurrentSendTimeGauge(Gauge<Long> gauge) {
        metrics.put("currentSendTime", gauge);
    }
}
