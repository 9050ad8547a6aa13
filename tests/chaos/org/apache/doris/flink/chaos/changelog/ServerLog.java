package org.apache.doris.flink.chaos.changelog;

import org.apache.doris.flink.it.Standin;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the server recorded, collected over the run, since a partition takes its records with it;
 * and what the table holds.
 */
final class ServerLog {

    private final Standin doris;
    private final String query;
    private final boolean history;
    private final Set<Change> changes = new LinkedHashSet<>();

    /** Partition → stamp of the last record before it was last dropped. */
    private final Map<Integer, Long> dropped = new TreeMap<>();

    ServerLog(Standin doris, FollowedTable table) {
        this.doris = doris;
        this.history = table.keepsHistory();
        query =
                String.format(
                        "SELECT k, p, n, v, __DORIS_CHANGELOG_OP__, __DORIS_CHANGELOG_TSO__,"
                                + " __DORIS_CHANGELOG_LSN__ FROM %s@incr('incrementType' = '%s')",
                        FollowedTable.IDENTIFIER, table.incrementType());
    }

    /**
     * Adds what was recorded since the last time. What a log without history tells as the row
     * before an update is the row after it, and is not handed on.
     */
    void collect() {
        doris.sql(query).stream()
                .map(Change::logged)
                .filter(change -> history || !change.operation.equals("-U"))
                .forEach(changes::add);
    }

    /** A partition is about to be dropped; what it recorded has been collected. */
    void partitionDropped(int partition) {
        dropped.put(partition, newest());
    }

    /** Stamp of the newest record; 0 when there is none. */
    long newest() {
        return changes.stream().mapToLong(change -> change.tso).max().orElse(0);
    }

    /** All records from a stamp on. */
    List<Change> changesFrom(long tso) {
        return changes.stream().filter(change -> change.tso >= tso).collect(Collectors.toList());
    }

    /** Partition → stamp of the last record before it was last dropped. */
    Map<Integer, Long> dropped() {
        return dropped;
    }

    /** The rows of the table: columns k, p, n, v. */
    List<List<String>> table() {
        return new ArrayList<>(doris.sql("SELECT k, p, n, v FROM " + FollowedTable.IDENTIFIER));
    }
}
