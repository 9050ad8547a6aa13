package org.apache.doris.flink.source.split;

/**
 * What a reader knows of a split it is reading. A snapshot split has no position, since Doris gives
 * its rows no stable order: it is read again as a whole after a failure.
 *
 * <p>Used by the task thread alone.
 */
public final class DorisSplitState {

    private final DorisSplit split;

    /** State of a split that was just assigned. */
    public DorisSplitState(DorisSplit split) {
        this.split = split;
    }

    /** The split as it goes into a checkpoint. */
    public DorisSplit toSplit() {
        return split;
    }
}
