package org.apache.doris.flink.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.doris.flink.it.Json;

import java.io.IOException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One submission of the job, as Flink's REST API shows it. */
public final class RunningJob {

    private static final Set<String> ENDED = Set.of("FAILED", "CANCELED", "FINISHED", "SUSPENDED");

    private final FlinkRest rest;
    private final String id;
    private final int parallelism;

    RunningJob(FlinkRest rest, String id, int parallelism) {
        this.rest = rest;
        this.id = id;
        this.parallelism = parallelism;
    }

    /** Flink's id of it. */
    public String id() {
        return id;
    }

    /** How many subtasks it has. */
    public int parallelism() {
        return parallelism;
    }

    /** Flink's word for where the job is. */
    public String state() throws IOException {
        return (String) rest.get("/jobs/" + id).get("state");
    }

    /** Whether it has ended, however. */
    public boolean ended() throws IOException {
        return ENDED.contains(state());
    }

    /** Whether every task runs. */
    public boolean runs() throws IOException {
        Map<String, Object> job = rest.get("/jobs/" + id);
        return "RUNNING".equals(job.get("state"))
                && list(job, "vertices").stream()
                        .allMatch(vertex -> "RUNNING".equals(vertex.get("status")));
    }

    /** Number of the checkpoint or savepoint that was begun last; 0 when there is none. */
    public long newestBegun() throws IOException {
        return list(rest.get("/jobs/" + id + "/checkpoints"), "history").stream()
                .mapToLong(checkpoint -> (Long) checkpoint.get("id"))
                .max()
                .orElse(0);
    }

    /** Number of the newest completed checkpoint; 0 when there is none. */
    public long newestCompleted() throws IOException {
        Map<String, Object> latest = map(rest.get("/jobs/" + id + "/checkpoints"), "latest");
        Map<String, Object> completed = map(latest, "completed");
        return completed == null ? 0 : (Long) completed.get("id");
    }

    /** How many checkpoints were completed. */
    long completedCheckpoints() throws IOException {
        return (Long) map(rest.get("/jobs/" + id + "/checkpoints"), "counts").get("completed");
    }

    /** How often tasks were started again. */
    long restarts() throws IOException {
        String metrics = rest.text("/jobs/" + id + "/metrics?get=numRestarts");
        String digits = metrics.replaceAll(".*\"value\":\"(\\d+)\".*", "$1");
        return digits.matches("\\d+") ? Long.parseLong(digits) : 0;
    }

    /**
     * Sums over the subtasks of each operator that has a metric of a name, as the web UI has it.
     */
    List<Long> sums(String metric) throws IOException {
        List<Long> sums = new ArrayList<>();
        for (Map<String, Object> vertex : list(rest.get("/jobs/" + id), "vertices")) {
            String path = "/jobs/" + id + "/vertices/" + vertex.get("id") + "/subtasks/metrics";
            for (Map<String, Object> known : Json.objects(rest.text(path))) {
                String name = (String) known.get("id");
                if (name.endsWith("." + metric)) {
                    String query = "?agg=sum&get=" + URLEncoder.encode(name, UTF_8);
                    for (Map<String, Object> value : Json.objects(rest.text(path + query))) {
                        sums.add(Math.round(((Number) value.get("sum")).doubleValue()));
                    }
                }
            }
        }
        return sums;
    }

    /** Every failure that Flink remembers, newest first. */
    List<JobFailure> failures() throws IOException {
        Map<String, Object> history =
                map(rest.get("/jobs/" + id + "/exceptions?maxExceptions=50"), "exceptionHistory");
        List<JobFailure> failures = new ArrayList<>();
        for (Map<String, Object> entry : list(history, "entries")) {
            failures.add(new JobFailure(entry));
            list(entry, "concurrentExceptions")
                    .forEach(other -> failures.add(new JobFailure(other)));
        }
        return failures;
    }

    /** The task manager that runs a subtask of the operator with a stream's hooks. */
    String taskManager(Stream stream, int subtask) throws IOException {
        for (Map<String, Object> vertex : list(rest.get("/jobs/" + id), "vertices")) {
            String name = (String) vertex.get("name");
            boolean source = name.startsWith("Source: ");
            boolean hooks =
                    stream == Stream.UPDATES
                            ? !source
                            : name.contains("source-" + stream.operator());
            if (hooks) {
                Map<String, Object> tasks =
                        rest.get("/jobs/" + id + "/vertices/" + vertex.get("id"));
                for (Map<String, Object> task : list(tasks, "subtasks")) {
                    if (((Long) task.get("subtask")).intValue() == subtask) {
                        return (String) task.get("taskmanager-id");
                    }
                }
            }
        }
        throw new IOException("no task manager runs subtask " + subtask + " of " + stream);
    }

    /**
     * Stops the job with a savepoint.
     *
     * @return where the savepoint is
     * @throws StopFailed when Flink says that it did not work
     */
    String stopWithSavepoint(String folder, Waiter waiter) throws Exception {
        Map<String, Object> begun =
                rest.post(
                        "/jobs/" + id + "/stop",
                        "{\"drain\":false,\"targetDirectory\":\"" + folder + "\"}");
        return savepoint((String) begun.get("request-id"), waiter);
    }

    /** Takes a savepoint while the job runs on. */
    String takeSavepoint(String folder, Waiter waiter) throws Exception {
        Map<String, Object> begun =
                rest.post(
                        "/jobs/" + id + "/savepoints",
                        "{\"cancel-job\":false,\"target-directory\":\"" + folder + "\"}");
        return savepoint((String) begun.get("request-id"), waiter);
    }

    private String savepoint(String request, Waiter waiter) throws Exception {
        String path = "/jobs/" + id + "/savepoints/" + request;
        waiter.until(
                "the savepoint is done or has failed",
                () -> "COMPLETED".equals(map(rest.get(path), "status").get("id")));
        Map<String, Object> operation = map(rest.get(path), "operation");
        if (operation.get("location") == null) {
            throw new StopFailed(
                    String.valueOf(map(operation, "failure-cause").get("stack-trace")));
        }
        return (String) operation.get("location");
    }

    /** Ends the job and waits for it. */
    void cancel(Waiter waiter) throws Exception {
        rest.cancel(id);
        waiter.until("the job is cancelled", this::ended);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Map<String, Object> object, String name) {
        return (Map<String, Object>) object.get(name);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> object, String name) {
        Object list = object.get(name);
        return list == null ? List.of() : (List<Map<String, Object>>) list;
    }

    /** A savepoint did not come about, or the job did not stop with it. */
    static final class StopFailed extends Exception {

        private static final long serialVersionUID = 1L;

        StopFailed(String cause) {
            super(cause);
        }
    }
}
