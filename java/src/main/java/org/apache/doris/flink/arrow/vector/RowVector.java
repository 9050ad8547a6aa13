package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.RowColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;

import java.nio.ByteBuffer;

/** Struct: one column per field. */
final class RowVector extends ArrowVector implements RowColumnVector {
    private final VectorizedColumnBatch fields;

    RowVector(ByteBuffer validity, ColumnVector[] fields, int count) {
        super(validity);
        this.fields = new VectorizedColumnBatch(fields);
        this.fields.setNumRows(count);
    }

    /** A row of its own each time: Flink may hold several of one batch. */
    @Override
    public ColumnarRowData getRow(int row) {
        return new ColumnarRowData(fields, row);
    }
}
