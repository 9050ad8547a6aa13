package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.Kind.Group;
import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Breaks what is planned, round by round, and sees to it that the job recovers after each. What the
 * kinds of faults of a mode do is left to the mode.
 */
public abstract class Breaker<K extends Kind> {

    /** How long a fault may look for something to strike. */
    protected static final Duration STRIKE = Duration.ofSeconds(15);

    protected final Standin doris;
    protected final Flink flink;
    protected final Jobs jobs;
    protected final Control control;
    protected final Waiter waiter;
    protected final RunLog log;

    /** Brings back what the faults of this round took away. */
    private final List<Step> back = new ArrayList<>();

    /** What goes on only after the job has recovered without it. */
    private final List<Step> late = new ArrayList<>();

    /** Something to be done later in a round. */
    protected interface Step {
        /** Does it. */
        void run() throws Exception;
    }

    /** Breaks a server, a cluster and a job. */
    protected Breaker(
            Standin doris, Flink flink, Jobs jobs, Control control, Waiter waiter, RunLog log) {
        this.doris = doris;
        this.flink = flink;
        this.jobs = jobs;
        this.control = control;
        this.waiter = waiter;
        this.log = log;
    }

    /** The rule of a fault of the group {@link Group#SERVER}. */
    protected abstract Fault rule(Planned<K> planned);

    /** What makes the job come to the point where such a fault strikes, if it takes something. */
    protected Optional<Fault> leadingTo(Planned<K> planned) {
        return Optional.empty();
    }

    /** Breaks a node or the table; false when there was nothing to strike. */
    protected abstract boolean breakNode(Planned<K> planned) throws Exception;

    /** Whether a fault of nodes strikes alone, after the job has recovered from the others. */
    protected boolean strikesAlone(K kind) {
        return false;
    }

    /** Breaks the job; false when there was nothing to strike. */
    protected abstract boolean breakJob(Planned<K> planned) throws Exception;

    /** Breaks everything of a round at once, and waits until the job is well again. */
    public final void round(List<Planned<K>> round) throws Exception {
        Map<Planned<K>, Long> rules = new LinkedHashMap<>();
        List<Long> leading = new ArrayList<>();
        for (Planned<K> planned : round) {
            log.step("breaking %s", planned);
            if (planned.kind.group() == Group.SERVER) {
                leadingTo(planned).ifPresent(fault -> leading.add(doris.fault(fault)));
                rules.put(planned, doris.fault(rule(planned)));
            }
        }
        for (Planned<K> planned : round) {
            if (planned.kind.group() == Group.NODE && !strikesAlone(planned.kind)) {
                log.count(planned.kind, breakNode(planned));
            }
        }
        for (Planned<K> planned : round) {
            if (planned.kind.ofTheJob()) {
                log.count(planned.kind, breakJob(planned));
            }
        }
        for (Map.Entry<Planned<K>, Long> rule : rules.entrySet()) {
            boolean struck = waiter.within(STRIKE, () -> doris.fired(rule.getValue()) > 0);
            log.count(rule.getKey().kind, struck);
        }
        runAll(back);
        jobs.recover();
        leading.addAll(rules.values());
        leading.forEach(doris::clearFault);
        if (!late.isEmpty()) {
            runAll(late);
            jobs.recover();
        }
        for (Planned<K> planned : round) {
            if (planned.kind.group() == Group.NODE && strikesAlone(planned.kind)) {
                log.count(planned.kind, breakNode(planned));
                jobs.recover();
            }
        }
    }

    private static void runAll(List<Step> steps) throws Exception {
        for (Step step : steps) {
            step.run();
        }
        steps.clear();
    }

    /** Does something once everything of the round has struck. */
    protected final void bringBack(Step step) {
        back.add(step);
    }

    /** Does something once the job has recovered without it. */
    protected final void whenRecovered(Step step) {
        late.add(step);
    }

    /** Stops a back end; one is never stopped. */
    protected final void stopBackend(Planned<K> planned) {
        stopNode("/backends/" + planned.draw % 2, planned);
    }

    /** Stops a front end; one is never stopped. */
    protected final void stopFrontend(Planned<K> planned) {
        stopNode("/frontends/" + planned.draw % 2, planned);
    }

    private void stopNode(String node, Planned<K> planned) {
        doris.post(node + "/stop");
        bringBack(
                () -> {
                    Thread.sleep(planned.draw % 1500);
                    waiter.started(doris, node);
                });
    }

    /** Has a subtask of an operator do something once; false when it does not come by in time. */
    protected final boolean hook(String hook, String operator, int subtask, Duration bound)
            throws Exception {
        control.arm(hook, operator, subtask);
        boolean taken = waiter.within(bound, () -> control.taken(hook, operator, subtask));
        if (!taken && control.disarm(hook, operator, subtask)) {
            return false;
        }
        control.release(hook, operator, subtask);
        return true;
    }

    /** A subtask stands still, its task manager is given up, and it goes on after its successor. */
    protected final boolean zombie(String hook, String operator, int subtask, Located located)
            throws Exception {
        control.arm(hook, operator, subtask);
        boolean taken = waiter.within(STRIKE, () -> control.taken(hook, operator, subtask));
        if (!taken && control.disarm(hook, operator, subtask)) {
            return false;
        }
        flink.endTaskManager(located.taskManager());
        flink.startTaskManager();
        whenRecovered(() -> control.release(hook, operator, subtask));
        return true;
    }

    /** Tells on which task manager a subtask is. */
    protected interface Located {
        /** Its id. */
        String taskManager() throws Exception;
    }

    /** Waits until a load stands still at the server, until the job has recovered without it. */
    protected final boolean holds(Fault fault) throws Exception {
        long rule = doris.fault(fault);
        if (!waiter.within(STRIKE, () -> doris.holding(rule) > 0)) {
            doris.clearFault(rule);
            return false;
        }
        whenRecovered(() -> doris.clearFault(rule));
        return true;
    }

    /** One of the task managers ends or is killed; another is started. */
    protected final void endTaskManager(Planned<K> planned) throws Exception {
        flink.endSomeTaskManager(planned.draw);
        flink.startTaskManager();
    }

    /** A task manager's process is stopped, and goes on when the job has recovered without it. */
    protected final void suspendTaskManager(Planned<K> planned) throws Exception {
        whenRecovered(flink.suspendSomeTaskManager(planned.draw)::run);
        flink.startTaskManager();
    }

    /** The job manager's process is killed; the newest retained checkpoint is restored. */
    protected final void killJobManager() throws Exception {
        jobs.sample();
        flink.replaceJobManager();
        jobs.restoreRetained();
    }

    /** The job is cancelled and restored from its newest checkpoint. */
    protected final void restoreNewest() throws Exception {
        jobs.cancel();
        jobs.restoreNewest();
    }
}
