package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** FLOAT as Float32. */
final class FloatWriter extends ColumnWriter {
    private static final float[] NONE = {};

    private float[] values = NONE;

    FloatWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getFloat(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getFloat(index));
    }

    @Override
    void putDefault() {
        store(0);
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Float.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.floats(values, count);
        if (Growth.isTooLarge((long) values.length * Float.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Float.SIZE;
    }

    private void store(float value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
