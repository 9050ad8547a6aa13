package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.enumerator.EnumeratorState.Phase;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.doris.flink.source.event.SlicesGoneEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.SliceIds;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The enumerator's part in following changes: fixes the start, tells readers up to where they may
 * read, hands out slices, notices what checkpoints cover, begins the changes where the snapshot
 * ends, and publishes progress.
 *
 * <p>All methods run on the coordinator thread; questions to the cluster run on the worker thread
 * and see none of the state.
 */
final class ChangelogCoordinator {

    private static final Logger LOG = LoggerFactory.getLogger(ChangelogCoordinator.class);

    private static final OptionalLong NOTHING = OptionalLong.empty();

    private final SplitEnumeratorContext<DorisSplit> context;
    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final ChangelogService service;
    private final SnapshotPhase snapshot;
    private final BooleanSupplier closed;
    private final PositionPoll poll;
    private final SliceRegistry slices = new SliceRegistry();
    private final SliceSchemes schemes;
    private final CoveredReports reports = new CoveredReports();
    private final HandOver handOver;
    private final TableWatch watch;
    private final ContentRetention contentRetention;
    private final StartQuestion question;
    private final PublishedProgress published;
    private Counter slicesGone = new SimpleCounter();

    private ChangelogState restored;
    private Phase phase = Phase.SNAPSHOT;
    private OptionalLong start = OptionalLong.empty();
    private OptionalLong netFrom = OptionalLong.empty();
    private boolean ready;
    private BoundEvent lastBound;
    private boolean boundOutdated = true;
    private boolean failed;
    private boolean handingOver;

    /**
     * @param closed becomes true when the enumerator closes; read by any thread
     * @param clock milliseconds of a clock that never goes back
     */
    ChangelogCoordinator(
            SplitEnumeratorContext<DorisSplit> context,
            ScanConfig scan,
            ChangelogService service,
            SnapshotPhase snapshot,
            BooleanSupplier closed,
            LongSupplier clock) {
        this.context = context;
        this.table = scan.connection().table();
        this.config = scan.changelog();
        this.service = service;
        this.snapshot = snapshot;
        this.closed = closed;
        this.poll =
                new PositionPoll(table, config.pollInterval(), config.visibleWaitTimeout(), clock);
        this.schemes = new SliceSchemes(table, slices, config.slices());
        this.handOver = new HandOver(config.checkpointInterval(), clock);
        this.watch = new TableWatch(table, clock);
        this.contentRetention = new ContentRetention(table, clock);
        this.question = new StartQuestion(table, config, service, closed);
        this.published =
                config.offsetTable().isPresent()
                        ? new PublishedProgress(service.offsets(), slices, clock)
                        : null;
    }

    /** Goes on where a checkpoint was taken. */
    void restore(EnumeratorState state, Collection<DorisSplit> unassignedSlices) {
        restored = state.changelog();
        phase = restored.phase();
        start = restored.startMillis();
        netFrom = restored.netFromMillis();
        watch.restore(state.tableId(), restored.probeHash());
        restored.boundMillis().ifPresent(poll::raise);
        slices.restore(restored, unassignedSlices);
        if (phase == Phase.CHANGELOG) {
            snapshot.end();
            if (schemeNeedsCheckpoints()) {
                throw new FlinkRuntimeException(
                        String.format(
                                "Option 'source.changelog.slices' was changed from '%s' to '%s',"
                                    + " which takes a checkpoint after the restore, but"
                                    + " checkpointing is off. Turn it on, or set the option back.",
                                restored.scheme(), config.slices()));
            }
            schemes.restore(restored);
        }
    }

    /** Begins: asks for the start, then polls. */
    void start() {
        ChangelogState known = restored;
        context.callAsync(
                () -> question.ask(known),
                (answer, failure) -> failOnce(() -> answered(answer, failure)));
        long interval = config.pollInterval().toMillis();
        context.callAsync(
                () -> null, (nothing, failure) -> failOnce(this::tick), interval, interval);
        if (published != null) {
            published.start(context);
        }
    }

    /** A reader has begun, or begun anew. */
    void addReader(int subtask) {
        if (lastBound != null) {
            context.sendEventToSourceReader(subtask, lastBound);
        }
        proceed();
    }

