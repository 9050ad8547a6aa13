package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;

import java.util.Set;

/**
 * One batch of a split with the news around it, or the news that splits have ended, or nothing.
 * Rows are one re-used object that moves over the batch; they are valid until the next row, as
 * Flink's object re-use has it.
 */
final class ArrowRecords implements RecordsWithSplitIds<ReadRecord> {

    private static final ArrowRecords NOTHING = new ArrowRecords(null, Set.of(), null, null);

    private final Set<String> finished;
    private final OutstandingBatches outstanding;
    private final ReadBatch batch;
    private final ReadRecord record;
    private final int rows;

    private String splitId;
    private ChangelogWindow opened;
    private boolean closed;
    private int next;

    private ArrowRecords(
            String splitId, Set<String> finished, ReadBatch batch, OutstandingBatches outstanding) {
        this.splitId = splitId;
        this.finished = finished;
        this.batch = batch;
        this.outstanding = outstanding;
        this.rows = batch == null ? 0 : batch.rows();
        this.record =
                batch == null
                        ? new ReadRecord(null, null)
                        : new ReadRecord(batch.produced(), batch.changes());
    }

    /** Rows of a split; freed through {@code outstanding} when Flink is done with them. */
    static ArrowRecords of(String splitId, ReadBatch batch, OutstandingBatches outstanding) {
        return new ArrowRecords(splitId, Set.of(), batch, outstanding);
    }

    /**
     * Rows of a window.
     *
     * @param opened the window, where these are its first rows; null where it was announced before
     */
    static ArrowRecords ofWindow(
            String splitId,
            ChangelogWindow opened,
            ReadBatch batch,
            OutstandingBatches outstanding) {
        ArrowRecords records = of(splitId, batch, outstanding);
        records.opened = opened;
        return records;
    }

    /**
     * The end of a window.
     *
     * @param opened the window, where it had no rows; null where it was announced before
     */
    static ArrowRecords endOfWindow(String splitId, ChangelogWindow opened) {
        ArrowRecords records = new ArrowRecords(splitId, Set.of(), null, null);
        records.opened = opened;
        records.closed = true;
        return records;
    }

    /** Splits were read completely, or are gone. */
    static ArrowRecords finished(Set<String> splitIds) {
        return new ArrowRecords(null, splitIds, null, null);
    }

    /** Nothing came. */
    static ArrowRecords nothing() {
        return NOTHING;
    }

    @Override
    public String nextSplit() {
        String current = splitId;
        splitId = null;
        return current;
    }

    @Override
    public ReadRecord nextRecordFromSplit() {
        if (opened != null) {
            ChangelogWindow window = opened;
            opened = null;
            return record.opened(window);
        }
        if (next < rows) {
            return record.row(next++);
        }
        if (closed) {
            closed = false;
            return record.closed();
        }
        return null;
    }

    @Override
    public Set<String> finishedSplits() {
        return finished;
    }

    @Override
    public void recycle() {
        if (batch != null) {
            outstanding.release(batch);
        }
    }
}
