package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** INT as Int32, DATE as Date32, TIME as Int32 (milliseconds of the day), months of an INTERVAL. */
final class IntWriter extends ColumnWriter {
    private static final int[] NONE = {};

    private int[] values = NONE;

    IntWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getInt(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getInt(index));
    }

    @Override
    void putDefault() {
        store(0);
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Integer.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.ints(values, count);
        if (Growth.isTooLarge((long) values.length * Integer.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Integer.SIZE;
    }

    private void store(int value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
