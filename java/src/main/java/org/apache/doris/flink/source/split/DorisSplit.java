package org.apache.doris.flink.source.split;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceSplit;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A part of the table for one reader: either tablets of a snapshot, or a slice of the changelog
 * that lives as long as its scheme. Immutable. The id is stable over restores.
 */
@Internal
public final class DorisSplit implements SourceSplit {

    private final String id;
    private final long[] tablets;
    private final List<String> backends;
    private final OptionalLong fenceMillis;
    private final boolean looksUpTablets;
    private final ChangelogProgress changelog;

    private DorisSplit(
            String id,
            long[] tablets,
            List<String> backends,
            OptionalLong fenceMillis,
            boolean looksUpTablets,
            ChangelogProgress changelog) {
        this.id = id;
        this.tablets = tablets;
        this.backends = List.copyOf(backends);
        this.fenceMillis = fenceMillis;
        this.looksUpTablets = looksUpTablets;
        this.changelog = changelog;
    }

    /**
     * A part of a snapshot that no changes follow.
     *
     * @param tablets tablet ids; empty for a table without tablets, which is read as a whole
     * @param backends {@code host:port} of back ends that hold a replica of all of them: a hint
     */
    public static DorisSplit snapshot(String id, long[] tablets, List<String> backends) {
        return snapshot(id, tablets, backends, OptionalLong.empty());
    }

    /**
     * A part of a snapshot.
     *
     * @param tablets tablet ids; empty for a table without tablets, which is read as a whole
     * @param backends {@code host:port} of back ends that hold a replica of all of them: a hint
     * @param fenceMillis where the changes that follow begin (T0), whole seconds as ms since 1970:
     *     all that was committed below it is visible before a row is read
     */
    public static DorisSplit snapshot(
            String id, long[] tablets, List<String> backends, OptionalLong fenceMillis) {
        return new DorisSplit(id, tablets.clone(), backends, fenceMillis, false, null);
    }

    /**
     * The same part of a snapshot, whose reader has to find out that its tablets still exist: for
     * one whose tablets the enumerator does not check.
     */
    public DorisSplit lookedUpByReader() {
        return new DorisSplit(id, tablets, backends, fenceMillis, true, null);
    }

    /** A slice of the changelog; {@link SliceScheme#splitId} is its id. */
    public static DorisSplit slice(String id, ChangelogProgress progress) {
        return new DorisSplit(id, new long[0], List.of(), OptionalLong.empty(), false, progress);
    }

    @Override
    public String splitId() {
        return id;
    }

    /** Whether this is a part of a snapshot. */
    public boolean isSnapshot() {
        return changelog == null;
    }

    /** Tablet ids; empty for a table without tablets and for slices. */
    public long[] tablets() {
        return tablets.clone();
    }

    /** Back ends that hold all tablets; a hint, may be empty. */
    public List<String> backends() {
        return backends;
    }

    /** Where the changes begin that follow the snapshot; empty where none do, and for slices. */
    public OptionalLong fenceMillis() {
        return fenceMillis;
    }

    /**
     * Whether the reader finds out that the tablets still exist; otherwise the enumerator does,
     * once the splits were read. False for slices.
     */
    public boolean looksUpTablets() {
        return looksUpTablets;
    }

    /** Progress of a slice; empty for a part of a snapshot. */
    public Optional<ChangelogProgress> changelog() {
        return Optional.ofNullable(changelog);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof DorisSplit)) {
            return false;
        }
        DorisSplit that = (DorisSplit) other;
        return id.equals(that.id)
                && Arrays.equals(tablets, that.tablets)
                && backends.equals(that.backends)
                && fenceMillis.equals(that.fenceMillis)
                && looksUpTablets == that.looksUpTablets
                && Objects.equals(changelog, that.changelog);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return isSnapshot() ? id + Arrays.toString(tablets) : id + " (" + changelog + ")";
    }
}
