package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

import java.util.Locale;

/** Values of {@code source.changelog.increment-type}. */
@Internal
public enum IncrementType {
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
    public static IncrementType fromOption(String value) {
        String name = value.trim().toUpperCase(Locale.ROOT).replace('-', '_');
        for (IncrementType type : values()) {
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
}
