package org.apache.doris.flink.source;

import org.apache.doris.flink.config.IncrementType;
import org.apache.flink.annotation.PublicEvolving;

/** Values of {@code source.changelog.increment-type}, under the type's former name. */
@PublicEvolving
public enum DorisBinlogIncrementType {
    /** Every recorded change of whole rows, in order. */
    DETAIL(IncrementType.DETAIL),
    /** Net effect per key over each window. */
    MIN_DELTA(IncrementType.MIN_DELTA),
    /** Inserted rows alone. */
    APPEND_ONLY(IncrementType.APPEND_ONLY);

    private final IncrementType type;

    DorisBinlogIncrementType(IncrementType type) {
        this.type = type;
    }

    /**
     * The type of an option's value, in any case and with {@code -} or {@code _}.
     *
     * @throws IllegalArgumentException for anything else; the message lists what is allowed
     */
    public static DorisBinlogIncrementType fromOption(String value) {
        return valueOf(IncrementType.fromOption(value).name());
    }

    /** The value as users write it. */
    public String option() {
        return type.option();
    }

    /** The value as a query's {@code incrementType}. */
    public String toSqlValue() {
        return name();
    }
}
