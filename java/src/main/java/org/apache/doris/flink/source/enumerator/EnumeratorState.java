package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.SliceScheme;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the enumerator keeps in a checkpoint: which table it reads and what of it is not assigned
 * yet; for the changelog also the bounds, slices and partitions that are known. Immutable.
 */
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
    private final DorisSourceScanMode scanMode;
    private final boolean planned;
    private final int splitsTotal;
    private final List<DorisSplit> unassigned;
    private final Changelog changelog;

    /**
     * @param tableId id of the table on the server, where known
     * @param planned whether the splits of the snapshot are known
     * @param splitsTotal how many they are, finished ones included; 0 before they are known
     * @param unassigned splits that no reader has
     */
    public EnumeratorState(
            TableIdentifier table,
            OptionalLong tableId,
            DorisSourceScanMode scanMode,
            boolean planned,
            int splitsTotal,
            Collection<DorisSplit> unassigned,
            Changelog changelog) {
        this.table = table;
        this.tableId = tableId;
        this.scanMode = scanMode;
        this.planned = planned;
        this.splitsTotal = splitsTotal;
        this.unassigned = List.copyOf(unassigned);
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
    public DorisSourceScanMode scanMode() {
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

    /** What is known of the changelog. */
    public Changelog changelog() {
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
                && changelog.equals(that.changelog);
    }

    @Override
    public int hashCode() {
        return Objects.hash(table, tableId, scanMode, planned, splitsTotal, unassigned, changelog);
    }

    /** What is known of the changelog; {@link #NONE} while a snapshot alone is read. */
    public static final class Changelog {

        /** Nothing is known, as in snapshot mode. */
        public static final Changelog NONE =
                new Changelog(
                        Phase.SNAPSHOT,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        SliceScheme.NONE,
                        OptionalLong.empty(),
                        Collections.emptyMap(),
                        Collections.emptyMap());

        private final Phase phase;
        private final OptionalLong startMillis;
        private final OptionalLong boundMillis;
        private final SliceScheme scheme;
        private final OptionalLong probeHash;
        private final Map<String, Long> covered;
        private final Map<Long, Long> partitions;

        /**
         * @param startMillis position taken before the content was read (T0)
         * @param boundMillis last bound that was sent to the readers
         * @param probeHash the server's hash of a constant, to notice another hash function
         * @param covered by id of a known slice, up to where checkpoints cover it
         * @param partitions by id of a known partition, the bound at which it appeared
         */
        public Changelog(
                Phase phase,
                OptionalLong startMillis,
                OptionalLong boundMillis,
                SliceScheme scheme,
                OptionalLong probeHash,
                Map<String, Long> covered,
                Map<Long, Long> partitions) {
            this.phase = phase;
            this.startMillis = startMillis;
            this.boundMillis = boundMillis;
            this.scheme = scheme;
            this.probeHash = probeHash;
            this.covered = Collections.unmodifiableMap(new TreeMap<>(covered));
            this.partitions = Collections.unmodifiableMap(new TreeMap<>(partitions));
        }

        /** Which part of its work the source is in. */
        public Phase phase() {
            return phase;
        }

        /** Position taken before the content was read, milliseconds since 1970 UTC. */
        public OptionalLong startMillis() {
            return startMillis;
        }

        /** Last bound that was sent to the readers. */
        public OptionalLong boundMillis() {
            return boundMillis;
        }

        /** How the keys are cut into slices. */
        public SliceScheme scheme() {
            return scheme;
        }

        /** The server's hash of a constant. */
        public OptionalLong probeHash() {
            return probeHash;
        }

        /** By id of a known slice, up to where checkpoints cover it, in order of the ids. */
        public Map<String, Long> covered() {
            return covered;
        }

        /** By id of a known partition, the bound at which it appeared, in order of the ids. */
        public Map<Long, Long> partitions() {
            return partitions;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Changelog)) {
                return false;
            }
            Changelog that = (Changelog) other;
            return phase == that.phase
                    && startMillis.equals(that.startMillis)
                    && boundMillis.equals(that.boundMillis)
                    && scheme.equals(that.scheme)
                    && probeHash.equals(that.probeHash)
                    && covered.equals(that.covered)
                    && partitions.equals(that.partitions);
        }

        @Override
        public int hashCode() {
            return Objects.hash(
                    phase, startMillis, boundMillis, scheme, probeHash, covered, partitions);
        }
    }
}
