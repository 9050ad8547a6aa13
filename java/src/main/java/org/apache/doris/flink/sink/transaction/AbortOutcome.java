package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

/** How an abort by label ended. */
@Internal
public enum AbortOutcome {
    /** The load is undone. */
    ABORTED,
    /** The load is committed or visible: nothing was undone. */
    FINISHED,
    /** No load of this label is under way. */
    NOT_FOUND
}
