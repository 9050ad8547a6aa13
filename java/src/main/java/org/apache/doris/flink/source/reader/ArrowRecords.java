package org.apache.doris.flink.source.reader;

import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;

import java.util.Set;

/**
 * One batch of a split, or the news that a split has ended, or nothing. Rows are one re-used view
 * that moves over the batch; they are valid until the next row, as Flink's object re-use has it.
 */
final class ArrowRecords implements RecordsWithSplitIds<RowData> {

    private static final ArrowRecords NOTHING = new ArrowRecords(null, Set.of(), null, null);

    private final Set<String> finished;
    private final OutstandingBatches outstanding;
    private final BatchScan.Batch batch;
    private final ColumnarRowData row;
    private final int rows;

    private String splitId;
    private int next;

    private ArrowRecords(
            String splitId,
            Set<String> finished,
            BatchScan.Batch batch,
            OutstandingBatches outstanding) {
        this.splitId = splitId;
        this.finished = finished;
        this.batch = batch;
        this.outstanding = outstanding;
        this.rows = batch == null ? 0 : batch.rows();
        this.row =
                batch == null
                        ? null
                        : new ColumnarRowData(new VectorizedColumnBatch(batch.columns()));
    }

    /** Rows of a split; freed through {@code outstanding} when Flink is done with them. */
    static ArrowRecords of(String splitId, BatchScan.Batch batch, OutstandingBatches outstanding) {
        return new ArrowRecords(splitId, Set.of(), batch, outstanding);
    }

    /** A split was read completely. */
    static ArrowRecords finished(String splitId) {
        return new ArrowRecords(null, Set.of(splitId), null, null);
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
    public RowData nextRecordFromSplit() {
        if (next >= rows) {
            return null;
        }
        row.setRowId(next++);
        return row;
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
