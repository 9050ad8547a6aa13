package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.enumerator.EnumeratorState.Phase;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.event.SlicesGoneEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The time in which changes are followed, to the end of the job: sends readers the bound up to
 * which they may read, assigns slices, and publishes progress. What a checkpoint or a reader
 * reports of slices is noted before it has begun as well.
 */
final class FollowPhase implements ChangelogPhase {

    private static final Logger LOG = LoggerFactory.getLogger(FollowPhase.class);

    private static final OptionalLong NOTHING = OptionalLong.empty();

    private final SplitEnumeratorContext<DorisSplit> context;
    private final ClusterCalls calls;
    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final ChangelogService service;
    private final CoveredReports reports;
    private final TableWatch watch;
    private final PositionPoll poll;
    private final SliceRegistry slices = new SliceRegistry();
    private final SliceSchemes schemes;
    private final PublishedProgress published;
    private Counter slicesGone = new SimpleCounter();

    private boolean begun;
    private long startMillis;
    private OptionalLong netFrom = NOTHING;
    private BoundEvent lastBound;
    private boolean boundOutdated = true;

    /**
     * @param clock milliseconds of a clock that never goes back
     */
    FollowPhase(
            SplitEnumeratorContext<DorisSplit> context,
            ClusterCalls calls,
            TableIdentifier table,
            ChangelogConfig config,
            ChangelogService service,
            CoveredReports reports,
            TableWatch watch,
            LongSupplier clock) {
        this.context = context;
        this.calls = calls;
        this.table = table;
        this.config = config;
        this.service = service;
        this.reports = reports;
        this.watch = watch;
        this.poll =
                new PositionPoll(table, config.pollInterval(), config.visibleWaitTimeout(), clock);
        this.schemes = new SliceSchemes(table, slices, config.slices());
        this.published =
                config.offsetTable().isPresent()
                        ? new PublishedProgress(service.offsets(), slices, clock)
                        : null;
    }

    /** Knows what a checkpoint held; it goes on with {@link #resume}, or begins later. */
    void restore(ChangelogState state, Collection<DorisSplit> unassigned) {
        netFrom = state.netFromMillis();
        state.boundMillis().ifPresent(poll::raise);
        slices.restore(state, unassigned);
        if (state.phase() == Phase.CHANGELOG) {
            begun = true;
            if (needsCheckpoints(state)) {
                throw new FlinkRuntimeException(
                        String.format(
                                "Option 'source.changelog.slices' was changed from '%s' to '%s',"
                                    + " which takes a checkpoint after the restore, but"
                                    + " checkpointing is off. Turn it on, or set the option back.",
                                state.scheme(), config.slices()));
            }
            schemes.restore(state);
        }
    }

    private boolean needsCheckpoints(ChangelogState state) {
        boolean moves =
                !state.scheme().equals(config.slices())
                        || !state.formerScheme().equals(SliceScheme.NONE);
        OptionalLong interval = config.checkpointInterval();
        return moves && interval.isPresent() && interval.getAsLong() == 0;
    }

    /** Whether changes are followed, in this job or the one whose checkpoint it goes on from. */
    boolean hasBegun() {
        return begun;
    }

    /** There is no content before the changes: net changes begin with the first. */
    void withoutContent(long startMillis) {
        netFrom = OptionalLong.of(startMillis);
    }

    void begin(long startMillis) {
        begun = true;
        this.startMillis = startMillis;
        poll.raise(startMillis);
        schemes.begin(startMillis);
        proceed();
    }

    /** Goes on where a checkpoint was taken. */
    void resume(long startMillis) {
        this.startMillis = startMillis;
        proceed();
    }

    /** Begins to look after what is published. */
    void startPublishing() {
        if (published != null) {
            published.start(context);
        }
    }

    /** A reader that begins must know up to where it may read. */
    void welcome(int subtask) {
        if (lastBound != null) {
            context.sendEventToSourceReader(subtask, lastBound);
        }
    }

    /** A subtask restarts; these are slices that it was given since its checkpoint. */
    void takeBack(List<DorisSplit> splits, int subtask) {
        for (DorisSplit unknown : slices.takeBack(splits, subtask)) {
            LOG.info(
                    "Table {}: {} came back from subtask {} and is dropped, since its partition is"
                            + " gone.",
                    table,
                    unknown.splitId(),
                    subtask);
        }
    }

