package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.RunningJob.StopFailed;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The job of a run over all its submissions: started, stopped, restored as the documentation tells
 * users to.
 */
public final class Jobs {

    /** Submits the job of a run to where a configuration says. */
    @FunctionalInterface
    public interface Submission {

        /** Submits it with the parallelism, the checkpoints and the state of the configuration. */
        JobClient submit(Configuration configuration) throws Exception;
    }

    /** How long a run looks whether a stop that failed is followed by a conflict of labels. */
    private static final Duration RECOVERY = Duration.ofSeconds(120);

    private final Flink flink;
    private final Waiter waiter;
    private final RunLog log;
    private final Path folder;
    private final Submission submission;

    private RunningJob job;
    private long restartsBefore;
    private long restartsOfThis;
    private long checkpointsBefore;
    private long checkpointsOfThis;
    private int submissions;
    private long toldUpTo;

    /**
     * Savepoint of a stop that failed: part of it may be committed, so it may have to be restored.
     */
    private Optional<String> halfCommitted = Optional.empty();

    private boolean stopHasFailed;
    private boolean triesCheckpointFirst;

    /** Jobs of a cluster, whose checkpoints and savepoints go to a folder. */
    public Jobs(Flink flink, Waiter waiter, RunLog log, Path folder, Submission submission) {
        this.flink = flink;
        this.waiter = waiter;
        this.log = log;
        this.folder = folder;
        this.submission = submission;
    }

    /** The submission that runs. */
    public RunningJob job() {
        return job;
    }

    /** How often tasks or the job were started again, by Flink or by the run. */
    public long failovers() {
        return restartsBefore + restartsOfThis + Math.max(0, submissions - 1);
    }

    /** How many checkpoints were completed, over all submissions. */
    public long checkpoints() {
        return checkpointsBefore + checkpointsOfThis;
    }

