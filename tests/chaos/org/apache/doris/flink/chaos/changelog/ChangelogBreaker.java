package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.Breaker;
import org.apache.doris.flink.chaos.Flink;
import org.apache.doris.flink.chaos.Jobs;
import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.RunLog;
import org.apache.doris.flink.chaos.Waiter;
import org.apache.doris.flink.chaos.job.Control;
import org.apache.doris.flink.chaos.job.FollowJob;
import org.apache.doris.flink.chaos.job.Hook;
import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The faults of a job that follows a table. */
final class ChangelogBreaker extends Breaker<ChangelogFault> {

    /** Subtasks of the job, one after the other. */
    private static final int[] PARALLELISMS = {1, 4, 2};

    private final FollowedTable table;
    private final Writers writers;
    private final QuietPoint quiet;

    private int parallelism;
    private int newestPartition = FollowedTable.PARTITIONS - 1;

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
        super(doris, flink, jobs, control, waiter, log);
        this.table = table;
        this.writers = writers;
        this.quiet = quiet;
    }

    /** The parallelism that a run begins with. */
    static int firstParallelism() {
        return PARALLELISMS[0];
    }

    @Override
    protected boolean strikesAlone(ChangelogFault kind) {
        // A partition is dropped when the job has all of it, for which all nodes are needed.
        return kind == ChangelogFault.PARTITION_DROPPED;
    }

    @Override
    protected Fault rule(Planned<ChangelogFault> planned) {
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
                return query.delay(planned.delay(3000));
            case POSITION_RESET:
                return Fault.at("fe.api").statement("tso").times(times).reset();
            case SLOW_PUBLISH:
                return Fault.at("txn.publish").times(times).delay(planned.delay(3000));
            case OFFSET_REFUSED:
                return Fault.at("mysql.query")
                        .statement("INSERT INTO `chaos`.`offsets`")
                        .times(times)
                        .answer("no permission to write positions today");
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    @Override
    protected boolean breakNode(Planned<ChangelogFault> planned) throws Exception {
        switch (planned.kind) {
            case TOKENS_DROPPED:
                doris.dropSessions();
                return true;
            case CLOCK_BACK:
                clockBack(planned.delay(4000));
                return true;
            case FRONTEND_LAGS:
                // The first is the master, which has seen everything.
                int frontend = 1 + planned.draw % (doris.count("fe") - 1);
                doris.lag(frontend, planned.delay(2500));
                bringBack(() -> doris.lag(frontend, Duration.ZERO));
                return true;
            case BACKEND_STOPPED:
                stopBackend(planned);
                return true;
            case FRONTEND_STOPPED:
                stopFrontend(planned);
                return true;
            case PARTITION_ADDED:
                addPartition(++newestPartition);
                return true;
            case PARTITION_DROPPED:
                return dropPartition(planned);
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    /** Stamps must not fall, so nobody writes until the clock is where it was. */
    private void clockBack(Duration by) throws Exception {
        writers.pause();
        long before = doris.positionMillis();
        doris.turnClockBack(by);
        bringBack(
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

    @Override
    protected boolean breakJob(Planned<ChangelogFault> planned) throws Exception {
        switch (planned.kind) {
            case TASK_FAILED:
                return hook(planned, Hook.THROW);
            case CHECKPOINT_DECLINED:
                return hook(planned, Hook.DECLINE);
            case TASK_FAILED_AT_COMPLETION:
                return hook(planned, Hook.THROW_AT_COMPLETION);
            case TASK_MANAGER_LOST:
            case TASK_MANAGER_KILLED:
                endTaskManager(planned);
                return true;
            case JOB_MANAGER_KILLED:
                killJobManager();
                return true;
            case RESCALED:
                parallelism = (parallelism + 1) % PARALLELISMS.length;
                jobs.rescale(PARALLELISMS[parallelism], false);
                return true;
            case SLICES_CHANGED:
                return changeSlices();
            case RESTORED:
                restoreNewest();
                return true;
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
            if (hook(hook, FollowJob.OPERATOR, subtask, STRIKE.dividedBy(subtasks))) {
                return true;
            }
        }
        return false;
    }
}
