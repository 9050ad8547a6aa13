package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.PositionFold;

/**
 * How far the fetcher has read one slice: ahead of the slice's state, which follows the rows that
 * were emitted. Used by the fetcher thread alone.
 */
final class SliceRead {

    private final String splitId;
    private final SliceScheme scheme;
    private final long slice;

    private long nextMillis;
    private ChangelogWindow window;
    private boolean announced;
    private boolean lacking;
    private PositionFold handedOut;

    /**
     * @param split a slice, as it was assigned or restored
     * @param fingerprint of the columns that are selected now
     */
    SliceRead(DorisSplit split, long fingerprint) {
        ChangelogProgress progress = split.changelog().get();
        this.splitId = split.splitId();
        this.scheme = progress.scheme();
        this.slice = progress.slice();
        this.nextMillis = progress.nextMillis();
        this.window = progress.window().orElse(null);
        this.announced = window != null;
        this.handedOut =
                new PositionFold(
                        progress.position().orElse(null),
                        progress.columnFingerprint() != fingerprint);
    }

    String splitId() {
        return splitId;
    }

    /** The window that is read, or is to be read on; null between windows. */
    ChangelogWindow window() {
        return window;
    }

    /** Whether there is something to read below the bound; null: the bound is not known yet. */
    boolean canRead(BoundEvent bound) {
        return bound != null && (window != null || nextMillis < limit(bound));
    }

    /** Whether the slice belongs to a former scheme and has been read as far as that one goes. */
    boolean hasReachedLast(BoundEvent bound) {
        return bound != null
                && window == null
                && !scheme.equals(bound.scheme())
                && bound.lastMillis().isPresent()
                && nextMillis >= bound.lastMillis().getAsLong();
    }

    /**
     * Makes sure that there is a window; only when the slice {@link #canRead}. Net changes are read
     * from {@link BoundEvent#netFromMillis} on, where a window ends for that; every change before.
     */
    void open(BoundEvent bound, long maxMillis, IncrementType wanted) {
        if (window != null) {
            return;
        }
        long end = Math.min(limit(bound), nextMillis + maxMillis);
        IncrementType type = wanted;
        if (wanted == IncrementType.MIN_DELTA && nextMillis < bound.netFromMillis()) {
            type = IncrementType.DETAIL;
            end = Math.min(end, bound.netFromMillis());
        }
        window =
                new ChangelogWindow(
                        nextMillis, end, UtcText.ofBorder(nextMillis), UtcText.ofBorder(end), type);
        announced = false;
        lacking = false;
        handedOut = new PositionFold();
    }

    /** Whether the server leaves expired changes of the window out, instead of refusing it. */
    boolean leavesOutExpired() {
        return window.incrementType().orElse(null) != IncrementType.MIN_DELTA;
    }

    /** Changes of the window have expired; whether that is news. */
    boolean lacks() {
        boolean news = !lacking;
        lacking = true;
        return news;
    }

    /** The rest of the window. */
    WindowRequest request() {
        return new WindowRequest(window, scheme, slice, handedOut.position(), !handedOut.repeats());
    }

    /** The window, where the slice's state does not know of it yet; it does from now on. */
    ChangelogWindow takeNew() {
        ChangelogWindow news = announced ? null : window;
        announced = true;
        return news;
    }

    /** Rows were emitted: where the window resumes if it has to be retried. */
    void handOut(ChangeColumns changes, int rows) {
        if (rows == 0) {
            return;
        }
        // Sums are those of one TSO: rows before the last one's do not matter.
        int first = rows - 1;
        long last = changes.tso(first);
        while (first > 0 && changes.tso(first - 1) == last) {
            first--;
        }
        for (int row = first; row < rows; row++) {
            handedOut.add(last, changes.lsn(row), changes.operation(row), changes.hash(row));
        }
    }

    /** The window was read to its end. */
    void close() {
        nextMillis = window.endMillis();
        window = null;
        handedOut = new PositionFold();
    }

    /** From here on changes are needed that were not emitted, ms since 1970. */
    long neededMillis() {
        if (window == null) {
            return nextMillis;
        }
        return handedOut.isPresent()
                ? Math.max(window.startMillis(), ChangelogPosition.millis(handedOut.tso()))
                : window.startMillis();
    }

    private long limit(BoundEvent bound) {
        if (scheme.equals(bound.scheme())) {
            return bound.boundMillis();
        }
        // Of a former scheme: nothing before it is known where that one ends.
        return bound.lastMillis().isPresent()
                ? Math.min(bound.boundMillis(), bound.lastMillis().getAsLong())
                : Long.MIN_VALUE;
    }
}
