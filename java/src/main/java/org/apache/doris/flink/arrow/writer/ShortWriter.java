package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** SMALLINT as Int16. */
final class ShortWriter extends ColumnWriter {
    private static final short[] NONE = {};

    private short[] values = NONE;

    ShortWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getShort(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getShort(index));
    }

    @Override
    void putDefault() {
        store((short) 0);
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Short.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.shorts(values, count);
        if (Growth.isTooLarge((long) values.length * Short.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Short.SIZE;
    }

    private void store(short value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
