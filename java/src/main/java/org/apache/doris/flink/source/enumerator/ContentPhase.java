package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The time while the content is read and the changes behind it wait: watches that they are still
 * kept, and ends where a checkpoint covers the content, or without one where none is taken.
 */
final class ContentPhase implements ChangelogPhase {

    private static final Logger LOG = LoggerFactory.getLogger(ContentPhase.class);

    /** So long all readers are idle without any checkpoint before there seem to be none. */
    private static final Duration SILENCE = Duration.ofMinutes(10);

    private final SplitEnumeratorContext<DorisSplit> context;
    private final ClusterCalls calls;
    private final TableIdentifier table;
    private final OptionalLong checkpointInterval;
    private final ChangelogService service;
    private final SnapshotPhase snapshot;
    private final CoveredReports reports;
    private final TableWatch watch;
    private final Runnable beginChanges;
    private final ContentRetention retention;
    private final LongSupplier clock;

    private long startMillis;
    private OptionalLong quietSince = OptionalLong.empty();
    private boolean handingOver;
    private boolean over;

    /**
     * @param beginChanges what comes behind the content
     * @param clock milliseconds of a clock that never goes back
     */
    ContentPhase(
            SplitEnumeratorContext<DorisSplit> context,
            ClusterCalls calls,
            TableIdentifier table,
            ChangelogConfig config,
            ChangelogService service,
            SnapshotPhase snapshot,
            CoveredReports reports,
            TableWatch watch,
            Runnable beginChanges,
            LongSupplier clock) {
        this.context = context;
        this.calls = calls;
        this.table = table;
        this.checkpointInterval = config.checkpointInterval();
        this.service = service;
        this.snapshot = snapshot;
        this.reports = reports;
        this.watch = watch;
        this.beginChanges = beginChanges;
        this.clock = clock;
        this.retention = new ContentRetention(table, clock);
    }

    /**
     * Begins, or goes on where a checkpoint was taken.
     *
     * @param startMillis where the changes begin
     * @param unique whether the table has unique keys
     */
    void begin(long startMillis, boolean unique, boolean resumed) {
        this.startMillis = startMillis;
        if (!unique) {
            LOG.warn(
                    "Table {} keeps duplicates: changes that are committed while its content is"
                            + " read may arrive twice, in the content and as changes.",
                    table);
        }
        if (!snapshot.isPlanned()) {
            snapshot.plan(OptionalLong.of(startMillis), resumed);
        }
        endIfDue();
    }

    /** A checkpoint is being taken. */
    void checkpointTaken() {
        quietSince = OptionalLong.empty();
    }

    @Override
    public void endIfDue() {
        if (isDueWithoutCheckpoint()) {
            long moves = snapshot.moves();
            afterLookUp(() -> endWithoutCheckpoint(moves));
        }
    }

    /** Whether all readers are idle, and no checkpoint seems to come that covers it. */
    private boolean isDueWithoutCheckpoint() {
        if (!snapshot.isIdle(context.currentParallelism())) {
            quietSince = OptionalLong.empty();
            return false;
        }
        if (checkpointInterval.isPresent()) {
            return checkpointInterval.getAsLong() == 0;
        }
        long now = clock.getAsLong();
        if (quietSince.isEmpty()) {
            quietSince = OptionalLong.of(now);
        }
        return now - quietSince.getAsLong() >= SILENCE.toMillis();
    }

    @Override
    public void covered(CoveredEvent event) {
        long checkpoint = event.checkpointId();
        if (reports.coversSnapshot(checkpoint, context.currentParallelism())) {
            LOG.info(
                    "The content of table {} is read, as of checkpoint {}: its changes are"
                            + " followed from {} on.",
                    table,
                    checkpoint,
                    Instant.ofEpochMilli(startMillis));
            afterLookUp(this::end);
        }
    }

    @Override
    public void tick() {
        if (!calls.hasFailed() && retention.begin(watch.ttlSeconds())) {
            calls.call(() -> service.position(calls.closed()), this::retentionAnswered);
        }
    }

    private void retentionAnswered(Long position, Throwable failure) {
        if (failure != null) {
            retention.failed(failure);
            return;
        }
        RetentionEvent event = retention.answered(startMillis, position, watch.ttlSeconds());
        if (!over) {
            List.copyOf(context.registeredReaders().keySet())
                    .forEach(subtask -> context.sendEventToSourceReader(subtask, event));
        }
    }

    /** Goes on once it is known that no tablet of the content was lost in mid-read. */
    private void afterLookUp(Runnable next) {
        if (!handingOver) {
            handingOver = true;
            snapshot.afterLookUp(
                    () -> {
                        handingOver = false;
                        next.run();
                    });
        }
    }

    private void endWithoutCheckpoint(long moves) {
        // A reader that failed since has read parts of the content behind the look; the next poll
        // looks again.
        if (snapshot.moves() == moves && snapshot.isIdle(context.currentParallelism())) {
            LOG.warn(
                    "The content of table {} is read and no checkpoint {}: its changes are"
                            + " followed from {} on without one. No progress is kept before the"
                            + " first checkpoint; after a failure the job begins anew. Turn on"
                            + " checkpointing ('execution.checkpointing.interval'), or shorten its"
                            + " interval, to change that.",
                    table,
                    checkpointInterval.isPresent()
                            ? "will be taken"
                            : "was taken in " + SILENCE.toMinutes() + " minutes",
                    Instant.ofEpochMilli(startMillis));
            end();
        }
    }

    private void end() {
        over = true;
        beginChanges.run();
    }
}
