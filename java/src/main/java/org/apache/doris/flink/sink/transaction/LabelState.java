package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

/** What Doris knows of a label; the words are those of {@code get_load_state}. */
@Internal
public enum LabelState {
    /** No load of this label, or one that was purged. */
    UNKNOWN,
    /** A load is under way. */
    PREPARE,
    /** Loaded, invisible, waits for commit or abort. */
    PRECOMMITTED,
    /** Committed, readable soon. */
    COMMITTED,
    /** Committed and readable. */
    VISIBLE,
    /** Undone; the label is free again. */
    ABORTED;

    /** Whether the rows are in the table for good. */
    public boolean isFinished() {
        return this == COMMITTED || this == VISIBLE;
    }

    /** Whether the load can still be aborted. */
    public boolean isOpen() {
        return this == PREPARE || this == PRECOMMITTED;
    }
}
