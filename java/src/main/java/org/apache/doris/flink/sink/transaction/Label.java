package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.util.Objects;

/** A label of a load. Immutable. */
@Internal
public final class Label {

    private final String database;
    private final String label;

    /**
     * @param database where the label lives: Doris keeps them per database
     */
    public Label(String database, String label) {
        this.database = database;
        this.label = label;
    }

    /** Where the label lives. */
    public String database() {
        return database;
    }

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
