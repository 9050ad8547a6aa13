package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.columnar.vector.DecimalColumnVector;

import java.nio.ByteBuffer;

/** Decimal128: 16 bytes per value, two's complement, lowest byte first. */
final class DecimalVector extends FixedVector implements DecimalColumnVector {
    private static final int WIDTH = 16;
    private static final int MAX_LONG_PRECISION = 18;

    DecimalVector(ByteBuffer validity, ByteBuffer values) {
        super(validity, values);
    }

    @Override
    public DecimalData getDecimal(int row, int precision, int scale) {
        ByteBuffer in = values();
        long low = in.getLong(row * WIDTH);
        long high = in.getLong(row * WIDTH + Long.BYTES);
        if (precision <= MAX_LONG_PRECISION) {
            if (high != low >> 63) {
                throw tooLarge(precision, scale);
            }
            return DecimalData.fromUnscaledLong(low, precision, scale);
        }
        byte[] bigEndian = new byte[WIDTH];
        ByteBuffer.wrap(bigEndian).putLong(high).putLong(low);
        DecimalData value = DecimalData.fromUnscaledBytes(bigEndian, precision, scale);
        if (value == null) {
            // Flink's way to say that it does not fit, which a reader would take for NULL.
            throw tooLarge(precision, scale);
        }
        return value;
    }

    private static IllegalStateException tooLarge(int precision, int scale) {
        return new IllegalStateException(
                "corrupt batch: a value does not fit DECIMAL(" + precision + ", " + scale + ")");
    }
}
