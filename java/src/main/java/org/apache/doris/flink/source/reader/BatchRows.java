package org.apache.doris.flink.source.reader;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;

/**
 * The rows of a batch as Flink wants them. There is one row object per batch that is moved from row
 * to row, as Flink's object re-use has it. For the task thread alone.
 */
interface BatchRows {

    /** The row at an index: the same object each time, valid until the next call. */
    RowData at(int index);

    /** Rows that are views of the batch: a value costs something only when it is read. */
    static BatchRows views(ColumnVector[] columns) {
        return new Views(columns);
    }

    /** See {@link #views}. */
    final class Views implements BatchRows {

        private final ColumnarRowData row;

        private Views(ColumnVector[] columns) {
            this.row = new ColumnarRowData(new VectorizedColumnBatch(columns));
        }

        @Override
        public RowData at(int index) {
            row.setRowId(index);
            return row;
        }
    }
}
