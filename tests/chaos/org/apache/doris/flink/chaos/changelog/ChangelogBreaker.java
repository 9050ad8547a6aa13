package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.Flink;
import org.apache.doris.flink.chaos.Jobs;
import org.apache.doris.flink.chaos.Kind.Group;
import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.RunLog;
import org.apache.doris.flink.chaos.Waiter;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.FollowJob;
import org.apache.doris.flink.chaos.job.Hook;
import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Breaks what is planned, round by round, and sees to it that the job recovers after each. */
final class ChangelogBreaker {

    /** How long a fault may look for something to strike. */
    private static final Duration STRIKE = Duration.ofSeconds(15);

    /** Subtasks of the job, one after the other. */
    private static final int[] PARALLELISMS = {1, 4, 2};

    private final Standin doris;
    private final Flink flink;
    private final Jobs jobs;
    private final Control control;
    private final Waiter waiter;
    private final RunLog log;
    private final FollowedTable table;
    private final Writers writers;
    private final QuietPoint quiet;

    private int parallelism;
    private int newestPartition = FollowedTable.PARTITIONS - 1;

    private interface Step {
        void run() throws Exception;
    }

    ChangelogBreaker(
            Standin doris,
            Flink flink,
            Jobs jobs,
            Control control,
            Waiter waiter,
            RunLog log,
            FollowedTable table,
            Writers writers,
            QuietPoint quiet) {
        this.doris = doris;
        this.flink = flink;
        this.jobs = jobs;
        this.control = control;
        this.waiter = waiter;
        this.log = log;
        this.table = table;
        this.writers = writers;
        this.quiet = quiet;
    }

    /** The parallelism that a run begins with. */
    static int firstParallelism() {
        return PARALLELISMS[0];
    }

    /** Breaks everything of a round at once, and waits until the job is well again. */
    void round(List<Planned<ChangelogFault>> round) throws Exception {
        Map<Planned<ChangelogFault>, Long> rules = new LinkedHashMap<>();
        List<Step> nodesBack = new ArrayList<>();
        for (Planned<ChangelogFault> planned : round) {
            log.step("breaking %s", planned);
            if (planned.kind.group() == Group.SERVER) {
                rules.put(planned, doris.fault(rule(planned)));
            }
        }
        for (Planned<ChangelogFault> planned : round) {
            // A partition is dropped when the job has all of it, for which all nodes are needed.
            if (planned.kind.group() == Group.NODE
                    && planned.kind != ChangelogFault.PARTITION_DROPPED) {
                breakNode(planned, nodesBack);
                log.count(planned.kind, true);
            }
        }
        for (Planned<ChangelogFault> planned : round) {
            if (planned.kind.ofTheJob()) {
                log.count(planned.kind, breakJob(planned));
            }
        }
        for (Map.Entry<Planned<ChangelogFault>, Long> rule : rules.entrySet()) {
            boolean struck = waiter.within(STRIKE, () -> doris.fired(rule.getValue()) > 0);
            log.count(rule.getKey().kind, struck);
        }
        for (Step back : nodesBack) {
            back.run();
        }
        jobs.recover();
        rules.values().forEach(doris::clearFault);
        for (Planned<ChangelogFault> planned : round) {
            if (planned.kind == ChangelogFault.PARTITION_DROPPED) {
                log.count(planned.kind, dropPartition(planned));
                jobs.recover();
            }
        }
    }

