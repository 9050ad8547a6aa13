package org.apache.doris.flink.source.split;

import org.apache.doris.flink.config.IncrementType;
import org.apache.flink.annotation.Internal;

import java.util.Objects;
import java.util.Optional;

/**
 * The half-open time range of one incremental query. Both texts are kept as they were sent, so that
 * a window which is read again has the very same borders.
 */
@Internal
public final class ChangelogWindow {

    private final long startMillis;
    private final long endMillis;
    private final String startText;
    private final String endText;
    private final IncrementType incrementType;

    /**
     * @param startMillis first millisecond, since 1970 UTC
     * @param endMillis first millisecond after the window
     * @param startText the start as sent to Doris
     * @param endText the end as sent to Doris
     * @param incrementType which changes are read; null when that is not known, as in checkpoints
     *     of format 1
     */
    public ChangelogWindow(
            long startMillis,
            long endMillis,
            String startText,
            String endText,
            IncrementType incrementType) {
        this.startMillis = startMillis;
        this.endMillis = endMillis;
        this.startText = startText;
        this.endText = endText;
        this.incrementType = incrementType;
    }

    /** First millisecond of the window. */
    public long startMillis() {
        return startMillis;
    }

    /** First millisecond after the window. */
    public long endMillis() {
        return endMillis;
    }

    /** The start as sent to Doris. */
    public String startText() {
        return startText;
    }

    /** The end as sent to Doris. */
    public String endText() {
        return endText;
    }

    /** Which changes are read: a position inside the window counts rows of this type. */
    public Optional<IncrementType> incrementType() {
        return Optional.ofNullable(incrementType);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ChangelogWindow)) {
            return false;
        }
        ChangelogWindow that = (ChangelogWindow) other;
        return startMillis == that.startMillis
                && endMillis == that.endMillis
                && startText.equals(that.startText)
                && endText.equals(that.endText)
                && incrementType == that.incrementType;
    }

    @Override
    public int hashCode() {
        return Objects.hash(startMillis, endMillis, startText, endText, incrementType);
    }

    @Override
    public String toString() {
        return "[" + startText + ", " + endText + ")";
    }
}
