package org.apache.doris.flink.sink;

import org.apache.doris.flink.RecordedGroup;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

import java.util.Map;
import java.util.TreeMap;

/** A metric group that remembers what was registered, by name with its groups in front. */
public final class RecordedMetrics extends RecordedGroup implements SinkWriterMetricGroup {

    /** The id of the operator of every test. */
    public static final String OPERATOR = "0123456789abcdef0123456789abcdef";

    private final String path;
    private final Map<String, Metric> metrics;

    /** The group of an operator. */
    public RecordedMetrics() {
        this("", new TreeMap<>());
    }

    private RecordedMetrics(String path, Map<String, Metric> metrics) {
        super(path, metrics);
        this.path = path;
        this.metrics = metrics;
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

    private Counter standard(String name) {
        return (Counter) metrics.computeIfAbsent(name, key -> new SimpleCounter());
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
    public Map<String, String> getAllVariables() {
        return Map.of("<operator_id>", OPERATOR);
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
