package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.flink.annotation.Internal;

import java.util.List;
import java.util.Objects;

/**
 * Labels that will not be committed and that are aborted once the checkpoint that carries them is
 * committed, not before: until then a restored older state may still call them its own. Immutable.
 */
@Internal
public final class Abandoned {

    /** Nothing. */
    public static final Abandoned NONE = new Abandoned(List.of(), List.of());

    private final List<Label> labels;
    private final List<LabelSeries.Tail> series;

    /**
     * @param labels single labels
     * @param series series to be walked to their first unknown label
     */
    public Abandoned(List<Label> labels, List<LabelSeries.Tail> series) {
        this.labels = List.copyOf(labels);
        this.series = List.copyOf(series);
    }

    /** Single labels. */
    public List<Label> labels() {
        return labels;
    }

    /** Series to be walked to their first unknown label. */
    public List<LabelSeries.Tail> series() {
        return series;
    }

    /** Whether there is nothing. */
    public boolean isEmpty() {
        return labels.isEmpty() && series.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Abandoned
                && labels.equals(((Abandoned) other).labels)
                && series.equals(((Abandoned) other).series);
    }

    @Override
    public int hashCode() {
        return Objects.hash(labels, series);
    }

    @Override
    public String toString() {
        return labels + " " + series;
    }
}
