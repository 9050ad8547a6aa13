package org.apache.doris.flink.source.enumerator;

import java.util.List;
import java.util.OptionalLong;

/** What the server reports of a table whose changes are followed. Immutable. */
final class TableFacts {

    private final boolean unique;
    private final boolean history;
    private final long ttlSeconds;
    private final OptionalLong tableId;
    private final List<String> warnings;

    /**
     * @param unique whether the table has unique keys; otherwise it keeps duplicates
     * @param history whether its changelog holds rows as they were before a change
     * @param ttlSeconds how long it keeps changes; 0 when that is not known
     * @param tableId id of the table on the server, where known
     * @param warnings what the user should know, one sentence each
     */
    TableFacts(
            boolean unique,
            boolean history,
            long ttlSeconds,
            OptionalLong tableId,
            List<String> warnings) {
        this.unique = unique;
        this.history = history;
        this.ttlSeconds = ttlSeconds;
        this.tableId = tableId;
        this.warnings = List.copyOf(warnings);
    }

    /** Whether the table has unique keys; otherwise it keeps duplicates. */
    boolean unique() {
        return unique;
    }

    /** Whether the changelog holds rows as they were before a change. */
    boolean history() {
        return history;
    }

    /** How long the server keeps changes; 0 when that is not known. */
    long ttlSeconds() {
        return ttlSeconds;
    }

    /** Id of the table on the server, where known. */
    OptionalLong tableId() {
        return tableId;
    }

    /** What the user should know, one sentence each. */
    List<String> warnings() {
        return warnings;
    }
}
