package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/** A coordinator that remembers what it was told and runs background calls when the test says. */
class FakeEnumeratorContext implements SplitEnumeratorContext<DorisSplit> {

    final Map<Integer, ReaderInfo> readers = new HashMap<>();
    final Map<Integer, List<DorisSplit>> assigned = new HashMap<>();
    final Map<Integer, List<SourceEvent>> events = new HashMap<>();
    final Set<Integer> finished = new HashSet<>();
    private final Queue<Runnable> background = new ArrayDeque<>();
    private final List<Runnable> periodic = new ArrayList<>();
    final Map<String, Object> metrics = new HashMap<>();
    private final int parallelism;

    /** A coordinator of as many subtasks as are registered. */
    FakeEnumeratorContext() {
        this(-1);
    }

    /** A coordinator of so many subtasks, registered or not. */
    FakeEnumeratorContext(int parallelism) {
        this.parallelism = parallelism;
    }

    void register(int... subtasks) {
        for (int subtask : subtasks) {
            readers.put(subtask, new ReaderInfo(subtask, "host-" + subtask));
        }
    }

    /** Runs the background calls that wait; what their handlers throw reaches the test. */
    void runBackground() {
        while (!background.isEmpty()) {
            background.remove().run();
        }
    }

    /** Runs the background call that has waited longest. */
    void runOne() {
        background.remove().run();
    }

    /** The time of all periodic calls has come; each runs once, and then what it began. */
    void tick() {
        List.copyOf(periodic).forEach(Runnable::run);
        runBackground();
    }

    boolean hasBackground() {
        return !background.isEmpty();
    }

    List<DorisSplit> assignedTo(int subtask) {
        return assigned.getOrDefault(subtask, List.of());
    }

    List<DorisSplit> allAssigned() {
        List<DorisSplit> all = new ArrayList<>();
        assigned.values().forEach(all::addAll);
        return all;
    }

    /** Lets readers request splits, round by round, until each has what it can get. */
    void readAll(DorisEnumerator enumerator, int rounds, int... subtasks) {
        for (int round = 0; round < rounds; round++) {
            for (int subtask : subtasks) {
                if (!finished.contains(subtask)) {
                    enumerator.handleSplitRequest(subtask, "h");
                }
            }
            runBackground();
        }
    }

    @Override
    public SplitEnumeratorMetricGroup metricGroup() {
        return (SplitEnumeratorMetricGroup)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {SplitEnumeratorMetricGroup.class},
                        (proxy, method, arguments) -> register(method.getName(), arguments));
    }

    @Override
    public void sendEventToSourceReader(int subtaskId, SourceEvent event) {
        if (!readers.containsKey(subtaskId)) {
            throw new IllegalStateException("Subtask " + subtaskId + " is not ready.");
        }
        events.computeIfAbsent(subtaskId, any -> new ArrayList<>()).add(event);
    }

    @Override
    public int currentParallelism() {
        return parallelism < 0 ? readers.size() : parallelism;
    }

    @Override
    public Map<Integer, ReaderInfo> registeredReaders() {
        return readers;
    }

    @Override
    public void assignSplits(SplitsAssignment<DorisSplit> assignment) {
        assignment
                .assignment()
                .forEach(
                        (subtask, splits) -> {
                            if (!readers.containsKey(subtask)) {
                                throw new IllegalArgumentException(
                                        "Subtask " + subtask + " is not registered.");
                            }
                            assigned.computeIfAbsent(subtask, any -> new ArrayList<>())
                                    .addAll(splits);
                        });
    }

    @Override
    public void signalNoMoreSplits(int subtask) {
        finished.add(subtask);
    }

    @Override
    public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
        background.add(() -> call(callable, handler));
    }

    @Override
    public <T> void callAsync(
            Callable<T> callable, BiConsumer<T, Throwable> handler, long initial, long period) {
        periodic.add(() -> call(callable, handler));
    }

    @Override
    public void runInCoordinatorThread(Runnable runnable) {
        runnable.run();
    }

    /** Value of a figure that was registered. */
    long metric(String name) {
        Object metric = metrics.get(name);
        return metric instanceof Counter
                ? ((Counter) metric).getCount()
                : ((Number) ((Gauge<?>) metric).getValue()).longValue();
    }

    private Object register(String method, Object[] arguments) {
        Object metric;
        switch (method) {
            case "setUnassignedSplitsGauge":
                metrics.put("unassignedSplits", arguments[0]);
                return null;
            case "gauge":
                metric = arguments[1];
                break;
            case "counter":
                metric = new SimpleCounter();
                break;
            default:
                throw new UnsupportedOperationException(method);
        }
        metrics.put((String) arguments[0], metric);
        return metric;
    }

    private static <T> void call(Callable<T> callable, BiConsumer<T, Throwable> handler) {
        T result;
        try {
            result = callable.call();
        } catch (Throwable e) {
            handler.accept(null, e);
            return;
        }
        handler.accept(result, null);
    }
}
