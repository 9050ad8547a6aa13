package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.chaos.RunLog;
import org.apache.doris.flink.chaos.Waiter;
import org.apache.doris.flink.it.Standin;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Points at which nobody writes and the job has caught up: there, what it has received must be what
 * the server recorded, and its result the table.
 */
final class QuietPoint {

    private static final Duration BOUND = Duration.ofSeconds(180);

    /** What the server's zone, +08:00, adds to a stamp. */
    private static final long ZONE_STAMPS = Duration.ofHours(8).toMillis() << 18;

    private final Standin doris;
    private final FollowedTable table;
    private final Writers writers;
    private final Following following;
    private final ServerLog serverLog;
    private final Waiter waiter;
    private final RunLog log;

    QuietPoint(
            Standin doris,
            FollowedTable table,
            Writers writers,
            Following following,
            ServerLog serverLog,
            Waiter waiter,
            RunLog log) {
        this.doris = doris;
        this.table = table;
        this.writers = writers;
        this.following = following;
        this.serverLog = serverLog;
        this.waiter = waiter;
        this.log = log;
    }

    /** What the server recorded. */
    ServerLog log() {
        return serverLog;
    }

    /** Stops the writers and waits until the job has everything; it may have too much, too. */
    void come() throws Exception {
        writers.pause();
        collect();
        long begun = System.nanoTime();
        waiter.within(BOUND, this::caughtUp);
        ChangeComparison comparison = compare();
        comparison.findings().forEach(log::print);
        if (comparison.missing() > 0) {
            throw new Waiter.Stuck(
                    String.format(
                            "not within %d s: the job has everything; %d missing",
                            BOUND.toSeconds(), comparison.missing()));
        }
        log.step(
                "quiet: %d changes, %d received, caught up within %d ms%s",
                serverLog.changesFrom(0).size(),
                following.received().size(),
                (System.nanoTime() - begun) / 1_000_000,
                comparison.isExact()
                        ? ""
                        : ", doubled " + comparison.doubled() + ", wrong " + comparison.wrong());
    }

    private boolean caughtUp() throws IOException {
        ChangeComparison comparison = compare();
        return comparison.missing() == 0 && comparison.behind() == 0;
    }

    /** The question waits for transactions as those of the job do, and is refused as theirs are. */
    private void collect() throws Exception {
        waiter.until(
                "the server tells what it recorded",
                () -> {
                    serverLog.collect();
                    return true;
                });
    }

    /** Lets the writers go on. */
    void leave() {
        writers.resume();
    }

    /** Compares what the job has by now. */
    ChangeComparison compare() throws IOException {
        ChangeComparison comparison = new ChangeComparison(following.received());
        long start = following.start().orElse(Long.MAX_VALUE);
        if (table.isRecordByRecord()) {
            comparison.records(serverLog.changesFrom(start));
        }
        List<List<String>> rows = serverLog.table();
        if (table.isUnique() && table.hasAllChanges()) {
            comparison.result(rows, serverLog.dropped());
        } else if (!table.isUnique()) {
            comparison.atLeastOnce(rows);
        }
        return comparison;
    }

    /**
     * Records below the published position that no completed checkpoint holds. The position is
     * looked at first, since it may grow meanwhile.
     */
    long ahead() throws Exception {
        List<List<String>> published =
                doris.sql("SELECT offset_timestamp FROM " + FollowedTable.OFFSETS);
        if (published.isEmpty() || !table.isRecordByRecord() || following.start().isEmpty()) {
            return 0;
        }
        long position = Following.stampOf(published.get(0).get(0)) - ZONE_STAMPS;
        collect();
        List<Change> below =
                serverLog.changesFrom(following.start().get()).stream()
                        .filter(change -> change.tso < position)
                        .collect(Collectors.toList());
        ChangeComparison comparison = new ChangeComparison(following.received()).records(below);
        if (comparison.missing() > 0) {
            log.print("ahead of the newest checkpoint: position " + published);
        }
        return comparison.missing();
    }
}