    private Fault rule(Planned<ChangelogFault> planned) {
        int times = planned.times;
        Fault stream =
                Fault.at("flight.do_get").statement("@incr").after(planned.draw % 3).times(times);
        Fault query = Fault.at("flight.get_info").statement("@incr").times(times);
        switch (planned.kind) {
            case STREAM_RESET:
                return stream.close();
            case CONNECTION_RESET:
                return stream.reset();
            case STREAM_WITHOUT_END:
                return stream.endWithoutStatus();
            case BATCH_DAMAGED:
                return planned.draw % 2 == 0 ? stream.corruptHeader() : stream.truncate();
            case WINDOW_REFUSED:
                return query.times(1).answer("the table is being looked after");
            case VISIBLE_WAIT:
                return query.answer(
                        "timeout waiting previous transactions finish for time-based read,"
                                + " txnIdWatermark=1 dbId=1 tableIds=[1]");
            case WINDOW_LATE:
                return query.delay(millis(planned, 3000));
            case POSITION_RESET:
                return Fault.at("fe.api").statement("tso").times(times).reset();
            case SLOW_PUBLISH:
                return Fault.at("txn.publish").times(times).delay(millis(planned, 3000));
            case OFFSET_REFUSED:
                return Fault.at("mysql.query")
                        .statement("INSERT INTO `chaos`.`offsets`")
                        .times(times)
                        .answer("no permission to write positions today");
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    private void breakNode(Planned<ChangelogFault> planned, List<Step> nodesBack) throws Exception {
        switch (planned.kind) {
            case TOKENS_DROPPED:
                doris.dropSessions();
                return;
            case CLOCK_BACK:
                clockBack(millis(planned, 4000), nodesBack);
                return;
            case FRONTEND_LAGS:
                // The first is the master, which has seen everything.
                int frontend = 1 + planned.draw % (doris.count("fe") - 1);
                doris.lag(frontend, millis(planned, 2500));
                nodesBack.add(() -> doris.lag(frontend, Duration.ZERO));
                return;
            case BACKEND_STOPPED:
            case FRONTEND_STOPPED:
                // One node of each kind is never stopped.
                boolean backend = planned.kind == ChangelogFault.BACKEND_STOPPED;
                String node = (backend ? "/backends/" : "/frontends/") + planned.draw % 2;
                doris.post(node + "/stop");
                nodesBack.add(
                        () -> {
                            Thread.sleep(planned.draw % 1500);
                            waiter.started(doris, node);
                        });
                return;
            case PARTITION_ADDED:
                addPartition(++newestPartition);
                return;
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    /** Stamps must not fall, so nobody writes until the clock is where it was. */
    private void clockBack(Duration by, List<Step> nodesBack) throws Exception {
        writers.pause();
        long before = doris.positionMillis();
        doris.turnClockBack(by);
        nodesBack.add(
                () -> {
                    waiter.until(
                            "the clock is where it was", () -> doris.positionMillis() > before);
                    writers.resume();
                });
    }

    private void addPartition(int partition) {
        alter("ADD " + FollowedTable.partition(partition));
        writers.use(partition);
        log.step("  %s is there", FollowedTable.name(partition));
    }

    private boolean dropPartition(Planned<ChangelogFault> planned) throws Exception {
        List<Integer> all = writers.partitions();
        if (all.size() < 2) {
            return false;
        }
        int partition = all.get(planned.draw % all.size());
        // What a partition recorded goes with it, so the job must have it all.
        quiet.come();
        quiet.log().partitionDropped(partition);
        writers.avoid(partition);
        alter("DROP PARTITION " + FollowedTable.name(partition));
        log.step("  %s is gone", FollowedTable.name(partition));
        if (planned.draw % 3 > 0) {
            addPartition(partition);
        }
        quiet.leave();
        return true;
    }

    private void alter(String what) {
        doris.run("ALTER TABLE " + FollowedTable.IDENTIFIER + " " + what);
    }

    /** Breaks the job; false when there was nothing to strike. */
    private boolean breakJob(Planned<ChangelogFault> planned) throws Exception {
        switch (planned.kind) {
            case TASK_FAILED:
                return hook(planned, Hook.THROW);
            case CHECKPOINT_DECLINED:
                return hook(planned, Hook.DECLINE);
            case TASK_FAILED_AT_COMPLETION:
                return hook(planned, Hook.THROW_AT_COMPLETION);
            case TASK_MANAGER_LOST:
            case TASK_MANAGER_KILLED:
                flink.endSomeTaskManager(planned.draw);
                flink.startTaskManager();
                return true;
            case JOB_MANAGER_KILLED:
                jobs.sample();
                flink.replaceJobManager();
                jobs.restoreRetained();
                return true;
            case RESCALED:
                parallelism = (parallelism + 1) % PARALLELISMS.length;
                jobs.rescale(PARALLELISMS[parallelism], false);
                return true;
            case SLICES_CHANGED:
                return changeSlices();
            case RESTORED:
                jobs.cancel();
                jobs.restoreNewest();
                return true;
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

    private boolean changeSlices() throws Exception {
        Optional<String> savepoint = jobs.stop(false);
        if (savepoint.isEmpty()) {
            return false;
        }
        log.step("  from now on %s slices", table.nextScheme());
        jobs.submit(jobs.job().parallelism(), savepoint);
        return true;
    }

    /** Has one task do something once; false when it does not come by. */
    private boolean hook(Planned<ChangelogFault> planned, String hook) throws Exception {
        // With fewer slices than subtasks some never see a row.
        int subtasks = jobs.job().parallelism();
        for (int i = 0; i < subtasks; i++) {
            int subtask = (planned.subtask + i) % subtasks;
            Duration bound = STRIKE.dividedBy(subtasks);
            control.arm(hook, FollowJob.OPERATOR, subtask);
            boolean taken =
                    waiter.within(bound, () -> control.taken(hook, FollowJob.OPERATOR, subtask));
            if (taken || !control.disarm(hook, FollowJob.OPERATOR, subtask)) {
                control.release(hook, FollowJob.OPERATOR, subtask);
                return true;
            }
        }
        return false;
    }

    private static Duration millis(Planned<ChangelogFault> planned, int most) {
        return Duration.ofMillis(100 + planned.draw % most);
    }
}
