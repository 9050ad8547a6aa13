package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Notices that the table is another one under the same name, or that the server's hash function
 * changed, since either would lose rows silently. Used by the coordinator thread alone.
 */
final class TableWatch {

    private static final Logger LOG = LoggerFactory.getLogger(TableWatch.class);

    /** Below the default poll interval: by default each bound is of a table that was checked. */
    private static final long INTERVAL_MILLIS = 5_000;

    private final TableIdentifier table;
    private final LongSupplier clock;

    private OptionalLong tableId = OptionalLong.empty();
    private OptionalLong probe = OptionalLong.empty();
    private long ttlSeconds;
    private boolean history;
    private long checkedAt;

    TableWatch(TableIdentifier table, LongSupplier clock) {
        this.table = table;
        this.clock = clock;
    }

    /** What a checkpoint knew. */
    void restore(OptionalLong knownId, OptionalLong knownProbe) {
        tableId = knownId;
        probe = knownProbe;
    }

    /**
     * Takes the facts read at the start.
     *
     * @param hasSlices whether slices exist already, whose borders depend on the hash function
     */
    void first(StartPosition start, boolean hasSlices) {
        checkId(start.facts());
        start.facts().warnings().forEach(warning -> LOG.warn("Table {}: {}", table, warning));
        if (hasSlices) {
            start.probe().ifPresent(this::checkProbe);
        }
        if (start.probe().isPresent()) {
            probe = start.probe();
        }
        adopt(start.facts());
    }

    /** Checks the facts that a poll read again, if any. */
    void polled(PollResult result) {
        result.facts()
                .ifPresent(
                        facts -> {
                            checkId(facts);
                            adopt(facts);
                        });
        result.probe().ifPresent(this::checkProbe);
    }

    /** Whether the next check of the table is due. */
    boolean isDue() {
        return clock.getAsLong() - checkedAt >= INTERVAL_MILLIS;
    }

    /** Id of the table on the server, where known. */
    OptionalLong tableId() {
        return tableId;
    }

    /** The server's hash of a constant; empty where it was never needed. */
    OptionalLong probe() {
        return probe;
    }

    /** How long the server keeps changes; 0 when that is not known. */
    long ttlSeconds() {
        return ttlSeconds;
    }

    /** Whether the table's changelog holds rows as they were before a change. */
    boolean history() {
        return history;
    }

    private void adopt(TableFacts facts) {
        if (facts.tableId().isPresent()) {
            tableId = facts.tableId();
        }
        ttlSeconds = facts.ttlSeconds();
        history = facts.history();
        checkedAt = clock.getAsLong();
    }

    private void checkId(TableFacts facts) {
        boolean other =
                tableId.isPresent()
                        && facts.tableId().isPresent()
                        && tableId.getAsLong() != facts.tableId().getAsLong();
        if (other) {
            throw new FlinkRuntimeException(
                    String.format(
                            "Table %s is another one than before: its id was %d and is %d now. A"
                                + " table that was replaced or made anew has another history. To"
                                + " follow it, start with 'source.scan.mode' = 'initial', without"
                                + " the checkpoint and with a new 'source.changelog.consumer-id',"
                                + " if there is one.",
                            table, tableId.getAsLong(), facts.tableId().getAsLong()));
        }
    }

    private void checkProbe(long hash) {
        if (probe.isPresent() && probe.getAsLong() != hash) {
            throw new FlinkRuntimeException(
                    String.format(
                            "The server cuts table %s into slices in another way than before: its"
                                + " hash of a constant was %d and is %d now. Changes would be lost"
                                + " or doubled at the borders. Start with 'source.scan.mode' ="
                                + " 'initial', without the checkpoint and with a new"
                                + " 'source.changelog.consumer-id', if there is one.",
                            table, probe.getAsLong(), hash));
        }
    }
}
