package org.apache.doris.flink.source;

import org.apache.flink.annotation.PublicEvolving;

/** Values of {@code source.changelog.increment-type}. */
@PublicEvolving
public enum DorisChangelogIncrementType {
    /** Every recorded change of whole rows, in order. */
    DETAIL(DorisBinlogIncrementType.DETAIL),
    /** Net effect per key over each window. */
    MIN_DELTA(DorisBinlogIncrementType.MIN_DELTA),
    /** Inserted rows alone. */
    APPEND_ONLY(DorisBinlogIncrementType.APPEND_ONLY);

    private final DorisBinlogIncrementType former;

    DorisChangelogIncrementType(DorisBinlogIncrementType former) {
        this.former = former;
    }

    /**
     * The type of an option's value, in any case and with {@code -} or {@code _}.
     *
     * @throws IllegalArgumentException for anything else; the message lists what is allowed
     */
    public static DorisChangelogIncrementType fromOption(String value) {
        return of(DorisBinlogIncrementType.fromOption(value));
    }

    /** The same type by its former name's twin. */
    public static DorisChangelogIncrementType of(DorisBinlogIncrementType former) {
        return valueOf(former.name());
    }

    /** The twin under the former name. */
    public DorisBinlogIncrementType former() {
        return former;
    }

    /** The value as users write it. */
    public String option() {
        return former.option();
    }
}
