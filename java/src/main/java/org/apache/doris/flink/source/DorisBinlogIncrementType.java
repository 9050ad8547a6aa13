package org.apache.doris.flink.source;

import java.util.Locale;

/** Values of {@code source.changelog.increment-type}, under the type's former name. */
public enum DorisBinlogIncrementType {
    /** Every recorded change of whole rows, in order. */
    DETAIL,
    /** Net effect per key over each window. */
    MIN_DELTA,
    /** Inserted rows alone. */
    APPEND_ONLY;

    /**
     * The type of an option's value, in any case and with {@code -} or {@code _}.
     *
     * @throws IllegalArgumentException for anything else; the message lists what is allowed
     */
    public static DorisBinlogIncrementType fromOption(String value) {
        String name = value.trim().toUpperCase(Locale.ROOT).replace('-', '_');
        for (DorisBinlogIncrementType type : values()) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "Increment type '"
                        + value
                        + "' is unknown: allowed are 'detail', 'min_delta', 'append_only'.");
    }

    /** The value as users write it. */
    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The value as a query's {@code incrementType}. */
    public String toSqlValue() {
        return name();
    }
}