    /** Starts the job, from a checkpoint or savepoint if there is one. */
    public void submit(int parallelism, Optional<String> restored) throws Exception {
        Configuration configuration = flink.client();
        settings(parallelism).forEach(configuration::setString);
        restored.ifPresent(path -> configuration.setString("execution.state-recovery.path", path));
        restartsBefore += restartsOfThis;
        checkpointsBefore += checkpointsOfThis;
        restartsOfThis = 0;
        checkpointsOfThis = 0;
        JobClient client = submission.submit(configuration);
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
                Map.entry("restart-strategy.type", "fixed-delay"),
                Map.entry("restart-strategy.fixed-delay.attempts", "1000000"),
                Map.entry("restart-strategy.fixed-delay.delay", "200 ms"));
    }

    /**
     * Waits until all tasks run and a checkpoint that began after this call is complete. A conflict
     * of labels is answered as documented where it is to be expected, by restoring the savepoint of
     * a stop that failed; anywhere else it ends the run.
     */
    public void recover() throws Exception {
        long begun = newestBegun();
        long end = System.nanoTime() + RECOVERY.toNanos();
        while (!waiter.within(Duration.ofSeconds(1), () -> healthySince(begun))) {
            Optional<JobFailure> conflict = conflict();
            if (conflict.isPresent() && halfCommitted.isPresent()) {
                tellFailures();
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
                throw new Waiter.Stuck(
                        "a conflict of labels that nothing explains: " + conflict.get().cause());
            }
            if (job.ended()) {
                if (!stopHasFailed) {
                    throw new Waiter.Stuck("the job has ended: " + job.state());
                }
                restartAfterFailedStop();
                recover();
                return;
            }
            if (System.nanoTime() - end > 0) {
                throw new Waiter.Stuck("no new checkpoint within " + RECOVERY.toSeconds() + " s");
            }
        }
        // A checkpoint later than the savepoint holds everything that the savepoint held.
        halfCommitted = Optional.empty();
        stopHasFailed = false;
        tellFailures();
        sample();
    }

    /**
     * Flink ends a job whose stop failed after its savepoint was complete. It can be restored from
     * that savepoint; from the checkpoint before it only when nothing of the savepoint was
     * committed, which the sink has to find out. Never from one that Flink completed while the job
     * was stopping: it may hold tasks as finished, and those send nothing any more.
     */
    private void restartAfterFailedStop() throws Exception {
        tellFailures();
        Path checkpoints = folder.resolve("checkpoints").resolve(job.id());
        long taken = halfCommitted.isPresent() ? millis(halfCommitted.get()) : Long.MAX_VALUE;
        Optional<String> checkpoint =
                complete(checkpoints).stream()
                        .filter(path -> millis(path) < taken)
                        .reduce((older, newer) -> newer);
        boolean savepoint =
                halfCommitted.isPresent() && !(triesCheckpointFirst && checkpoint.isPresent());
        log.step(
                "the job has ended with its stop; the user tries the %s",
                savepoint ? "savepoint" : "checkpoint before it");
        submit(job.parallelism(), savepoint ? halfCommitted : checkpoint);
        if (savepoint) {
            halfCommitted = Optional.empty();
        }
    }

    /** Logs what the job has failed of since the last time, each cause once. */
    public void tellFailures() {
        long before = toldUpTo;
        Set<String> causes = new LinkedHashSet<>();
        try {
            for (JobFailure failure : job.failures()) {
                if (failure.timestamp() > before) {
                    causes.add(failure.cause());
                    toldUpTo = Math.max(toldUpTo, failure.timestamp());
                }
            }
        } catch (IOException unreachable) {
            log.step("  what it failed of is not known: %s", unreachable.getMessage());
        }
        causes.forEach(cause -> log.step("  failed of %s", cause));
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
    private Optional<JobFailure> conflict() throws IOException {
        return job.failures().stream().limit(1).filter(JobFailure::isConflictOfLabels).findFirst();
    }

    /** Remembers the figures of this submission, which are gone with it. */
    public void sample() {
        try {
            restartsOfThis = Math.max(restartsOfThis, job.restarts());
            checkpointsOfThis = Math.max(checkpointsOfThis, job.completedCheckpoints());
        } catch (IOException unreachable) {
            // The figures of the last look have to do.
        }
    }

    /**
     * Stops the job with a savepoint and goes on from it with another parallelism.
     *
     * @param triesCheckpoint as for {@link #stop}
     */
    public void rescale(int parallelism, boolean triesCheckpoint) throws Exception {
        Optional<String> savepoint = stop(triesCheckpoint);
        if (savepoint.isPresent()) {
            submit(parallelism, savepoint);
        }
    }

    /**
     * Stops the job with a savepoint; empty when that failed.
     *
     * @param triesCheckpoint whether the user, when the stop fails and ends the job, first tries to
     *     restore the checkpoint before the savepoint
     */
    public Optional<String> stop(boolean triesCheckpoint) throws Exception {
        sample();
        triesCheckpointFirst = triesCheckpoint;
        Optional<String> older = newest(folder.resolve("savepoints"));
        try {
            String savepoint = job.stopWithSavepoint(uri("savepoints"), waiter);
            waiter.until("the job has ended", job::ended);
            log.step("stopped with %s", savepoint);
            return Optional.of(savepoint);
        } catch (StopFailed failed) {
            stopHasFailed = true;
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

    /** Cancels the job; its checkpoints stay. */
    public void cancel() throws Exception {
        sample();
        job.cancel(waiter);
    }

    /** Goes on from the newest checkpoint of the job, which was cancelled. */
    public void restoreNewest() throws Exception {
        submit(job.parallelism(), newest(folder.resolve("checkpoints").resolve(job.id())));
    }

    /** When the newest checkpoint of the job, which was cancelled, was complete. */
    long newestCheckpointMillis() throws IOException {
        return millis(newest(folder.resolve("checkpoints").resolve(job.id())).orElseThrow());
    }

    /** When a checkpoint or savepoint was complete. */
    private static long millis(String path) {
        return Path.of(URI.create(path)).resolve("_metadata").toFile().lastModified();
    }

    /**
     * Tries to restore the checkpoint before the newest, all of which is committed: the sink has to
     * refuse. Then goes on from the newest. False when there is no such checkpoint.
     */
    boolean restoreTooOld() throws Exception {
        List<String> complete = complete(folder.resolve("checkpoints").resolve(job.id()));
        String newest = complete.get(complete.size() - 1);
        if (complete.size() > 1) {
            submit(job.parallelism(), Optional.of(complete.get(complete.size() - 2)));
            waiter.until("the older checkpoint is refused", () -> conflict().isPresent());
            log.step("  refused: %s", conflict().get().cause());
            cancel();
        }
        submit(job.parallelism(), Optional.of(newest));
        return complete.size() > 1;
    }

    /** Goes on from the newest checkpoint of all submissions, after the job manager was lost. */
    public void restoreRetained() throws Exception {
        submit(job.parallelism(), newest(folder.resolve("checkpoints")));
    }

    /** Takes a savepoint that nobody will restore. */
    public void takeSavepoint() throws Exception {
        try {
            log.step("took %s", job.takeSavepoint(uri("savepoints"), waiter));
        } catch (StopFailed failed) {
            log.step("no savepoint: %s", failed.getMessage().lines().findFirst().orElse(""));
        }
    }

    /** The complete checkpoint or savepoint below a folder that was finished last. */
    private static Optional<String> newest(Path below) throws IOException {
        List<String> complete = complete(below);
        return complete.isEmpty()
                ? Optional.empty()
                : Optional.of(complete.get(complete.size() - 1));
    }

    /** The complete checkpoints or savepoints below a folder in the order of their ends. */
    private static List<String> complete(Path below) throws IOException {
        while (Files.exists(below)) {
            try (Stream<Path> files = Files.walk(below)) {
                List<Path> complete =
                        files.filter(file -> file.endsWith("_metadata"))
                                .collect(Collectors.toList());
                complete.sort(Comparator.comparingLong(file -> file.toFile().lastModified()));
                return complete.stream()
                        .map(file -> file.getParent().toUri().toString())
                        .collect(Collectors.toList());
            } catch (UncheckedIOException deleted) {
                // Flink deletes old checkpoints while they are listed.
            }
        }
        return List.of();
    }

    private String uri(String name) {
        return folder.resolve(name).toUri().toString();
    }
}