    /** A subtask begins anew; these are slices that it was given since its checkpoint. */
    void addSlicesBack(List<DorisSplit> splits, int subtask) {
        reports.forget(subtask);
        for (DorisSplit unknown : slices.takeBack(splits, subtask)) {
            LOG.info(
                    "Table {}: {} came back from subtask {} and is dropped, since its partition is"
                            + " gone.",
                    table,
                    unknown.splitId(),
                    subtask);
        }
    }

    /** A reader asked for a split; it got one or waits. */
    void requested() {
        endSnapshotWithoutCheckpoint();
    }

    /** What a reader has to say. */
    void handle(int subtask, SourceEvent event) {
        if (event instanceof HeldSlicesEvent) {
            held(subtask, (HeldSlicesEvent) event);
        } else if (event instanceof CoveredEvent) {
            covered(subtask, (CoveredEvent) event);
        } else {
            throw new FlinkRuntimeException("The event " + event + " of a reader is unknown.");
        }
    }

    /**
     * What a checkpoint keeps. With scan mode {@code latest} a consumer's first checkpoint waits
     * until the start is known: fixed anew after a failure, it would skip changes.
     */
    ChangelogState snapshotState(long checkpoint) {
        if (!ready && start.isEmpty() && config.scanMode() == ScanMode.LATEST) {
            // A refusal is told by its own way, with its cause; there is nothing to skip then.
            question.await().ifPresent(this::started);
        }
        handOver.checkpointTaken();
        boolean pending = phase == Phase.SNAPSHOT && !snapshot.isPlanned();
        reports.taken(
                checkpoint, pending ? Long.MAX_VALUE : snapshot.unassigned(), slices.waitingIds());
        return ChangelogState.builder()
                .phase(phase)
                .start(start)
                .bound(poll.bound())
                .listed(schemes.listedMillis())
                .scheme(phase == Phase.CHANGELOG ? schemes.present() : SliceScheme.NONE)
                .former(schemes.former(), schemes.last())
                .probe(phase == Phase.CHANGELOG && schemes.hashes() ? watch.probe() : NOTHING)
                .netFrom(netFrom)
                .covered(slices.covered())
                .partitions(slices.partitions())
                .build();
    }

    /** Slices that no reader has. */
    List<DorisSplit> waitingSlices() {
        return slices.waiting();
    }

    /** Id of the table on the server, where known. */
    OptionalLong tableId() {
        return watch.tableId();
    }

    /** A checkpoint that will never complete. */
    void checkpointAborted(long checkpoint) {
        reports.aborted(checkpoint);
    }

    /** Figures of the changelog and of the offset table. */
    void registerMetrics(SplitEnumeratorMetricGroup metrics) {
        slicesGone = metrics.counter("changelogSlicesGone");
        if (published != null) {
            published.registerMetrics(metrics);
        }
    }

    /** One last attempt to publish, then the end of all calls. */
    void close() {
        try {
            if (published != null) {
                published.close();
            }
        } finally {
            service.close();
        }
    }

    private boolean schemeNeedsCheckpoints() {
        boolean moves =
                !restored.scheme().equals(config.slices())
                        || !restored.formerScheme().equals(SliceScheme.NONE);
        OptionalLong interval = config.checkpointInterval();
        return moves && interval.isPresent() && interval.getAsLong() == 0;
    }

    private void answered(StartPosition answer, Throwable failure) {
        if (failure == null) {
            started(answer);
            return;
        }
        RuntimeException refusal = question.refusal(failure, restored != null);
        if (restored != null) {
            throw refusal;
        }
        failed = true;
        RefusedStart.fail(context, closed, refusal);
    }

    private void started(StartPosition answer) {
        if (ready) {
            return;
        }
        watch.first(answer, phase == Phase.CHANGELOG);
        ready = true;
        boolean known = start.isPresent();
        if (!known) {
            start = answer.startMillis();
        }
        LOG.info(
                "Table {}: changes are followed from {} on, by {}{}.",
                table,
                Instant.ofEpochMilli(start.getAsLong()),
                answer.reason(),
                known ? "; reading goes on where it was taken" : "");
        if (!known && !answer.readsSnapshot()) {
            snapshot.skip();
            netFrom = start;
            beginChanges();
        } else if (phase == Phase.SNAPSHOT) {
            if (!answer.facts().unique()) {
                LOG.warn(
                        "Table {} keeps duplicates: changes that are committed while its content is"
                                + " read may arrive twice, in the content and as changes.",
                        table);
            }
            if (!snapshot.isPlanned()) {
                snapshot.plan(start, restored != null);
            }
            endSnapshotWithoutCheckpoint();
        } else {
            proceed();
        }
    }

