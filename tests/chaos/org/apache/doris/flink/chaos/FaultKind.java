package org.apache.doris.flink.chaos;

import java.util.List;

/** Everything that a run under a writing job breaks. */
enum FaultKind implements Kind {
    /** A load went through, its answer does not arrive. */
    LOAD_ANSWER_LOST(Group.SERVER, 3),
    /** The connection is reset where the answer should come. */
    LOAD_ANSWER_RESET(Group.SERVER, 1),
    /** The answer of a load comes late. */
    LOAD_ANSWER_LATE(Group.SERVER, 1),
    /** A front end resets instead of naming a back end. */
    REDIRECT_RESET(Group.SERVER, 1),
    /** A front end answers 503 instead of naming a back end. */
    REDIRECT_REFUSED(Group.SERVER, 1),
    /** A back end resets when it has seen the headers. */
    HEADERS_RESET(Group.SERVER, 1),
    /** A back end resets in mid-body. */
    BODY_RESET(Group.SERVER, 2),
    /** A load is refused: a tablet has too many versions. */
    TOO_MANY_VERSIONS(Group.SERVER, 1),
    /** A load is refused: the database has too many transactions. */
    TOO_MANY_TRANSACTIONS(Group.SERVER, 1),
    /** Commits are refused for a lock that could not be had in time. */
    COMMIT_LOCK_TIMEOUT(Group.SERVER, 2, Mode.WRITE),
    /** Commits are answered 503. */
    COMMIT_REFUSED(Group.SERVER, 1, Mode.WRITE),
    /** A commit or abort does not get to the server. */
    TWO_PHASE_REQUEST_DROPPED(Group.SERVER, 2, Mode.WRITE),
    /** A commit or abort is done, its answer does not arrive. */
    TWO_PHASE_ANSWER_LOST(Group.SERVER, 3, Mode.WRITE),
    /** Committed transactions become visible late. */
    SLOW_PUBLISH(Group.SERVER, 1),
    /** A question for a label's state is not answered. */
    STATE_RESET(Group.SERVER, 1),
    /** A back end keeps the answer of a load until long after its client has given up. */
    BACKEND_SILENT(Group.SERVER, 1),
    /** A back end answers 503 when it has seen the headers. */
    LOAD_UNAVAILABLE(Group.SERVER, 2, Mode.BATCH),
    /** A back end takes the rest of a body slowly. */
    BODY_SLOW(Group.SERVER, 2, Mode.BATCH),
    /** A load is complete and refused for a lock that could not be had in time. */
    LOAD_LOCK_TIMEOUT(Group.SERVER, 1, Mode.BATCH),
    /** A load that is complete stands before its commit until long after its client gave up. */
    LOAD_UNDECIDED(Group.SERVER, 1, Mode.BATCH),
    /** A back end stops and comes back. */
    BACKEND_STOPPED(Group.NODE, 2),
    /** A front end stops and comes back. */
    FRONTEND_STOPPED(Group.NODE, 1),
    /** The server's clock passes the timeout of every open load. */
    LOADS_TIMED_OUT(Group.NODE, 1),
    /** Labels of finished loads are forgotten. */
    LABELS_PURGED(Group.NODE, 1),
    /**
     * The body of a load stands still at the server; its task fails; it goes on after the successor
     * has begun.
     */
    BODY_HELD_OVER_FAILOVER(Group.JOB, 1),
    /**
     * The complete body of a load stands before its pre-commit, in batch mode its commit; its task
     * fails; it goes on after the successor has begun.
     */
    PRECOMMIT_HELD_OVER_FAILOVER(Group.JOB, 1),
    /** As before, at the answer: the load is complete and pre-committed when its task fails. */
    ANSWER_HELD_OVER_FAILOVER(Group.JOB, 1),
    /** A task fails at a row. */
    TASK_FAILED(Group.JOB, 2),
    /** A task fails when its sink is about to pre-commit, or in batch mode to flush. */
    TASK_FAILED_BEFORE_PRECOMMIT(Group.JOB, 1),
    /** A task pre-commits, or has flushed, and declines the checkpoint. */
    CHECKPOINT_DECLINED(Group.JOB, 1),
    /** A task fails when it hears that a checkpoint is complete. */
    TASK_FAILED_AT_COMPLETION(Group.JOB, 1),
    /** A task manager ends; another is started. */
    TASK_MANAGER_LOST(Group.JOB, 2),
    /**
     * A task stands at a row, its task manager is given up, and it goes on after its successor has
     * begun.
     */
    ZOMBIE_AT_ROW(Group.JOB, 1),
    /** As before, standing before the pre-commit or flush. */
    ZOMBIE_BEFORE_PRECOMMIT(Group.JOB, 1),
    /** As before, standing between that and the end of its part of the checkpoint. */
    ZOMBIE_AFTER_PRECOMMIT(Group.JOB, 1),
    /** Stop with savepoint, restored with another parallelism. */
    RESCALED(Group.JOB, 2),
    /** A stop with savepoint that cannot commit in full and fails. */
    STOP_FAILED(Group.JOB, 1, Mode.WRITE),
    /** The job is cancelled and restored from its newest checkpoint. */
    RESTORED(Group.JOB, 1),
    /** The job is cancelled and an older checkpoint restored, which the sink must refuse. */
    RESTORED_TOO_OLD(Group.JOB, 1, Mode.WRITE),
    /**
     * A savepoint is taken, the job goes on, fails over, and is then restored from its newest
     * checkpoint.
     */
    SAVEPOINT_AND_FAILOVER(Group.JOB, 1),
    /** A task manager's process is killed. */
    TASK_MANAGER_KILLED(Group.PROCESS, 7),
    /**
     * The job manager's process is killed; the job is restored from its newest retained checkpoint.
     */
    JOB_MANAGER_KILLED(Group.PROCESS, 3),
    /** A task manager's process is stopped until Flink has given it up, and goes on then. */
    TASK_MANAGER_STOPPED(Group.PROCESS, 1, Mode.WRITE);

