package org.apache.doris.flink.chaos;

import org.apache.flink.configuration.Configuration;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** A standalone cluster of a Flink distribution, whose processes are killed and stopped. */
public final class ProcessFlink implements Flink {

    private static final int TASK_MANAGERS = 2;
    private static final int SLOTS = 4;

    private final Path folder;
    private final Path home;
    private final List<Path> jars;
    private final Waiter waiter;
    private final FlinkRest rest;

    private Process jobManager;

    /** Task managers that run, by the order of their start, by id. */
    private final Map<String, Process> taskManagers = new TreeMap<>();

    /** Everything that was ever started, for the end. */
    private final List<Process> all = new CopyOnWriteArrayList<>();

    private int started;

    /** Starts the processes and waits until the cluster is complete. */
    public ProcessFlink(Path folder, Path home, List<Path> jars, Waiter waiter) throws Exception {
        this.folder = folder;
        this.home = home;
        this.jars = jars;
        this.waiter = waiter;
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Files.createDirectories(folder.resolve("tmp"));
        try (var files = Files.list(home.resolve("conf"))) {
            for (Path file : files.collect(Collectors.toList())) {
                if (file.getFileName().toString().startsWith("log")) {
                    Files.copy(file, conf.resolve(file.getFileName()));
                }
            }
        }
        int port = freePort();
        Map<String, String> settings = new TreeMap<>(Flink.settings(folder));
        settings.put("jobmanager.rpc.address", "127.0.0.1");
        settings.put("jobmanager.rpc.port", String.valueOf(freePort()));
        settings.put("jobmanager.bind-host", "127.0.0.1");
        settings.put("jobmanager.memory.process.size", "900m");
        settings.put("taskmanager.host", "127.0.0.1");
        settings.put("taskmanager.bind-host", "127.0.0.1");
        settings.put("taskmanager.numberOfTaskSlots", String.valueOf(SLOTS));
        settings.put("taskmanager.memory.process.size", "1200m");
        settings.put("taskmanager.memory.managed.size", "64m");
        settings.put("taskmanager.load-balance.mode", "SLOTS");
        settings.put("rest.address", "127.0.0.1");
        settings.put("rest.bind-address", "127.0.0.1");
        settings.put("rest.port", String.valueOf(port));
        settings.put("blob.server.port", "\"0\"");
        settings.put("blob.storage.directory", folder.resolve("tmp").toString());
        List<String> lines = new ArrayList<>();
        settings.forEach((key, value) -> lines.add(key + ": " + value));
        Files.write(conf.resolve("config.yaml"), lines);
        rest = new FlinkRest(URI.create("http://127.0.0.1:" + port));
        // However this process ends, none of those may outlive it.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> all.forEach(Process::destroyForcibly)));
        startJobManager();
        for (int i = 0; i < TASK_MANAGERS; i++) {
            startTaskManager();
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
        client.setString(
                "pipeline.jars",
                jars.stream().map(jar -> jar.toUri().toString()).collect(Collectors.joining(";")));
        return client;
    }

    @Override
    public void endTaskManager(String id) throws Exception {
        kill(taskManagers.remove(id));
    }

    @Override
    public void endSomeTaskManager(int draw) throws Exception {
        endTaskManager(some(draw));
    }

    @Override
    public void startTaskManager() throws Exception {
        String id = "tm-" + started;
        Process process = start("taskmanager", "-Dtaskmanager.resource-id=" + id);
        taskManagers.put(id, process);
        waiter.until("task manager " + id + " is known", () -> known().contains(id));
    }

    @Override
    public Runnable suspendSomeTaskManager(int draw) throws Exception {
        // It comes back later than another was started for it, and is not counted on.
        Process process = taskManagers.remove(some(draw));
        signal(process, "STOP");
        return () -> signal(process, "CONT");
    }

    @Override
    public void replaceJobManager() throws Exception {
        kill(jobManager);
        startJobManager();
        waiter.until(
                "the task managers have found the new job manager",
                () -> known().containsAll(taskManagers.keySet()));
    }

    @Override
    public void close() throws Exception {
        for (Process process : all) {
            kill(process);
        }
    }

    private String some(int draw) {
        List<String> ids = new ArrayList<>(taskManagers.keySet());
        return ids.get(draw % ids.size());
    }

    private void startJobManager() throws Exception {
        jobManager = start("jobmanager");
        waiter.until("the job manager answers", () -> rest.get("/overview") != null);
    }

    private Process start(String what, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve(what + ".sh").toString());
        command.add("start-foreground");
        command.addAll(List.of(arguments));
        Path logs = Files.createDirectories(folder.resolve("log-" + what + "-" + started++));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("FLINK_CONF_DIR", folder.resolve("conf").toString());
        builder.environment().put("FLINK_LOG_DIR", logs.toString());
        builder.environment().put("FLINK_PID_DIR", logs.toString());
        File out = logs.resolve("out").toFile();
        Process process = builder.redirectErrorStream(true).redirectOutput(out).start();
        all.add(process);
        return process;
    }

    private List<String> known() throws IOException {
        List<String> ids = new ArrayList<>();
        for (Object taskManager : (List<?>) rest.get("/taskmanagers").get("taskmanagers")) {
            ids.add((String) ((Map<?, ?>) taskManager).get("id"));
        }
        return ids;
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private static void signal(Process process, String signal) {
        try {
            String pid = String.valueOf(process.pid());
            new ProcessBuilder("kill", "-" + signal, pid).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("no signal could be sent", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
