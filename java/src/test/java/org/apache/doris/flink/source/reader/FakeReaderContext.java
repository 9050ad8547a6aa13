package org.apache.doris.flink.source.reader;

import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.UserCodeClassLoader;

import java.util.ArrayList;
import java.util.List;

/** The context of subtask 0, which records what the reader sends to the coordinator. */
final class FakeReaderContext implements SourceReaderContext {

    final List<SourceEvent> events = new ArrayList<>();

    /** Events and {@code request <n>}, in the order in which they were sent. */
    final List<String> order = new ArrayList<>();

    volatile int requests;

    private final SourceReaderMetricGroup metrics;

    FakeReaderContext(SourceReaderMetricGroup metrics) {
        this.metrics = metrics;
    }

    @Override
    public SourceReaderMetricGroup metricGroup() {
        return metrics;
    }

    @Override
    public Configuration getConfiguration() {
        return new Configuration();
    }

    @Override
    public String getLocalHostName() {
        return "localhost";
    }

    @Override
    public int getIndexOfSubtask() {
        return 0;
    }

    @Override
    public void sendSplitRequest() {
        requests++;
        order.add("request " + requests);
    }

    @Override
    public void sendSourceEventToCoordinator(SourceEvent event) {
        events.add(event);
        order.add(event.toString());
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        throw new UnsupportedOperationException();
    }
}