    private void beginChanges() {
        phase = Phase.CHANGELOG;
        snapshot.end();
        poll.raise(start.getAsLong());
        schemes.begin(start.getAsLong());
        proceed();
    }

    private void endSnapshotWithoutCheckpoint() {
        boolean due =
                ready
                        && phase == Phase.SNAPSHOT
                        && handOver.isDueWithoutCheckpoint(
                                snapshot.isIdle(context.currentParallelism()));
        if (due) {
            long moves = snapshot.moves();
            handOver(() -> beginWithoutCheckpoint(moves));
        }
    }

    /**
     * Goes from the content to the changes, once it is known that no tablet of the content was lost
     * in mid-read.
     */
    private void handOver(Runnable begin) {
        if (!handingOver) {
            handingOver = true;
            snapshot.afterLookUp(
                    () -> {
                        handingOver = false;
                        begin.run();
                    });
        }
    }

    private void beginWithoutCheckpoint(long moves) {
        // A reader that failed since has read parts of the content behind the look; the next poll
        // looks again.
        if (phase == Phase.SNAPSHOT
                && snapshot.moves() == moves
                && snapshot.isIdle(context.currentParallelism())) {
            LOG.warn(
                    "The content of table {} is read and no checkpoint {}: its changes are"
                            + " followed from {} on without one. No progress is kept before the"
                            + " first checkpoint; after a failure the job begins anew. Turn on"
                            + " checkpointing ('execution.checkpointing.interval'), or shorten its"
                            + " interval, to change that.",
                    table,
                    config.checkpointInterval().isPresent()
                            ? "will be taken"
                            : "was taken in " + HandOver.SILENCE.toMinutes() + " minutes",
                    Instant.ofEpochMilli(start.getAsLong()));
            beginChanges();
        }
    }

    /** Does what can be done in the changelog phase; to be called whenever something happened. */
    private void proceed() {
        if (!ready || phase != Phase.CHANGELOG) {
            return;
        }
        long reached = poll.bound().orElse(start.getAsLong());
        if (schemes.settle(context.currentParallelism(), reached)) {
            schemes.last().ifPresent(poll::raise);
            boundOutdated = true;
        }
        assignWaiting();
        if (boundOutdated || schemes.needsListing()) {
            look(boundOutdated);
        }
    }

    private void assignWaiting() {
        if (!schemes.isSettled()) {
            return;
        }
        Map<Integer, List<DorisSplit>> assignment =
                slices.assign(context.registeredReaders().keySet(), context.currentParallelism());
        if (!assignment.isEmpty()) {
            assignment.forEach(
                    (subtask, splits) ->
                            LOG.info("Table {}: subtask {} follows {}.", table, subtask, splits));
            context.assignSplits(new SplitsAssignment<>(assignment));
        }
    }

    private void tick() {
        endSnapshotWithoutCheckpoint();
        if (ready && phase == Phase.CHANGELOG) {
            look(false);
        } else if (ready) {
            watchContentRetention();
        }
    }

    private void watchContentRetention() {
        if (failed || !contentRetention.begin(watch.ttlSeconds())) {
            return;
        }
        context.callAsync(
                () -> service.position(closed),
                (position, failure) -> failOnce(() -> retentionAnswered(position, failure)));
    }

    private void retentionAnswered(Long position, Throwable failure) {
        if (failure != null) {
            contentRetention.failed(failure);
            return;
        }
        RetentionEvent event =
                contentRetention.answered(start.getAsLong(), position, watch.ttlSeconds());
        if (phase == Phase.SNAPSHOT) {
            registered().forEach(subtask -> context.sendEventToSourceReader(subtask, event));
        }
    }

