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

    /** Database of the labels. */
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
}
