package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.RunningJob.StopFailed;
import org.apache.doris.flink.chaos.job.ChaosJob;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The job of a run over all its submissions: started, stopped, restored as the documentation tells
 * users to.
 */
final class Jobs {

    /** How long a run looks whether a stop that failed is followed by a conflict of labels. */
    private static final Duration RECOVERY = Duration.ofSeconds(120);

    private final Flink flink;
    private final Waiter waiter;
    private final RunLog log;
    private final Path folder;
    private final long seed;
    private final Path control;
    private final Map<String, String> options;

    private RunningJob job;
    private long restartsBefore;
    private long restartsOfThis;
    private long checkpointsBefore;
    private long checkpointsOfThis;
    private int submissions;

    /**
     * Savepoint of a stop that failed: part of it may be committed, so it may have to be restored.
     */
    private Optional<String> halfCommitted = Optional.empty();

    Jobs(
            Flink flink,
            Waiter waiter,
            RunLog log,
            Path folder,
            long seed,
            Path control,
            Map<String, String> options) {
        this.flink = flink;
        this.waiter = waiter;
        this.log = log;
        this.folder = folder;
        this.seed = seed;
        this.control = control;
        this.options = options;
    }

    RunningJob job() {
        return job;
    }

    /** How often tasks or the job were started again, by Flink or by the run. */
    long failovers() {
        return restartsBefore + restartsOfThis + Math.max(0, submissions - 1);
    }

    long checkpoints() {
        return checkpointsBefore + checkpointsOfThis;
    }

    /** Starts the job, from a checkpoint or savepoint if there is one. */
    void submit(int parallelism, Optional<String> restored) throws Exception {
        Configuration configuration = flink.client();
        settings(parallelism).forEach(configuration::setString);
        restored.ifPresent(path -> configuration.setString("execution.state-recovery.path", path));
        restartsBefore += restartsOfThis;
        checkpointsBefore += checkpointsOfThis;
        restartsOfThis = 0;
        checkpointsOfThis = 0;
        JobClient client = ChaosJob.submit(configuration, seed, control.toString(), options);
        job = new RunningJob(flink.rest(), client.getJobID().toString(), parallelism);
        submissions++;
        log.step(
                "job %s submitted with parallelism %d%s",
                job.id(), parallelism, restored.map(path -> ", restored from " + path).orElse(""));
    }

    private Map<String, String> settings(int parallelism) {
        return Map.ofEntries(
                Map.entry("parallelism.default", String.valueOf(parallelism)),
                Map.entry("pipeline.max-parallelism", "32"),
                Map.entry("execution.checkpointing.interval", "300 ms"),
                Map.entry("execution.checkpointing.min-pause", "100 ms"),
                Map.entry("execution.checkpointing.timeout", "20 s"),
                Map.entry("execution.checkpointing.tolerable-failed-checkpoints", "1000"),
                Map.entry("execution.checkpointing.storage", "filesystem"),
                Map.entry("execution.checkpointing.dir", uri("checkpoints")),
                Map.entry(
                        "execution.checkpointing.externalized-checkpoint-retention",
                        "RETAIN_ON_CANCELLATION"),
                Map.entry("execution.checkpointing.num-retained", "2"),
                Map.entry("restart-strategy.type", "fixed-delay"),
                Map.entry("restart-strategy.fixed-delay.attempts", "1000000"),
                Map.entry("restart-strategy.fixed-delay.delay", "200 ms"));
    }

    /**
     * Waits until all tasks run and a checkpoint that began after this call is complete. A conflict
     * of labels is answered as documented where it is to be expected, by restoring the savepoint of
     * a stop that failed; anywhere else it ends the run.
     */
    void recover() throws Exception {
        long begun = newestBegun();
        long end = System.nanoTime() + RECOVERY.toNanos();
        while (!waiter.within(Duration.ofSeconds(1), () -> healthySince(begun))) {
            Optional<String> conflict = conflict();
            if (conflict.isPresent() && halfCommitted.isPresent()) {
                log.step("the stop that failed had committed a part; its savepoint is restored");
                job.cancel(waiter);
                sample();
                String savepoint = halfCommitted.get();
                halfCommitted = Optional.empty();
                submit(job.parallelism(), Optional.of(savepoint));
                recover();
                return;
            }
            if (conflict.isPresent()) {
                throw new Waiter.Stuck("a conflict of labels that nothing explains: " + conflict);
            }
            if (job.ended()) {
                throw new Waiter.Stuck("the job has ended: " + job.state());
            }
            if (System.nanoTime() - end > 0) {
                throw new Waiter.Stuck("no new checkpoint within " + RECOVERY.toSeconds() + " s");
            }
        }
        // A checkpoint later than the savepoint holds everything that the savepoint held.
        halfCommitted = Optional.empty();
        sample();
    }

