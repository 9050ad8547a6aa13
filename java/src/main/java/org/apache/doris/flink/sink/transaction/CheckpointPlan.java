package org.apache.doris.flink.sink.transaction;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the sink knows of the job's checkpoints, the time limits that follow from them, and what is
 * to be logged about them at the start. Immutable; travels with the job.
 */
@Internal
public final class CheckpointPlan implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Of a job whose settings could not be read. */
    public static final CheckpointPlan UNKNOWN =
            new CheckpointPlan(false, false, true, Duration.ZERO, Duration.ZERO);

    /** Seconds that are enough for a load that is open for no checkpoint. */
    static final long LEAST_LOAD_TIMEOUT = 3600;

    /** The most that a front end grants by default (Doris manual, Stream Load). */
    private static final long MOST_LOAD_TIMEOUT = 259_200;

    private static final Duration UNKNOWN_ANSWER_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration ANSWER_MARGIN = Duration.ofSeconds(60);

    private final boolean streaming;
    private final boolean enabled;
    private final boolean afterTasksFinish;
    private final Duration interval;
    private final Duration timeout;
    private final boolean unaligned;

    /**
     * With aligned checkpoints.
     *
     * @param streaming whether the job is known to run in streaming mode
     * @param enabled whether it takes checkpoints
     * @param afterTasksFinish whether it takes them also when some tasks have ended
     */
    public CheckpointPlan(
            boolean streaming,
            boolean enabled,
            boolean afterTasksFinish,
            Duration interval,
            Duration timeout) {
        this(streaming, enabled, afterTasksFinish, interval, timeout, false);
    }

    private CheckpointPlan(
            boolean streaming,
            boolean enabled,
            boolean afterTasksFinish,
            Duration interval,
            Duration timeout,
            boolean unaligned) {
        this.streaming = streaming;
        this.enabled = enabled;
        this.afterTasksFinish = afterTasksFinish;
        this.interval = interval;
        this.timeout = timeout;
        this.unaligned = unaligned;
    }

    /** The same with checkpoints that may overtake rows. */
    CheckpointPlan unaligned() {
        return new CheckpointPlan(streaming, enabled, afterTasksFinish, interval, timeout, true);
    }

    /** Whether the job takes checkpoints. */
    public boolean enabled() {
        return enabled;
    }

    /** Reads the settings of the job that a stream is part of. */
    public static CheckpointPlan of(DataStream<?> input) {
        StreamExecutionEnvironment environment = input.getExecutionEnvironment();
        CheckpointConfig checkpoints = environment.getCheckpointConfig();
        boolean enabled = checkpoints.isCheckpointingEnabled();
        CheckpointPlan plan =
                new CheckpointPlan(
                        isStreaming(input),
                        enabled,
                        environment
                                .getConfiguration()
                                .get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH),
                        enabled
                                ? Duration.ofMillis(checkpoints.getCheckpointInterval())
                                : Duration.ZERO,
                        enabled
                                ? Duration.ofMillis(checkpoints.getCheckpointTimeout())
                                : Duration.ZERO);
        return enabled && checkpoints.isUnalignedCheckpointsEnabled() ? plan.unaligned() : plan;
    }

    /** Flink chooses by the sources where the user leaves it to it. */
    private static boolean isStreaming(DataStream<?> input) {
        RuntimeExecutionMode mode =
                input.getExecutionEnvironment()
                        .getConfiguration()
                        .get(ExecutionOptions.RUNTIME_MODE);
        return mode == RuntimeExecutionMode.STREAMING
                || mode == RuntimeExecutionMode.AUTOMATIC
                        && input.getTransformation().getTransitivePredecessors().stream()
                                .anyMatch(CheckpointPlan::isUnbounded);
    }

    private static boolean isUnbounded(Transformation<?> transformation) {
        return transformation instanceof WithBoundedness
                && ((WithBoundedness) transformation).getBoundedness() != Boundedness.BOUNDED;
    }

    /**
     * How long a load may run on the server, in seconds: what the user set, else long enough for
     * several checkpoints. Without checkpoints one load may last as long as the job.
     */
    public long loadTimeoutSeconds(OptionalLong user) {
        if (user.isPresent()) {
            return user.getAsLong();
        }
        if (!enabled) {
            return MOST_LOAD_TIMEOUT;
        }
        long wanted = 4 * interval.plus(timeout).getSeconds();
        return Math.min(MOST_LOAD_TIMEOUT, Math.max(LEAST_LOAD_TIMEOUT, wanted));
    }

    /**
     * Longest wait for the final answer of a load: less than a checkpoint takes, so that it is not
     * the checkpoint that runs out.
     */
    public Duration answerTimeout(OptionalLong user) {
        Duration bound = enabled ? timeout.dividedBy(2) : UNKNOWN_ANSWER_TIMEOUT;
        Duration load = Duration.ofSeconds(loadTimeoutSeconds(user)).plus(ANSWER_MARGIN);
        return load.compareTo(bound) < 0 ? load : bound;
    }

    /** Why rows would hardly, or not reliably, become visible; to be logged as errors. */
    public List<String> errors(SinkConfig sink) {
        List<String> errors = new ArrayList<>();
        if (streaming && !enabled && !sink.write().batch()) {
            errors.add(
                    "Checkpoints are off, and a load ends with a checkpoint: rows of an unbounded"
                            + " input become visible only when the job is stopped with a"
                            + " savepoint, and not at all when it fails before. Set"
                            + " 'execution.checkpointing.interval'. A bounded input is committed"
                            + " at its end, and is not written exactly once if the job fails in"
                            + " between.");
        }
        if (sink.write().twoPhase() && streaming && enabled && !afterTasksFinish) {
            errors.add(
                    "'execution.checkpointing.checkpoints-after-tasks-finish' is off: rows that"
                            + " come after the last checkpoint before the end of a bounded input"
                            + " will never be visible. Set it to 'true'.");
        }
        return errors;
    }

    /** What may go wrong with these times; to be logged as warnings. */
    public List<String> warnings(SinkConfig sink) {
        List<String> warnings = new ArrayList<>();
        if (!enabled) {
            return warnings;
        }
        if (unaligned && sink.write().keepsOtherColumns() && sink.write().enableDelete()) {
            warnings.add(
                    "Unaligned checkpoints may come between a -U and the +U that belongs to it. The"
                            + " sink then takes the -U for a delete, and the columns that its loads"
                            + " do not write are lost. Set"
                            + " 'execution.checkpointing.unaligned.enabled' to 'false' if the input"
                            + " sends -U.");
        }
        OptionalLong user = sink.write().userTimeout();
        if (!sink.write().batch() && user.isPresent() && interval.getSeconds() > user.getAsLong()) {
            warnings.add(
                    String.format(
                            "The checkpoint interval is %d s, but 'sink.properties.timeout' ends a"
                                    + " load after %d s: loads that wait for their checkpoint will"
                                    + " fail. Raise the latter or remove it.",
                            interval.getSeconds(), user.getAsLong()));
        }
        Duration quarter = sink.write().precommitTimeout().dividedBy(4);
        if (sink.write().twoPhase() && interval.plus(timeout).compareTo(quarter) > 0) {
            warnings.add(
                    String.format(
                            "Checkpoint interval and timeout are %d s together, more than a"
                                    + " quarter of 'sink.precommit-timeout' (%d s): a few failed"
                                    + " checkpoints in a row and the job starts again from its last"
                                    + " one, before Doris drops what was pre-committed. Raise"
                                    + " 'stream_load_default_precommit_timeout_second' on the front"
                                    + " ends and 'sink.precommit-timeout' with it.",
                            interval.plus(timeout).getSeconds(),
                            sink.write().precommitTimeout().getSeconds()));
        }
        return warnings;
    }
}
