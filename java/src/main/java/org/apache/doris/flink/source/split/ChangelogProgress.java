package org.apache.doris.flink.source.split;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.annotation.Internal;

import java.util.Objects;
import java.util.Optional;

/** How far one slice of the changelog has been read. Immutable. */
@Internal
public final class ChangelogProgress {

    private final SliceScheme scheme;
    private final long slice;
    private final long nextMillis;
    private final ChangelogWindow window;
    private final ChangelogPosition position;
    private final long columnFingerprint;

    /**
     * @param scheme the scheme that the slice belongs to
     * @param slice number of the slice, or id of the partition
     * @param nextMillis start of the next window, or of the open one
     * @param window the window that is open; null between windows
     * @param position last row emitted of the open window; null before the first
     * @param columnFingerprint hash of the selected columns, which the position's sum is of; 0
     *     without a window
     */
    public ChangelogProgress(
            SliceScheme scheme,
            long slice,
            long nextMillis,
            ChangelogWindow window,
            ChangelogPosition position,
            long columnFingerprint) {
        this.scheme = scheme;
        this.slice = slice;
        this.nextMillis = nextMillis;
        this.window = window;
        this.position = position;
        this.columnFingerprint = columnFingerprint;
    }

    /** A slice that begins at {@code nextMillis}. */
    public static ChangelogProgress starting(SliceScheme scheme, long slice, long nextMillis) {
        return new ChangelogProgress(scheme, slice, nextMillis, null, null, 0);
    }

    /** The scheme that the slice belongs to. */
    public SliceScheme scheme() {
        return scheme;
    }

    /** Number of the slice, or id of the partition. */
    public long slice() {
        return slice;
    }

    /** Start of the next window, or of the open one; milliseconds since 1970 UTC. */
    public long nextMillis() {
        return nextMillis;
    }

    /** The window that is open. */
    public Optional<ChangelogWindow> window() {
        return Optional.ofNullable(window);
    }

    /** Last row emitted of the open window. */
    public Optional<ChangelogPosition> position() {
        return Optional.ofNullable(position);
    }

    /** Hash of the columns that were selected when the window was opened; 0 without a window. */
    public long columnFingerprint() {
        return columnFingerprint;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ChangelogProgress)) {
            return false;
        }
        ChangelogProgress that = (ChangelogProgress) other;
        return scheme.equals(that.scheme)
                && slice == that.slice
                && nextMillis == that.nextMillis
                && Objects.equals(window, that.window)
                && Objects.equals(position, that.position)
                && columnFingerprint == that.columnFingerprint;
    }

    @Override
    public int hashCode() {
        return Objects.hash(scheme, slice, nextMillis, window, position, columnFingerprint);
    }

    @Override
    public String toString() {
        return String.format(
                "slice %d of %s, next %d, window %s, position %s",
                slice, scheme, nextMillis, window, position);
    }
}
