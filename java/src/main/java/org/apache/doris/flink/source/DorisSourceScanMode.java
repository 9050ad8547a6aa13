package org.apache.doris.flink.source;

import org.apache.doris.flink.config.ScanMode;
import org.apache.flink.annotation.PublicEvolving;

/** Values of {@code source.scan.mode}, under their public name: what a new consumer reads. */
@PublicEvolving
public enum DorisSourceScanMode {
    /** The current content, then the end. */
    SNAPSHOT(ScanMode.SNAPSHOT),
    /** The current content, then the changes since before it was read. */
    INITIAL(ScanMode.INITIAL),
    /** Changes committed after the job started. */
    LATEST(ScanMode.LATEST),
    /** Changes from {@code source.scan.timestamp} on. */
    FROM_TIMESTAMP(ScanMode.FROM_TIMESTAMP);

    private final ScanMode mode;

    DorisSourceScanMode(ScanMode mode) {
        this.mode = mode;
    }

    /**
     * The mode of an option's value, in any case and with {@code -} or {@code _}.
     *
     * @throws IllegalArgumentException for anything else; the message lists what is allowed
     */
    public static DorisSourceScanMode fromOption(String value) {
        return valueOf(ScanMode.fromOption(value).name());
    }

    /** The value as users write it. */
    public String option() {
        return mode.option();
    }

    /** Whether changes are followed. */
    public boolean hasIncrementalPhase() {
        return mode.hasIncrementalPhase();
    }

    /** Whether the content is all that is read. */
    public boolean isSnapshotOnly() {
        return mode.isSnapshotOnly();
    }

    /** Whether the content is read. */
    public boolean isSnapshotPhaseRequired() {
        return mode.isSnapshotPhaseRequired();
    }
}
