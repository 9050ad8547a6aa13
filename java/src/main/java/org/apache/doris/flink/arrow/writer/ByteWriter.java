package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

import java.util.Arrays;

/** TINYINT as Int8. */
final class ByteWriter extends ColumnWriter {
    private static final byte[] NONE = {};

    private byte[] values = NONE;

    ByteWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        store(row.getByte(field));
    }

    @Override
    void put(ArrayData array, int index) {
        store(array.getByte(index));
    }

    @Override
    void putDefault() {
        store((byte) 0);
    }

    /** Appends a value that comes from no row. */
    void append(byte value) {
        store(value);
        count++;
    }

    @Override
    long valueBytes() {
        return Body.padded((long) count * Byte.BYTES);
    }

    @Override
    void sealValues(Body body) {
        body.bytes(values, count);
        if (Growth.isTooLarge((long) values.length * Byte.BYTES)) {
            values = NONE;
        }
    }

    @Override
    long bitsPerValue() {
        return 1 + Byte.SIZE;
    }

    private void store(byte value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
