package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.Kind;
import org.apache.doris.flink.chaos.Plan;

import java.util.List;

/** Everything that a run breaks under a job that follows a table. */
enum ChangelogFault implements Kind {
    /** The stream of a window is reset in its middle. */
    STREAM_RESET(Group.SERVER, 3),
    /** The connection of a window's stream is reset. */
    CONNECTION_RESET(Group.SERVER, 1),
    /** A window's stream ends in order, but without a status. */
    STREAM_WITHOUT_END(Group.SERVER, 1),
    /** A batch of a window is damaged. */
    BATCH_DAMAGED(Group.SERVER, 1),
    /** A window's query is refused for good: the task fails. */
    WINDOW_REFUSED(Group.SERVER, 1),
    /** The server says that it waited in vain for transactions. */
    VISIBLE_WAIT(Group.SERVER, 2),
    /** A window's query takes long. */
    WINDOW_LATE(Group.SERVER, 1),
    /** A front end does not answer the question for the position. */
    POSITION_RESET(Group.SERVER, 1),
    /** Committed transactions become visible late. */
    SLOW_PUBLISH(Group.SERVER, 3),
    /** The position cannot be written to the table of positions. */
    OFFSET_REFUSED(Group.SERVER, 1),
    /** Flight tokens are forgotten. */
    TOKENS_DROPPED(Group.NODE, 2),
    /** The clock goes back by some seconds. */
    CLOCK_BACK(Group.NODE, 1),
    /** A front end sees the cluster as it was a moment ago. */
    FRONTEND_LAGS(Group.NODE, 1),
    /** A back end stops and comes back. */
    BACKEND_STOPPED(Group.NODE, 2),
    /** A front end stops and comes back. */
    FRONTEND_STOPPED(Group.NODE, 1),
    /** The table gets a partition. */
    PARTITION_ADDED(Group.NODE, 2),
    /** A partition is dropped once all of it was received, and perhaps comes back empty. */
    PARTITION_DROPPED(Group.NODE, 1),
    /** A task fails at a row. */
    TASK_FAILED(Group.JOB, 4),
    /** A task declines a checkpoint. */
    CHECKPOINT_DECLINED(Group.JOB, 1),
    /** A task fails when it hears that a checkpoint is complete. */
    TASK_FAILED_AT_COMPLETION(Group.JOB, 1),
    /** A task manager ends; another is started. */
    TASK_MANAGER_LOST(Group.JOB, 2),
    /** Stop with savepoint, restored with another parallelism: 1, 4, 2, 1 and so on. */
    RESCALED(Group.JOB, 4),
    /** Stop with savepoint, restored with another scheme of slices. */
    SLICES_CHANGED(Group.JOB, 2),
    /** The job is cancelled and restored from its newest checkpoint. */
    RESTORED(Group.JOB, 1),
    /** A savepoint is taken, the job goes on, fails over, and its newest checkpoint is restored. */
    SAVEPOINT_AND_FAILOVER(Group.JOB, 1),
    /** A task manager's process is killed. */
    TASK_MANAGER_KILLED(Group.PROCESS, 4),
    /** The job manager's process is killed; the newest retained checkpoint is restored. */
    JOB_MANAGER_KILLED(Group.PROCESS, 2);

    private final Group group;
    private final int weight;

    ChangelogFault(Group group, int weight) {
        this.group = group;
        this.weight = weight;
    }

    /**
     * What a run draws from.
     *
     * @param processes whether the cluster is one of processes, not in this JVM
     * @param only what the names of the kinds must match, for a look at some of them
     */
    static List<ChangelogFault> deck(boolean processes, String only) {
        return Plan.deck(
                values(),
                kind ->
                        kind.text().matches(only)
                                && (processes
                                        ? kind != TASK_MANAGER_LOST
                                        : kind.group != Group.PROCESS));
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public int weight() {
        return weight;
    }
}
