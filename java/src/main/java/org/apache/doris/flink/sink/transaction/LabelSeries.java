package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.util.Objects;

/**
 * Labels of one table that differ in their last part alone, a number from 0 without gaps: the loads
 * that one attempt of one subtask begins. Immutable.
 */
@Internal
public final class LabelSeries {

    private final String database;
    private final String base;

    /**
     * @param database where the labels live: Doris keeps them per database
     * @param base all of a label but its number
     */
    public LabelSeries(String database, String base) {
        this.database = database;
        this.base = base;
    }

    public String database() {
        return database;
    }

    /** All of a label but its number. */
    public String base() {
        return base;
    }

    /** The label of a number. */
    public String label(long number) {
        return base + number;
    }

    /** The labels from a number on. */
    public Tail from(long first) {
        return new Tail(this, first);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSeries
                && database.equals(((LabelSeries) other).database)
                && base.equals(((LabelSeries) other).base);
    }

    @Override
    public int hashCode() {
        return Objects.hash(database, base);
    }

    @Override
    public String toString() {
        return base + "* of " + database;
    }

    /** A series from a number on. Immutable. */
    public static final class Tail {

        private final LabelSeries series;
        private final long first;

        private Tail(LabelSeries series, long first) {
            this.series = series;
            this.first = first;
        }

        /** The whole series. */
        public LabelSeries series() {
            return series;
        }

        /** Number to begin with. */
        public long first() {
            return first;
        }

        /** The label so many numbers behind the first one. */
        public Label label(int offset) {
            return new Label(series.database, series.label(first + offset));
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Tail
                    && series.equals(((Tail) other).series)
                    && first == ((Tail) other).first;
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
