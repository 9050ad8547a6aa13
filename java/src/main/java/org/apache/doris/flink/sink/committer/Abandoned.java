package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.flink.annotation.Internal;

import java.util.List;
import java.util.Objects;

/**
 * Labels that nobody will commit and that are aborted once the checkpoint that carries them is
 * committed, not before: until then a restored older state may still call them its own. Immutable.
 */
@Internal
public final class Abandoned {

    /** Nothing. */
    public static final Abandoned NONE = new Abandoned(List.of(), List.of());

    private final List<Label> labels;
    private final List<Series> series;

    /**
     * @param labels single labels
     * @param series series to be walked to their first unknown label
     */
    public Abandoned(List<Label> labels, List<Series> series) {
        this.labels = List.copyOf(labels);
        this.series = List.copyOf(series);
    }

    /** Single labels. */
    public List<Label> labels() {
        return labels;
    }

    /** Series to be walked to their first unknown label. */
    public List<Series> series() {
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

    /** One label. */
    public static final class Label {

        private final String database;
        private final String label;

        /**
         * @param database where the label lives
         */
        public Label(String database, String label) {
            this.database = database;
            this.label = label;
        }

        /** Where the label lives. */
        public String database() {
            return database;
        }

        /** The label. */
        public String label() {
            return label;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Label
                    && database.equals(((Label) other).database)
                    && label.equals(((Label) other).label);
        }

        @Override
        public int hashCode() {
            return Objects.hash(database, label);
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** A series from a number on. */
    public static final class Series {

        private final LabelSeries series;
        private final long first;

        /**
         * @param first number to begin with
         */
        public Series(LabelSeries series, long first) {
            this.series = series;
            this.first = first;
        }

        /** The labels. */
        public LabelSeries series() {
            return series;
        }

        /** Number to begin with. */
        public long first() {
            return first;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Series
                    && series.equals(((Series) other).series)
                    && first == ((Series) other).first;
        }

        @Override
        public int hashCode() {
            return Objects.hash(series, first);
        }

        @Override
        public String toString() {
            return series.label(first) + "...";
        }
    }
}
