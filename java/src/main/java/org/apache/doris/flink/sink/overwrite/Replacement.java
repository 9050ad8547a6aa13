package org.apache.doris.flink.sink.overwrite;

import org.apache.flink.annotation.Internal;

/** A table that was made like the target, to take its place. Immutable. */
@Internal
public final class Replacement {

    private final String name;
    private final String created;

    /**
     * @param name unquoted, in the database of the target
     * @param created when it was made, as Doris shows it; empty where Doris shows nothing
     */
    public Replacement(String name, String created) {
        this.name = name;
        this.created = created;
    }

    /** Name of the table, unquoted. */
    public String name() {
        return name;
    }

    /** When it was made, as Doris shows it: by this it is known under the target's name. */
    public String created() {
        return created;
    }

    @Override
    public String toString() {
        return name;
    }
}
