package org.apache.doris.flink.source.reader;

import org.apache.flink.api.connector.source.ReaderOutput;

/**
 * Keeps a reader that has no splits from holding up the watermarks of all the others. Used by the
 * task thread.
 */
final class IdleWithoutSplits<OUT> {

    private static final String NO_SPLIT = "no-split";

    private ReaderOutput<OUT> marked;

    /** The reader has no splits. */
    void mark(ReaderOutput<OUT> output) {
        if (marked != null) {
            return;
        }
        marked = output;
        // Flink is idle when the outputs of splits and the one of the reader are: splits that have
        // ended leave theirs active, until another one marks itself idle.
        output.createOutputForSplit(NO_SPLIT).markIdle();
        output.markIdle();
        output.releaseOutputForSplit(NO_SPLIT);
    }

    /** The reader gets splits. */
    void end() {
        if (marked != null) {
            marked.markActive();
            marked = null;
        }
    }
}
