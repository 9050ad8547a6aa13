package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.columnar.ColumnarArrayData;
import org.apache.flink.table.data.columnar.vector.ArrayColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;

import java.nio.ByteBuffer;

/** List: each value is a range of the elements' column. */
final class ArrayVector extends ArrowVector implements ArrayColumnVector {
    private final Offsets offsets;
    private final ColumnVector elements;

    ArrayVector(ByteBuffer validity, ByteBuffer offsets, ColumnVector elements, int elementCount) {
        super(validity);
        this.offsets = new Offsets(offsets, elementCount);
        this.elements = elements;
    }

    @Override
    public ArrayData getArray(int row) {
        int start = offsets.at(row);
        return new ColumnarArrayData(elements, start, offsets.length(start, offsets.at(row + 1)));
    }

    @Override
    public void detach() {
        super.detach();
        offsets.detach();
    }
}