    private void look(boolean atOnce) {
        if (failed || !schemes.isSettled() || !poll.begin(atOnce)) {
            return;
        }
        OptionalLong bound = poll.bound();
        boolean partitions = schemes.followsPartitions();
        boolean listing = schemes.needsListing();
        boolean facts = watch.isDue();
        boolean probe = facts && schemes.hashes();
        context.callAsync(
                () -> Look.ask(service, closed, bound, partitions, listing, facts, probe),
                (look, failure) -> failOnce(() -> looked(look, failure)));
    }

    /**
     * After a failure nothing is done any more: each further one, while the job waits for its
     * restart, would begin the waiting anew.
     */
    private void failOnce(Runnable step) {
        if (closed.getAsBoolean() || failed) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException e) {
            failed = true;
            throw e;
        }
    }

    private void looked(Look look, Throwable failure) {
        if (failure != null) {
            poll.failed(failure);
            return;
        }
        watch.again(look);
        PositionPoll.Answer answer = poll.answered(look.position());
        if (answer == PositionPoll.Answer.BEHIND) {
            return;
        }
        if (netFrom.isEmpty()) {
            // This was looked up after the content was read: all that it shows is below the next
            // second.
            netFrom = OptionalLong.of(PositionPoll.wholeSeconds(look.position()) + 1000);
        }
        look.partitions().ifPresent(this::listed);
        if (answer == PositionPoll.Answer.MOVED || boundOutdated) {
            sendBound(look.position());
        }
        proceed();
    }

    private void listed(Map<Long, String> partitions) {
        List<String> gone = schemes.listed(partitions, poll.bound().getAsLong());
        if (!gone.isEmpty()) {
            slicesGone.inc(gone.size());
            SlicesGoneEvent event = new SlicesGoneEvent(gone);
            registered().forEach(subtask -> context.sendEventToSourceReader(subtask, event));
        }
        assignWaiting();
    }

    private void sendBound(long position) {
        boolean leaving = schemes.isMoving() && !schemes.former().equals(schemes.present());
        BoundEvent bound =
                new BoundEvent(
                        poll.bound().getAsLong(),
                        leaving ? schemes.last() : OptionalLong.empty(),
                        schemes.present(),
                        position,
                        watch.ttlSeconds(),
                        netFrom.getAsLong(),
                        watch.history());
        // An event too many may meet a task that has just failed, and hide why.
        boolean news = lastBound == null || !bound.allowsTheSameAs(lastBound);
        lastBound = bound;
        boundOutdated = false;
        if (news) {
            registered().forEach(subtask -> context.sendEventToSourceReader(subtask, bound));
        }
    }

    private List<Integer> registered() {
        return new ArrayList<>(context.registeredReaders().keySet());
    }

    private void held(int subtask, HeldSlicesEvent event) {
        slices.held(subtask, event.slices());
        List<String> gone = new ArrayList<>();
        for (HeldSlicesEvent.HeldSlice slice : event.slices()) {
            boolean unknown =
                    slice.scheme().equals(SliceScheme.PARTITIONS)
                            && !slices.partitions().containsKey(slice.slice());
            if (unknown) {
                gone.add(SliceIds.of(slice.scheme(), slice.slice()));
            }
        }
        if (!gone.isEmpty()) {
            context.sendEventToSourceReader(subtask, new SlicesGoneEvent(gone));
        }
        proceed();
    }

    private void covered(int subtask, CoveredEvent event) {
        long checkpoint = event.checkpointId();
        int parallelism = context.currentParallelism();
        slices.covered(event.coveredMillis());
        reports.report(
                checkpoint,
                subtask,
                event.openSnapshotSplits(),
                event.coveredMillis().keySet(),
                parallelism);
        if (!ready) {
            return;
        }
        if (phase == Phase.SNAPSHOT) {
            if (reports.coversSnapshot(checkpoint, parallelism)) {
                LOG.info(
                        "The content of table {} is read, as of checkpoint {}: its changes are"
                                + " followed from {} on.",
                        table,
                        checkpoint,
                        Instant.ofEpochMilli(start.getAsLong()));
                handOver(this::beginChanges);
            }
            return;
        }
        if (published != null) {
            published.covered(event);
        }
        if (schemes.finish(reports, checkpoint, parallelism)) {
            proceed();
        }
    }
}
