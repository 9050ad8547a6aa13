package org.apache.doris.flink.source.enumerator;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * What one poll of the cluster returned: the newest position and, only if it has moved since the
 * last poll, what else was due. Immutable.
 */
final class PollResult {

    private final long position;
    private final Map<Long, String> partitions;
    private final TableFacts facts;
    private final OptionalLong probe;

    private PollResult(
            long position, Map<Long, String> partitions, TableFacts facts, OptionalLong probe) {
        this.position = position;
        this.partitions = partitions;
        this.facts = facts;
        this.probe = probe;
    }

    /**
     * Polls; blocks, on a worker thread. Partitions are listed after the position is known, so that
     * one that the listing lacks has no change below it.
     *
     * @param bound the last bound; only the position is read unless it has passed
     * @param partitions whether partitions are listed when it has passed
     * @param listing whether they are listed also when the position is exactly there
     * @param facts whether the table's facts are read again
     * @param probe whether the hash of a constant is read again
     */
    static PollResult poll(
            ChangelogService service,
            BooleanSupplier cancelled,
            OptionalLong bound,
            boolean partitions,
            boolean listing,
            boolean facts,
            boolean probe)
            throws Exception {
        long position = service.position(cancelled);
        long seconds = PositionPoll.wholeSeconds(position);
        boolean passed = bound.isEmpty() || seconds > bound.getAsLong();
        boolean reached = passed || seconds == bound.getAsLong();
        return new PollResult(
                position,
                partitions && passed || listing && reached ? service.partitions(cancelled) : null,
                facts && passed ? service.table(cancelled) : null,
                probe && passed ? OptionalLong.of(service.probe(cancelled)) : OptionalLong.empty());
    }

    /** Newest committed position, ms since 1970 UTC. */
    long position() {
        return position;
    }

    /** The table's partitions, if they were listed. */
    Optional<Map<Long, String>> partitions() {
        return Optional.ofNullable(partitions);
    }

    /** Facts of the table, if they were requested. */
    Optional<TableFacts> facts() {
        return Optional.ofNullable(facts);
    }

    /** The server's hash of a constant, if it was requested. */
    OptionalLong probe() {
        return probe;
    }
}
