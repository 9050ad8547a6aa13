package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.annotation.Internal;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the enumerator keeps in a checkpoint: which table it reads and what of it is not assigned
 * yet; for the changelog also the bounds, slices and partitions that are known. Immutable.
 */
@Internal
public final class EnumeratorState {

    /** Which part of its work the source is in. */
    public enum Phase {
        /** Content is being read. */
        SNAPSHOT(0),
        /** Changes are being followed. */
        CHANGELOG(1);

        private final int number;

        Phase(int number) {
            this.number = number;
        }

        /** Stable number, used in checkpoints. */
        int number() {
            return number;
        }
    }

    private final TableIdentifier table;
    private final OptionalLong tableId;
    private final ScanMode scanMode;
    private final boolean planned;
    private final int splitsTotal;
    private final List<DorisSplit> unassigned;
    private final Set<Long> tablets;
    private final ChangelogState changelog;

    /**
     * @param tableId id of the table on the server, where known
     * @param planned whether the splits of the snapshot are known
     * @param splitsTotal how many they are, finished ones included; 0 before they are known
     * @param unassigned splits that no reader has
     * @param tablets those that must still exist when all splits are read, finished ones included
     */
    public EnumeratorState(
            TableIdentifier table,
            OptionalLong tableId,
            ScanMode scanMode,
            boolean planned,
            int splitsTotal,
            Collection<DorisSplit> unassigned,
            Set<Long> tablets,
            ChangelogState changelog) {
        this.table = table;
        this.tableId = tableId;
        this.scanMode = scanMode;
        this.planned = planned;
        this.splitsTotal = splitsTotal;
        this.unassigned = List.copyOf(unassigned);
        this.tablets = Collections.unmodifiableSet(new TreeSet<>(tablets));
        this.changelog = changelog;
    }

    /** The table that is read. */
    public TableIdentifier table() {
        return table;
    }

    /** Id of the table on the server, where known. */
    public OptionalLong tableId() {
        return tableId;
    }

    /** Mode that the source was started with. */
    public ScanMode scanMode() {
        return scanMode;
    }

    /** Whether the splits of the snapshot are known. */
    public boolean planned() {
        return planned;
    }

    /** Number of splits that the snapshot has, finished ones included. */
    public int splitsTotal() {
        return splitsTotal;
    }

    /** Splits that no reader has. */
    public List<DorisSplit> unassigned() {
        return unassigned;
    }

    /** Tablets that must still exist when all splits are read, in order. */
    public Set<Long> tablets() {
        return tablets;
    }

    /** What is known of the changelog. */
    public ChangelogState changelog() {
        return changelog;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof EnumeratorState)) {
            return false;
        }
        EnumeratorState that = (EnumeratorState) other;
        return table.equals(that.table)
                && tableId.equals(that.tableId)
                && scanMode == that.scanMode
                && planned == that.planned
                && splitsTotal == that.splitsTotal
                && unassigned.equals(that.unassigned)
                && tablets.equals(that.tablets)
                && changelog.equals(that.changelog);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                table, tableId, scanMode, planned, splitsTotal, unassigned, tablets, changelog);
    }
}
