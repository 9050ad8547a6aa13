package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** BIGINT as Int64, milliseconds of an INTERVAL. */
final class LongWriter extends ColumnWriter {
    private static final long[] NONE = {};

    private long[] values = NONE;

    LongWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getLong(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getLong(index));
    }

    @Override
    void putDefault() {
        store(0);
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Long.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.longs(values, count);
        if (Growth.isTooLarge((long) values.length * Long.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Long.SIZE;
    }

    private void store(long value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