    /** A reader reports what it holds; it receives which of that is gone. */
    void held(int subtask, HeldSlicesEvent event) {
        slices.held(subtask, event.slices());
        List<String> gone = new ArrayList<>();
        for (HeldSlicesEvent.HeldSlice slice : event.slices()) {
            boolean unknown =
                    slice.scheme().equals(SliceScheme.PARTITIONS)
                            && !slices.partitions().containsKey(slice.slice());
            if (unknown) {
                gone.add(slice.scheme().splitId(slice.slice()));
            }
        }
        if (!gone.isEmpty()) {
            context.sendEventToSourceReader(subtask, new SlicesGoneEvent(gone));
        }
    }

    /** Up to where slices are covered, by id. */
    void noteCovered(Map<String, Long> millis) {
        slices.covered(millis);
    }

    /** Slices that no reader has. */
    List<DorisSplit> waiting() {
        return slices.waiting();
    }

    /** Their ids. */
    Set<String> waitingIds() {
        return slices.waitingIds();
    }

    /** What a checkpoint keeps. */
    ChangelogState state(OptionalLong start) {
        return ChangelogState.builder()
                .phase(begun ? Phase.CHANGELOG : Phase.SNAPSHOT)
                .start(start)
                .bound(poll.bound())
                .listed(schemes.listedMillis())
                .scheme(begun ? schemes.present() : SliceScheme.NONE)
                .former(schemes.former(), schemes.last())
                .probe(begun && schemes.hashes() ? watch.probe() : NOTHING)
                .netFrom(netFrom)
                .covered(slices.covered())
                .partitions(slices.partitions())
                .build();
    }

    /** Figures of the changelog and of the offset table. */
    void registerMetrics(SplitEnumeratorMetricGroup metrics) {
        slicesGone = metrics.counter("changelogSlicesGone");
        if (published != null) {
            published.registerMetrics(metrics);
        }
    }

    /** One last attempt to publish. */
    void close() {
        if (published != null) {
            published.close();
        }
    }

    @Override
    public void proceed() {
        long reached = poll.bound().orElse(startMillis);
        if (schemes.settle(context.currentParallelism(), reached)) {
            schemes.last().ifPresent(poll::raise);
            boundOutdated = true;
        }
        assignWaiting();
        if (boundOutdated || schemes.needsListing()) {
            poll(boundOutdated);
        }
    }

    @Override
    public void tick() {
        poll(false);
    }

    @Override
    public void covered(CoveredEvent event) {
        if (published != null) {
            published.covered(event);
        }
        if (schemes.finish(reports, event.checkpointId(), context.currentParallelism())) {
            proceed();
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

    private void poll(boolean atOnce) {
        if (calls.hasFailed() || !schemes.isSettled() || !poll.begin(atOnce)) {
            return;
        }
        OptionalLong bound = poll.bound();
        boolean partitions = schemes.followsPartitions();
        boolean listing = schemes.needsListing();
        boolean facts = watch.isDue();
        boolean probe = facts && schemes.hashes();
        calls.call(
                () ->
                        PollResult.poll(
                                service, calls.closed(), bound, partitions, listing, facts, probe),
                this::polled);
    }

    private void polled(PollResult result, Throwable failure) {
        if (failure != null) {
            poll.failed(failure);
            return;
        }
        watch.polled(result);
        PositionPoll.Outcome outcome = poll.answered(result.position());
        if (outcome == PositionPoll.Outcome.BEHIND) {
            return;
        }
        if (netFrom.isEmpty()) {
            // This was looked up after the content was read: all that it shows is below the next
            // second.
            netFrom = OptionalLong.of(PositionPoll.wholeSeconds(result.position()) + 1000);
        }
        result.partitions().ifPresent(this::listed);
        if (outcome == PositionPoll.Outcome.MOVED || boundOutdated) {
            sendBound(result.position());
        }
        proceed();
    }

    private void listed(Map<Long, String> partitions) {
        List<String> gone = schemes.listed(partitions, poll.bound().getAsLong());
        if (!gone.isEmpty()) {
            slicesGone.inc(gone.size());
            sendToAll(new SlicesGoneEvent(gone));
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
            sendToAll(bound);
        }
    }

    private void sendToAll(SourceEvent event) {
        List.copyOf(context.registeredReaders().keySet())
                .forEach(subtask -> context.sendEventToSourceReader(subtask, event));
    }
}
