package org.apache.doris.flink.source.split;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.annotation.Internal;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a reader knows of a split it is reading. A snapshot split has no position, since Doris gives
 * its rows no stable order: it is read again as a whole after a failure. A slice has the window
 * that is open and the position inside it, which follow the rows one by one.
 *
 * <p>Used by the task thread alone, {@link #emittedMillis} excepted.
 */
@Internal
public final class DorisSplitState {

    private final DorisSplit split;
    private final AtomicLong emittedMillis;
    private final long columnFingerprint;

    private long nextMillis;
    private ChangelogWindow window;
    private long windowFingerprint;
    private PositionFold position;

    /**
     * State of a split that was just assigned.
     *
     * @param columnFingerprint of the columns that are selected now; a position of other columns is
     *     where rows of its TSO are read again
     */
    public DorisSplitState(DorisSplit split, long columnFingerprint) {
        this.split = split;
        this.columnFingerprint = columnFingerprint;
        this.emittedMillis = new AtomicLong(Long.MIN_VALUE);
        if (!split.isSnapshot()) {
            restore(split.changelog().get());
        }
    }

    /** Whether this is a part of a snapshot; it has none of what follows then. */
    public boolean isSnapshot() {
        return split.isSnapshot();
    }

    public String splitId() {
        return split.splitId();
    }

    /** The scheme of a slice. */
    public SliceScheme scheme() {
        return split.changelog().get().scheme();
    }

    /** Number of a slice, or id of its partition. */
    public long slice() {
        return split.changelog().get().slice();
    }

    /** A window is read from here on, from its first row. */
    public void open(ChangelogWindow window) {
        this.window = window;
        this.windowFingerprint = columnFingerprint;
        this.position = new PositionFold();
        emittedMillis.lazySet(window.startMillis());
    }

    /** A row of the open window was emitted, or dropped for good. */
    public void advance(long tso, long lsn, int operation, long hash) {
        if (position.add(tso, lsn, operation, hash)) {
            emittedMillis.lazySet(ChangelogPosition.millis(tso));
        }
        windowFingerprint = columnFingerprint;
    }

    /** All rows of the open window were emitted. */
    public void close() {
        nextMillis = window.endMillis();
        window = null;
        position = null;
        windowFingerprint = 0;
        emittedMillis.lazySet(nextMillis);
    }

    /** Start of the open window, else of the next one: all rows of the slice below were emitted. */
    public long coveredMillis() {
        return window == null ? nextMillis : window.startMillis();
    }

    /** End of the open window; empty between windows. */
    public OptionalLong openEndMillis() {
        return window == null ? OptionalLong.empty() : OptionalLong.of(window.endMillis());
    }

    /**
     * Commit time of the last row emitted inside the open window, else where the next window
     * begins, ms since 1970. Any thread.
     */
    public long emittedMillis() {
        return emittedMillis.get();
    }

    /** The split as it goes into a checkpoint. */
    public DorisSplit toSplit() {
        if (split.isSnapshot()) {
            return split;
        }
        ChangelogProgress assigned = split.changelog().get();
        return DorisSplit.slice(
                split.splitId(),
                new ChangelogProgress(
                        assigned.scheme(),
                        assigned.slice(),
                        nextMillis,
                        window,
                        position == null ? null : position.position(),
                        windowFingerprint));
    }

    private void restore(ChangelogProgress progress) {
        nextMillis = progress.nextMillis();
        window = progress.window().orElse(null);
        long emitted = nextMillis;
        if (window != null) {
            windowFingerprint = progress.columnFingerprint();
            ChangelogPosition start = progress.position().orElse(null);
            position = new PositionFold(start, windowFingerprint != columnFingerprint);
            emitted = start == null ? window.startMillis() : ChangelogPosition.millis(start.tso());
        }
        emittedMillis.set(emitted);
    }
}
