package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** DOUBLE as Float64. */
final class DoubleWriter extends ColumnWriter {
    private static final double[] NONE = {};

    private double[] values = NONE;

    DoubleWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getDouble(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getDouble(index));
    }

    @Override
    void putDefault() {
        store(0);
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Double.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.doubles(values, count);
        if (Growth.isTooLarge((long) values.length * Double.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Double.SIZE;
    }

    private void store(double value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
