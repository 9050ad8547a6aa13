package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.columnar.ColumnarArrayData;
import org.apache.flink.table.data.columnar.ColumnarMapData;
import org.apache.flink.table.data.columnar.vector.ArrayColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.MapColumnVector;

import java.nio.ByteBuffer;

/**
 * Values that are ranges of bytes or of other columns. Where they begin and end stands in n + 1
 * Int32 for n values, which are checked at each use.
 */
abstract class RangeVector extends ArrowVector {
    private final int limit;
    private ByteBuffer offsets;

    /**
     * Makes a column.
     *
     * @param limit how many bytes or elements the offsets may point into
     */
    RangeVector(ByteBuffer validity, ByteBuffer offsets, int limit) {
        super(validity);
        this.offsets = offsets;
        this.limit = limit;
    }

    /** Where a value begins; for index n also where the last one ends. */
    final int start(int index) {
        return alive(offsets).getInt(index * Integer.BYTES);
    }

    /** Bytes or elements from one value's beginning to another's, checked against the limit. */
    final int length(int start, int end) {
        if (start < 0 || start > end || end > limit) {
            throw new IllegalStateException(
                    "corrupt batch: a value goes from " + start + " to " + end + " of " + limit);
        }
        return end - start;
    }

    @Override
    public void detach() {
        super.detach();
        offsets = null;
    }

    /** List: each value is a range of the elements' column. */
    static final class Lists extends RangeVector implements ArrayColumnVector {
        private final ColumnVector elements;

        Lists(ByteBuffer validity, ByteBuffer offsets, ColumnVector elements, int elementCount) {
            super(validity, offsets, elementCount);
            this.elements = elements;
        }

        @Override
        public ArrayData getArray(int row) {
            int start = start(row);
            return new ColumnarArrayData(elements, start, length(start, start(row + 1)));
        }
    }

    /** Map: each value is a range of the columns of keys and values. */
    static final class Maps extends RangeVector implements MapColumnVector {
        private final ColumnVector keys;
        private final ColumnVector values;

        Maps(
                ByteBuffer validity,
                ByteBuffer offsets,
                ColumnVector keys,
                ColumnVector values,
                int entryCount) {
            super(validity, offsets, entryCount);
            this.keys = keys;
            this.values = values;
        }

        @Override
        public MapData getMap(int row) {
            int start = start(row);
            return new ColumnarMapData(keys, values, start, length(start, start(row + 1)));
        }
    }
}