    private long newestBegun() throws Exception {
        long[] begun = new long[1];
        waiter.until(
                "the job tells its checkpoints",
                () -> {
                    begun[0] = job.newestBegun();
                    return true;
                });
        return begun[0];
    }

    private boolean healthySince(long begun) throws IOException {
        return job.newestCompleted() > begun && job.runs();
    }

    /** The newest failure, if it is one about labels that were used already. */
    private Optional<String> conflict() throws IOException {
        return job.failures().stream()
                .limit(1)
                .filter(failure -> failure.contains("sink.label-prefix"))
                .findFirst();
    }

    /** Remembers the figures of this submission, which are gone with it. */
    void sample() {
        try {
            restartsOfThis = Math.max(restartsOfThis, job.restarts());
            checkpointsOfThis = Math.max(checkpointsOfThis, job.completedCheckpoints());
        } catch (IOException unreachable) {
            // The figures of the last look have to do.
        }
    }

    /** Stops the job with a savepoint and goes on from it with another parallelism. */
    void rescale(int parallelism) throws Exception {
        Optional<String> savepoint = stop();
        if (savepoint.isPresent()) {
            submit(parallelism, savepoint);
        }
    }

    /** Stops the job with a savepoint; empty when that failed and the job goes on. */
    Optional<String> stop() throws Exception {
        sample();
        Optional<String> older = newest(folder.resolve("savepoints"));
        try {
            String savepoint = job.stopWithSavepoint(uri("savepoints"), waiter);
            waiter.until("the job has ended", job::ended);
            log.step("stopped with %s", savepoint);
            return Optional.of(savepoint);
        } catch (StopFailed failed) {
            halfCommitted =
                    newest(folder.resolve("savepoints"))
                            .filter(path -> !older.equals(Optional.of(path)));
            log.step(
                    "the stop failed, savepoint %s: %s",
                    halfCommitted.orElse("none"),
                    failed.getMessage().lines().findFirst().orElse(""));
            return Optional.empty();
        }
    }

    /** Cancels the job and goes on from its newest checkpoint. */
    void restoreNewest() throws Exception {
        sample();
        job.cancel(waiter);
        submit(job.parallelism(), newest(folder.resolve("checkpoints").resolve(job.id())));
    }

    /** Goes on from the newest checkpoint of all submissions, after the job manager was lost. */
    void restoreRetained() throws Exception {
        submit(job.parallelism(), newest(folder.resolve("checkpoints")));
    }

    /** Takes a savepoint that nobody will restore. */
    void takeSavepoint() throws Exception {
        try {
            log.step("took %s", job.takeSavepoint(uri("savepoints"), waiter));
        } catch (StopFailed failed) {
            log.step("no savepoint: %s", failed.getMessage().lines().findFirst().orElse(""));
        }
    }

    /** The complete checkpoint or savepoint below a folder that was finished last. */
    private static Optional<String> newest(Path below) throws IOException {
        while (Files.exists(below)) {
            try (Stream<Path> files = Files.walk(below)) {
                List<Path> complete =
                        files.filter(file -> file.endsWith("_metadata"))
                                .collect(Collectors.toList());
                return complete.stream()
                        .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
                        .map(file -> file.getParent().toUri().toString());
            } catch (UncheckedIOException deleted) {
                // Flink deletes old checkpoints while they are listed.
            }
        }
        return Optional.empty();
    }

    private String uri(String name) {
        return folder.resolve(name).toUri().toString();
    }
}
