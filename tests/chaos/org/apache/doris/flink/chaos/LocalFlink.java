package org.apache.doris.flink.chaos;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A cluster in this JVM. A task of a task manager that was ended goes on as long as it likes. */
public final class LocalFlink implements Flink {

    private static final int TASK_MANAGERS = 3;
    private static final int SLOTS = 4;

    /**
     * Task managers that the cluster starts with: at least two, or tasks could not talk to those of
     * others. Which is which cannot be told, so they end as soon as there are others.
     */
    private static final int UNNAMED = 2;

    private final Waiter waiter;
    private final MiniCluster cluster;
    private final FlinkRest rest;

    /** Ids of task managers by the order of their start; null once ended. */
    private final List<String> taskManagers = new ArrayList<>();

    /** Flink lists a task manager that has ended for a while. */
    private final Set<String> everKnown = new HashSet<>();

    /** Starts the cluster. */
    public LocalFlink(Path folder, Waiter waiter) throws Exception {
        this.waiter = waiter;
        Files.createDirectories(folder.resolve("tmp"));
        Configuration configuration = new Configuration();
        Flink.settings(folder).forEach(configuration::setString);
        configuration.setString("rest.bind-port", "0");
        configuration.setString("taskmanager.load-balance.mode", "SLOTS");
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(UNNAMED)
                                .setNumSlotsPerTaskManager(SLOTS)
                                .build());
        cluster.start();
        rest = new FlinkRest(cluster.getRestAddress().get());
        waiter.until("the first task managers are known", () -> known().size() == UNNAMED);
        everKnown.addAll(known());
        for (int i = 0; i < UNNAMED; i++) {
            taskManagers.add(null);
        }
        for (int i = 0; i < TASK_MANAGERS; i++) {
            startTaskManager();
        }
        for (int i = 0; i < UNNAMED; i++) {
            cluster.terminateTaskManager(i).get();
        }
    }

    @Override
    public FlinkRest rest() {
        return rest;
    }

    @Override
    public Configuration client() {
        Configuration client = new Configuration();
        client.setString("execution.target", "remote");
        client.setString("rest.address", rest.address().getHost());
        client.setString("rest.port", String.valueOf(rest.address().getPort()));
        return client;
    }

    @Override
    public void endTaskManager(String id) {
        end(taskManagers.indexOf(id));
    }

    @Override
    public void endSomeTaskManager(int draw) {
        List<String> alive = new ArrayList<>(taskManagers);
        alive.removeIf(java.util.Objects::isNull);
        end(taskManagers.indexOf(alive.get(draw % alive.size())));
    }

    @Override
    public void startTaskManager() throws Exception {
        cluster.startTaskManager();
        learn();
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }

    private void end(int index) {
        // Its end is not awaited: a task that stands still keeps it from ending.
        cluster.terminateTaskManager(index);
        taskManagers.set(index, null);
    }

    /** Waits until the task manager that was started last has told its id. */
    private void learn() throws Exception {
        waiter.until(
                "the new task manager is known",
                () -> {
                    TreeSet<String> fresh = new TreeSet<>(known());
                    fresh.removeAll(everKnown);
                    if (fresh.isEmpty()) {
                        return false;
                    }
                    taskManagers.add(fresh.first());
                    everKnown.add(fresh.first());
                    return true;
                });
    }

    private List<String> known() throws IOException {
        List<String> ids = new ArrayList<>();
        for (Object taskManager : (List<?>) rest.get("/taskmanagers").get("taskmanagers")) {
            ids.add((String) ((Map<?, ?>) taskManager).get("id"));
        }
        return ids;
    }
}
