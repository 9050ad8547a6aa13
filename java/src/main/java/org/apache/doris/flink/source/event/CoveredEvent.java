package org.apache.doris.flink.source.event;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

import java.util.HashMap;
import java.util.Map;

/**
 * Reader to enumerator: what a checkpoint covers that has completed. A lost report is no harm, the
 * next checkpoint brings the next one.
 */
@Internal
public final class CoveredEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;

    private final long checkpointId;
    private final HashMap<String, Long> coveredMillis;
    private final int openSnapshotSplits;

    /**
     * @param coveredMillis by split id of each slice in hand: start of its open window, else of the
     *     next one; all changes of the slice below it had been emitted
     * @param openSnapshotSplits snapshot splits in hand that were not read to their end
     */
    public CoveredEvent(
            long checkpointId, Map<String, Long> coveredMillis, int openSnapshotSplits) {
        this.checkpointId = checkpointId;
        this.coveredMillis = new HashMap<>(coveredMillis);
        this.openSnapshotSplits = openSnapshotSplits;
    }

    /** The checkpoint that has completed. */
    public long checkpointId() {
        return checkpointId;
    }

    /** By split id of each slice in hand, where a reader without state would have to begin. */
    public Map<String, Long> coveredMillis() {
        return Map.copyOf(coveredMillis);
    }

    /** Snapshot splits in hand when the checkpoint was taken. */
    public int openSnapshotSplits() {
        return openSnapshotSplits;
    }

    @Override
    public String toString() {
        return String.format(
                "CoveredEvent{checkpoint %d, covered %s, open snapshot splits %d}",
                checkpointId, coveredMillis, openSnapshotSplits);
    }
}