    private final Group group;
    private final int weight;

    /** The only mode that has it; null when both have. */
    private final Mode only;

    FaultKind(Group group, int weight) {
        this(group, weight, null);
    }

    FaultKind(Group group, int weight, Mode only) {
        this.group = group;
        this.weight = weight;
        this.only = only;
    }

    /**
     * What a run draws from.
     *
     * @param processes whether the cluster is one of processes, not in this JVM
     * @param only what the names of the kinds must match, for a look at some of them
     */
    static List<FaultKind> deck(Mode mode, boolean processes, String only) {
        return Plan.deck(
                values(),
                kind ->
                        kind.isOf(mode)
                                && kind.text().matches(only)
                                && (processes
                                        ? !kind.needsThisJvm()
                                        : kind.group != Group.PROCESS));
    }

    /** Whether runs of a mode can have it. */
    boolean isOf(Mode mode) {
        return only == null || only == mode;
    }

    /**
     * Whether rows of an ended attempt may reach the server after those of its successor. Two-phase
     * commit throws them away; in batch mode they would take the place of newer ones of their key.
     */
    boolean outlivesAttempt() {
        switch (this) {
            case LOAD_UNDECIDED:
            case BODY_HELD_OVER_FAILOVER:
            case PRECOMMIT_HELD_OVER_FAILOVER:
            case ZOMBIE_AT_ROW:
            case ZOMBIE_BEFORE_PRECOMMIT:
            case ZOMBIE_AFTER_PRECOMMIT:
                return true;
            default:
                return false;
        }
    }

    /** Task managers of processes are killed or stopped instead. */
    private boolean needsThisJvm() {
        return this == TASK_MANAGER_LOST || name().startsWith("ZOMBIE");
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
