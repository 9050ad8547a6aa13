package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;

/** DECIMAL as Decimal128: 16 bytes of two's complement, lowest first. */
final class DecimalWriter extends FixedWriter {
    private static final long[] NONE = {};

    private final int precision;
    private final int scale;

    /** Low and high half by turns. */
    private long[] values = NONE;

    DecimalWriter(String path, boolean nullable, int precision, int scale) {
        super(path, nullable, 2 * Long.BYTES);
        this.precision = precision;
        this.scale = scale;
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getDecimal(field, precision, scale));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getDecimal(index, precision, scale));
    }

    @Override
    void putDefault() {
        store(0, 0);
    }

    @Override
    void sealValues(Body body) {
        body.longs(values, 2 * count);
        if (isTooLarge(values.length / 2)) {
            values = NONE;
        }
    }

    private void append(DecimalData value) throws NativeException {
        DecimalData fitting =
                value.scale() == scale && value.precision() <= precision ? value : fit(value);
        if (fitting.isCompact()) {
            long low = fitting.toUnscaledLong();
            store(low, low >> 63);
            return;
        }
        byte[] bytes = fitting.toUnscaledBytes();
        long high = bytes[0] >> 7;
        long low = high;
        for (byte next : bytes) {
            high = high << 8 | low >>> 56;
            low = low << 8 | next & 0xff;
        }
        store(low, high);
    }

    /** The same number as the column's type; a row that is made by hand may hold any. */
    private DecimalData fit(DecimalData value) throws NativeException {
        try {
            BigDecimal exact = value.toBigDecimal().setScale(scale, RoundingMode.UNNECESSARY);
            DecimalData fitting = DecimalData.fromBigDecimal(exact, precision, scale);
            if (fitting != null) {
                return fitting;
            }
        } catch (ArithmeticException e) {
            // Digits would be lost.
        }
        throw failure(
                String.format(
                        "the number %s does not fit DECIMAL(%d, %d)", value, precision, scale));
    }

    private void store(long low, long high) {
        int place = 2 * count;
        if (place == values.length) {
            values = Arrays.copyOf(values, Growth.grown(place, place + 2L));
        }
        values[place] = low;
        values[place + 1] = high;
    }
}
