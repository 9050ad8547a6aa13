package org.apache.doris.flink;

import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

import java.util.Map;
import java.util.Set;

/** A metric group that remembers what was registered, by name with its groups in front. */
public abstract class RecordedGroup implements MetricGroup {

    private final String path;
    private final Map<String, Metric> metrics;

    /**
     * @param path groups in front of the names, each with its delimiter
     * @param metrics where what is registered goes
     */
    protected RecordedGroup(String path, Map<String, Metric> metrics) {
        this.path = path;
        this.metrics = metrics;
    }

    /** Names of everything registered. */
    public Set<String> names() {
        return metrics.keySet();
    }

    /** Remembers a metric; a name can be used once. */
    protected final <M extends Metric> M add(String name, M metric) {
        if (metrics.put(path + name, metric) != null) {
            throw new AssertionError(path + name + " is registered twice");
        }
        return metric;
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
    public String[] getScopeComponents() {
        return new String[0];
    }

    @Override
    public String getMetricIdentifier(String name) {
        return path + name;
    }

    @Override
    public String getMetricIdentifier(String name, CharacterFilter filter) {
        return path + name;
    }
}
