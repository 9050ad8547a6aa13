package org.apache.doris.flink.chaos;

import static org.apache.doris.flink.chaos.ServerFaults.stream;

import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.Hook;
import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Breaks what is planned, round by round, and sees to it that the job recovers after each. */
final class Breaker {

    /** How long a fault may look for something to strike. */
    private static final Duration STRIKE = Duration.ofSeconds(15);

    /** Further than the time limit of a load, nearer than that of a pre-committed transaction. */
    private static final Duration PAST_LOADS = Duration.ofSeconds(Chaos.LOAD_TIMEOUT_SECONDS + 60);

    /** Doris' own limit is 2000: enough for the loads of the newest checkpoints. */
    private static final int LABELS_KEPT = 200;

    private final Standin doris;
    private final Flink flink;
    private final Jobs jobs;
    private final Control control;
    private final Waiter waiter;
    private final RunLog log;

    /** How far the server's clock is ahead. */
    private Duration advanced = Duration.ZERO;

    /** What goes on only after the job has recovered without it. */
    private final List<Step> late = new ArrayList<>();

    private interface Step {
        void run() throws Exception;
    }

    Breaker(Standin doris, Flink flink, Jobs jobs, Control control, Waiter waiter, RunLog log) {
        this.doris = doris;
        this.flink = flink;
        this.jobs = jobs;
        this.control = control;
        this.waiter = waiter;
        this.log = log;
    }

    /** Breaks everything of a round at once, and waits until the job is well again. */
    void round(List<Planned<FaultKind>> round) throws Exception {
        Map<Planned<FaultKind>, Long> rules = new LinkedHashMap<>();
        List<Long> leading = new ArrayList<>();
        List<Step> nodesBack = new ArrayList<>();
        for (Planned<FaultKind> planned : round) {
            log.step("breaking %s", planned);
            if (planned.kind.group() == Kind.Group.SERVER) {
                ServerFaults.leadingTo(planned).ifPresent(fault -> leading.add(doris.fault(fault)));
                rules.put(planned, doris.fault(ServerFaults.of(planned, jobs.job().parallelism())));
            }
        }
        for (Planned<FaultKind> planned : round) {
            if (planned.kind.group() == Kind.Group.NODE) {
                breakNode(planned, nodesBack);
                log.count(planned.kind, true);
            }
        }
        for (Planned<FaultKind> planned : round) {
            if (planned.kind.ofTheJob()) {
                boolean struck = breakJob(planned);
                log.count(planned.kind, struck);
            }
        }
        for (Map.Entry<Planned<FaultKind>, Long> rule : rules.entrySet()) {
            boolean struck = waiter.within(STRIKE, () -> doris.fired(rule.getValue()) > 0);
            log.count(rule.getKey().kind, struck);
        }
        for (Step back : nodesBack) {
            back.run();
        }
        jobs.recover();
        leading.addAll(rules.values());
        leading.forEach(doris::clearFault);
        if (!late.isEmpty()) {
            for (Step step : late) {
                step.run();
            }
            late.clear();
            jobs.recover();
        }
    }

    private void breakNode(Planned<FaultKind> planned, List<Step> nodesBack) throws Exception {
        switch (planned.kind) {
            case BACKEND_STOPPED:
            case FRONTEND_STOPPED:
                // One node of each kind is never stopped.
                boolean backend = planned.kind == FaultKind.BACKEND_STOPPED;
                String node = (backend ? "/backends/" : "/frontends/") + planned.draw % 2;
                doris.post(node + "/stop");
                nodesBack.add(
                        () -> {
                            Thread.sleep(planned.draw % 1500);
                            waiter.started(doris, node);
                        });
                break;
            case LOADS_TIMED_OUT:
                doris.advanceClock(PAST_LOADS);
                advanced = advanced.plus(PAST_LOADS);
                break;
            case LABELS_PURGED:
                doris.purgeLabels(LABELS_KEPT);
                break;
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    /** Breaks the job; false when there was nothing to strike. */
    private boolean breakJob(Planned<FaultKind> planned) throws Exception {
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
                flink.endSomeTaskManager(planned.draw);
                flink.startTaskManager();
                return true;
            case TASK_MANAGER_STOPPED:
                late.add(flink.suspendSomeTaskManager(planned.draw)::run);
                flink.startTaskManager();
                return true;
            case JOB_MANAGER_KILLED:
                jobs.sample();
                flink.replaceJobManager();
                jobs.restoreRetained();
                return true;
            case RESCALED:
                jobs.rescale(jobs.job().parallelism() == 4 ? 2 : 4, triesCheckpoint(planned));
                return true;
            case STOP_FAILED:
                return stopThatFails(planned);
            case RESTORED:
                jobs.cancel();
                jobs.restoreNewest();
                return true;
            case RESTORED_TOO_OLD:
                return restoreTooOld();
            case SAVEPOINT_AND_FAILOVER:
                jobs.takeSavepoint();
                hook(planned, Hook.THROW);
                jobs.recover();
                jobs.cancel();
                jobs.restoreNewest();
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
        return hook(hook, stream(planned).operator(), subtask(planned));
    }

    private boolean hook(String hook, String operator, int subtask) throws Exception {
        control.arm(hook, operator, subtask);
        boolean taken = waiter.within(STRIKE, () -> control.taken(hook, operator, subtask));
        if (!taken && control.disarm(hook, operator, subtask)) {
            return false;
        }
        control.release(hook, operator, subtask);
        return true;
    }

    /** A task stands still, its task manager is given up, and it goes on after its successor. */
    private boolean zombie(Planned<FaultKind> planned, String hook) throws Exception {
        String operator = stream(planned).operator();
        int subtask = subtask(planned);
        control.arm(hook, operator, subtask);
        boolean taken = waiter.within(STRIKE, () -> control.taken(hook, operator, subtask));
        if (!taken && control.disarm(hook, operator, subtask)) {
            return false;
        }
        flink.endTaskManager(jobs.job().taskManager(stream(planned), subtask));
        flink.startTaskManager();
        late.add(() -> control.release(hook, operator, subtask));
        return true;
    }

    /** A load stands still at the server while its task fails and has a successor. */
    private boolean heldOverFailover(Planned<FaultKind> planned) throws Exception {
        long rule = doris.fault(ServerFaults.of(planned, jobs.job().parallelism()));
        if (!waiter.within(STRIKE, () -> doris.holding(rule) > 0)) {
            doris.clearFault(rule);
            return false;
        }
        late.add(() -> doris.clearFault(rule));
        int subtask = subtask(planned);
        if (stream(planned) == Stream.UPDATES) {
            // All subtasks fail together; the one whose load is held may not come to its next row.
            return hook(
                    Hook.THROW,
                    stream(planned).operator(),
                    (subtask + 1) % jobs.job().parallelism());
        }
        flink.endTaskManager(jobs.job().taskManager(stream(planned), subtask));
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
        Fault refusal = ServerFaults.commitsRefused(planned);
        boolean refuse = planned.draw % 2 == 0;
        long rule = refuse ? doris.fault(refusal) : 0;
        String operator = stream(planned).operator();
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
