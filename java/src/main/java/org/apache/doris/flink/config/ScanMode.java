package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Values of {@code source.scan.mode}: what a new consumer reads. */
@Internal
public enum ScanMode {
    /** The current content, then the end. */
    SNAPSHOT(0),
    /** The current content, then the changes since before it was read. */
    INITIAL(1),
    /** Changes committed after the job started. */
    LATEST(2),
    /** Changes from {@code source.scan.timestamp} on. */
    FROM_TIMESTAMP(3);

    private final int number;

    ScanMode(int number) {
        this.number = number;
    }

    /**
     * The mode of an option's value, in any case and with {@code -} or {@code _}.
     *
     * @throws IllegalArgumentException for anything else; the message lists what is allowed
     */
    public static ScanMode fromOption(String value) {
        String name = value.trim().toUpperCase(Locale.ROOT).replace('-', '_');
        return Arrays.stream(values())
                .filter(mode -> mode.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "Scan mode '"
                                                + value
                                                + "' is unknown: allowed are 'snapshot', 'initial',"
                                                + " 'latest', 'from-timestamp'."));
    }

    /** The mode with this number in checkpoints; empty for numbers of other versions. */
    public static Optional<ScanMode> ofNumber(int number) {
        return Arrays.stream(values()).filter(mode -> mode.number == number).findFirst();
    }

    /** The value as users write it. */
    public String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Stable number, used in checkpoints. */
    public int number() {
        return number;
    }

    /** Whether changes are followed. */
    public boolean hasIncrementalPhase() {
        return this != SNAPSHOT;
    }

    /** Whether the content is all that is read. */
    public boolean isSnapshotOnly() {
        return this == SNAPSHOT;
    }

    /** Whether the content is read. */
    public boolean isSnapshotPhaseRequired() {
        return this == SNAPSHOT || this == INITIAL;
    }
}
