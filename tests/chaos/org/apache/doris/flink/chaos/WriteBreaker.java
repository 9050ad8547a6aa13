package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.Hook;
import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The faults of a job that writes. */
final class WriteBreaker extends Breaker<FaultKind> {

    /** Further than the time limit of a load, nearer than that of a pre-committed transaction. */
    private static final Duration PAST_LOADS = Duration.ofSeconds(Chaos.LOAD_TIMEOUT_SECONDS + 60);

    /** Fewer than Doris' own limit, enough for the loads of the newest checkpoints. */
    private static final int LABELS_KEPT = 200;

    /** Doris' own limit: without two-phase commit a label tells what became of a load. */
    private static final int LABELS_KEPT_IN_BATCH_MODE = 2000;

    private final Mode mode;
    private final ServerFaults faults;

    /** How far the server's clock is ahead. */
    private Duration advanced = Duration.ZERO;

    WriteBreaker(
            Mode mode,
            Standin doris,
            Flink flink,
            Jobs jobs,
            Control control,
            Waiter waiter,
            RunLog log) {
        super(doris, flink, jobs, control, waiter, log);
        this.mode = mode;
        faults = new ServerFaults(mode);
    }

    @Override
    protected Fault rule(Planned<FaultKind> planned) {
        return faults.of(planned, jobs.job().parallelism());
    }

    @Override
    protected Optional<Fault> leadingTo(Planned<FaultKind> planned) {
        return faults.leadingTo(planned);
    }

    @Override
    protected boolean breakNode(Planned<FaultKind> planned) {
        switch (planned.kind) {
            case BACKEND_STOPPED:
                stopBackend(planned);
                return true;
            case FRONTEND_STOPPED:
                stopFrontend(planned);
                return true;
            case LOADS_TIMED_OUT:
                doris.advanceClock(PAST_LOADS);
                advanced = advanced.plus(PAST_LOADS);
                return true;
            case LABELS_PURGED:
                doris.purgeLabels(mode == Mode.WRITE ? LABELS_KEPT : LABELS_KEPT_IN_BATCH_MODE);
                return true;
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    @Override
    protected boolean breakJob(Planned<FaultKind> planned) throws Exception {
        switch (planned.kind) {
            case TASK_FAILED:
                return hook(planned, Hook.THROW);
            case TASK_FAILED_BEFORE_PRECOMMIT:
                return hook(planned, Hook.THROW_BEFORE_PRECOMMIT);
            case CHECKPOINT_DECLINED:
                return hook(planned, Hook.DECLINE);
            case TASK_FAILED_AT_COMPLETION:
                return hook(planned, Hook.THROW_AT_COMPLETION);
            case BODY_HELD_OVER_FAILOVER:
            case PRECOMMIT_HELD_OVER_FAILOVER:
            case ANSWER_HELD_OVER_FAILOVER:
                return heldOverFailover(planned);
            case ZOMBIE_AT_ROW:
                return zombie(planned, Hook.PAUSE);
            case ZOMBIE_BEFORE_PRECOMMIT:
                return zombie(planned, Hook.PAUSE_BEFORE_PRECOMMIT);
            case ZOMBIE_AFTER_PRECOMMIT:
                return zombie(planned, Hook.PAUSE_AFTER_PRECOMMIT);
            case TASK_MANAGER_LOST:
            case TASK_MANAGER_KILLED:
                endTaskManager(planned);
                return true;
            case TASK_MANAGER_STOPPED:
                suspendTaskManager(planned);
                return true;
            case JOB_MANAGER_KILLED:
                killJobManager();
                return true;
            case RESCALED:
                jobs.rescale(jobs.job().parallelism() == 4 ? 2 : 4, triesCheckpoint(planned));
                return true;
            case STOP_FAILED:
                return stopThatFails(planned);
            case RESTORED:
                restoreNewest();
                return true;
            case RESTORED_TOO_OLD:
                return restoreTooOld();
            case SAVEPOINT_AND_FAILOVER:
                jobs.takeSavepoint();
                hook(planned, Hook.THROW);
                jobs.recover();
                restoreNewest();
                return true;
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    private int subtask(Planned<FaultKind> planned) {
        return planned.subtask % jobs.job().parallelism();
    }

    /** Has one task do something once; false when it does not come by. */
    private boolean hook(Planned<FaultKind> planned, String hook) throws Exception {
        return hook(hook, faults.stream(planned).operator(), subtask(planned), STRIKE);
    }

    private boolean zombie(Planned<FaultKind> planned, String hook) throws Exception {
        Stream stream = faults.stream(planned);
        int subtask = subtask(planned);
        return zombie(
                hook, stream.operator(), subtask, () -> jobs.job().taskManager(stream, subtask));
    }

    /** A load stands still at the server while its task fails and has a successor. */
    private boolean heldOverFailover(Planned<FaultKind> planned) throws Exception {
        if (!holds(rule(planned))) {
            return false;
        }
        int subtask = subtask(planned);
        if (faults.stream(planned) == Stream.UPDATES) {
            // All subtasks fail together; the one whose load is held may not come to its next row.
            return hook(
                    Hook.THROW,
                    faults.stream(planned).operator(),
                    (subtask + 1) % jobs.job().parallelism(),
                    STRIKE);
        }
        flink.endTaskManager(jobs.job().taskManager(faults.stream(planned), subtask));
        flink.startTaskManager();
        return true;
    }

    /** False where it cannot be told whether all of the newest checkpoint is committed. */
    private boolean restoreTooOld() throws Exception {
        jobs.cancel();
        long completed = jobs.newestCheckpointMillis() + advanced.toMillis();
        if (precommitted().stream().anyMatch(load -> load.precommitted() <= completed)) {
            jobs.restoreNewest();
            return false;
        }
        return jobs.restoreTooOld();
    }

    private List<Transaction> precommitted() {
        return doris.transactions().stream()
                .filter(transaction -> transaction.state().equals("PRECOMMITTED"))
                .collect(Collectors.toList());
    }

    /** Whether the user, after a stop that failed, tries the checkpoint before its savepoint. */
    private static boolean triesCheckpoint(Planned<FaultKind> planned) {
        return planned.draw % 4 < 2;
    }

    /** A stop with savepoint that fails after the savepoint was taken; false when it works. */
    private boolean stopThatFails(Planned<FaultKind> planned) throws Exception {
        Fault refusal = faults.commitsRefused(planned);
        boolean refuse = planned.draw % 2 == 0;
        long rule = refuse ? doris.fault(refusal) : 0;
        String operator = faults.stream(planned).operator();
        if (!refuse) {
            control.arm(Hook.THROW_AT_COMPLETION, operator, subtask(planned));
        }
        int parallelism = jobs.job().parallelism();
        Optional<String> savepoint = jobs.stop(triesCheckpoint(planned));
        if (refuse) {
            doris.clearFault(rule);
        } else if (!control.disarm(Hook.THROW_AT_COMPLETION, operator, subtask(planned))) {
            control.release(Hook.THROW_AT_COMPLETION, operator, subtask(planned));
        }
        if (savepoint.isPresent()) {
            jobs.submit(parallelism, savepoint);
            return false;
        }
        return true;
    }
}
