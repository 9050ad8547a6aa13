package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.SliceScheme;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * What is read from the cluster before changes are followed: facts of the table, the position to
 * start from, the probe of the hash. A saved offset wins over the scan mode; a problem with it
 * never falls back to that. Immutable.
 */
final class StartPosition {

    private static final Logger LOG = LoggerFactory.getLogger(StartPosition.class);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    private final TableFacts facts;
    private final OptionalLong startMillis;
    private final boolean readsSnapshot;
    private final OptionalLong probe;
    private final String reason;

    private StartPosition(
            TableFacts facts,
            OptionalLong startMillis,
            boolean readsSnapshot,
            OptionalLong probe,
            String reason) {
        this.facts = facts;
        this.startMillis = startMillis;
        this.readsSnapshot = readsSnapshot;
        this.probe = probe;
        this.reason = reason;
    }

    /** Start of a consumer without state; blocks, on a worker thread. */
    static StartPosition fresh(
            ChangelogConfig config, ChangelogService service, BooleanSupplier cancelled)
            throws Exception {
        TableFacts facts = service.table(cancelled);
        OptionalLong probe = probe(hashes(config.slices()), service, cancelled);
        OptionalLong saved =
                config.offsetTable().isPresent() ? saved(service, cancelled) : OptionalLong.empty();
        long position = service.position(cancelled);
        if (saved.isPresent()) {
            String row = "the row of " + service.offsets().describe();
            if (saved.getAsLong() > position) {
                String wall = wallClock(saved.getAsLong(), service, cancelled);
                refuseFuture(
                        saved.getAsLong(),
                        position,
                        row + wall,
                        "Repair the row, delete it to have option 'source.scan.mode' decide, or"
                                + " wait until that time has passed.");
            }
            refuseExpired(saved.getAsLong(), position, row, facts, config);
            return new StartPosition(facts, saved, false, probe, row);
        }
        ScanMode mode = config.scanMode();
        String reason = "option 'source.scan.mode' = '" + mode.option() + "'";
        if (mode != ScanMode.FROM_TIMESTAMP) {
            OptionalLong start = OptionalLong.of(PositionPoll.wholeSeconds(position));
            return new StartPosition(facts, start, mode.isSnapshotPhaseRequired(), probe, reason);
        }
        String text = config.scanTimestamp().orElseThrow();
        ChangelogService.Instant given = service.instant(text, cancelled);
        String what =
                String.format(
                        "option 'source.scan.timestamp' = '%s' in the account's time zone %s",
                        text, given.zone());
        refuseFuture(
                given.millis(),
                position,
                what,
                "Give a time that has passed, or wait until it has.");
        refuseExpired(given.millis(), position, what, facts, config);
        return new StartPosition(facts, OptionalLong.of(given.millis()), false, probe, what);
    }

    /** Start of a consumer that resumes from a state; blocks, on a worker thread. */
    static StartPosition resumed(
            ChangelogConfig config,
            ChangelogState state,
            ChangelogService service,
            BooleanSupplier cancelled)
            throws Exception {
        TableFacts facts = service.table(cancelled);
        boolean hashed =
                hashes(config.slices()) || hashes(state.scheme()) || hashes(state.formerScheme());
        return new StartPosition(
                facts,
                state.startMillis(),
                false,
                probe(hashed, service, cancelled),
                "the checkpoint");
    }

    /** Whether slices of the scheme depend on the server's hash function. */
    static boolean hashes(SliceScheme scheme) {
        return scheme.kind() == SliceScheme.Kind.HASH && scheme.count() > 1;
    }

    /** Facts of the table. */
    TableFacts facts() {
        return facts;
    }

    /** First millisecond whose changes are read; whole seconds. */
    OptionalLong startMillis() {
        return startMillis;
    }

    /** Whether the content is read first. */
    boolean readsSnapshot() {
        return readsSnapshot;
    }

    /** The server's hash of a constant; empty where no slice depends on it. */
    OptionalLong probe() {
        return probe;
    }

    /** What the start was taken from, for messages. */
    String reason() {
        return reason;
    }

    private static OptionalLong probe(
            boolean needed, ChangelogService service, BooleanSupplier cancelled) throws Exception {
        return needed ? OptionalLong.of(service.probe(cancelled)) : OptionalLong.empty();
    }

    private static OptionalLong saved(ChangelogService service, BooleanSupplier cancelled)
            throws Exception {
        try {
            return service.offsets().read(cancelled);
        } catch (IOException e) {
            throw new Refused(
                    String.format(
                            "the row of %s cannot be read, and the scan mode does not step in for"
                                    + " it: %s",
                            service.offsets().describe(), e.getMessage()),
                    e);
        }
    }

    /** The instant as the table shows it, for a message; empty where the zone is not understood. */
    private static String wallClock(
            long millis, ChangelogService service, BooleanSupplier cancelled)
            throws InterruptedException {
        LocalDateTime utc = LocalDateTime.ofEpochSecond(millis / 1000, 0, ZoneOffset.UTC);
        try {
            String zone = service.instant(TIME.format(utc), cancelled).zone();
            ZonedDateTime wall = Instant.ofEpochMilli(millis).atZone(ZoneId.of(zone));
            return String.format(" (%s in the account's time zone %s)", TIME.format(wall), zone);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.debug("The account's time zone is not known here.", e);
            return "";
        }
    }

    /** Else the first window would fail, again after each restart. */
    private static void refuseExpired(
            long startMillis, long position, String what, TableFacts facts, ChangelogConfig config)
            throws Refused {
        long retained = position - facts.ttlSeconds() * 1000;
        if (facts.ttlSeconds() > 0 && startMillis < retained && config.failsOnExpired()) {
            throw new Refused(
                    String.format(
                            "changes from the start %s, by %s, until before %s have expired on the"
                                + " server (changelog.ttl_seconds = %d, newest position %s). %s %s",
                            Instant.ofEpochMilli(startMillis),
                            what,
                            Instant.ofEpochMilli(retained),
                            facts.ttlSeconds(),
                            Instant.ofEpochMilli(position),
                            config.whyItFailsOnExpired(),
                            ChangelogConfig.EXPIRED_REMEDY));
        }
    }

    private static void refuseFuture(long startMillis, long position, String what, String remedy)
            throws Refused {
        if (startMillis > position) {
            throw new Refused(
                    String.format(
                            "the start %s, by %s, is later than the server's newest position %s."
                                    + " %s",
                            Instant.ofEpochMilli(startMillis),
                            what,
                            Instant.ofEpochMilli(position),
                            remedy));
        }
    }

    /**
     * A start that the enumerator itself refuses, or whose refusal by the server needs more words.
     */
    static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        /** Asking again would give the same answer. */
        Refused(String message) {
            super(message);
        }

        /** Whether asking again is of use is up to the cause. */
        Refused(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
