package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.offset.OffsetTable;

import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What the enumerator requests from the cluster in order to follow changes. The calls block and run
 * on the coordinator's worker thread; each ends with an {@link InterruptedException} soon after
 * {@code cancelled} has become true. Failures are exceptions with the reason in their message.
 */
interface ChangelogService extends AutoCloseable {

    /** Looks whether the table's changes can be followed as configured, and how. */
    TableFacts table(BooleanSupplier cancelled) throws Exception;

    /** Newest committed position, ms since 1970 UTC. */
    long position(BooleanSupplier cancelled) throws Exception;

    /** The instant of a wall clock time {@code yyyy-MM-dd HH:mm:ss} in the account's time zone. */
    Instant instant(String text, BooleanSupplier cancelled) throws Exception;

    /** Id and name of the table's partitions, as the master front end lists them. */
    Map<Long, String> partitions(BooleanSupplier cancelled) throws Exception;

    /** The server's hash of a constant, by the function that cuts a table into slices. */
    long probe(BooleanSupplier cancelled) throws Exception;

    /** The table that publishes progress; usable only where one is configured. */
    OffsetTable offsets();

    /** Ends what is under way; no further question is allowed. */
    @Override
    void close();

    /** An instant, and the zone in which the wall clock time was read. */
    final class Instant {

        private final long millis;
        private final String zone;

        Instant(long millis, String zone) {
            this.millis = millis;
            this.zone = zone;
        }

        /** Milliseconds since 1970 UTC. */
        long millis() {
            return millis;
        }

        /** The account's time zone as the server names it. */
        String zone() {
            return zone;
        }
    }
}
