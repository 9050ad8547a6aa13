package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;

import java.util.Arrays;

/**
 * TIMESTAMP and TIMESTAMP_LTZ as microseconds since 1970 without a zone; for TIMESTAMP_LTZ in UTC.
 * More digits are cut towards the past.
 */
final class TimestampWriter extends ColumnWriter {
    private static final long[] NONE = {};

    private final int precision;
    private long[] values = NONE;

    TimestampWriter(String path, boolean nullable, int precision) {
        super(path, nullable);
        this.precision = precision;
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        store(micros(row.getTimestamp(field, precision)));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        store(micros(array.getTimestamp(index, precision)));
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

    private long micros(TimestampData value) throws NativeException {
        try {
            // The nanoseconds are never negative, so this is the floor before 1970, too.
            return Math.addExact(
                    Math.multiplyExact(value.getMillisecond(), 1000L),
                    value.getNanoOfMillisecond() / 1000);
        } catch (ArithmeticException e) {
            throw failure("the time " + value + " is beyond what 64 bits of microseconds hold");
        }
    }

    private void store(long value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, Growth.grown(count, count + 1L));
        }
        values[count] = value;
    }
}
