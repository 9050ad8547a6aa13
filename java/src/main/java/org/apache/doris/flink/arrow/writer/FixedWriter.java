package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;

import java.util.Arrays;

/**
 * Values of one width in an array, which is the subclass's own, as are the steps that a value takes
 * into it: nothing is boxed, and no value passes a call that depends on the type once more.
 */
abstract class FixedWriter extends ColumnWriter {
    private final int width;

    /**
     * Without values.
     *
     * @param width bytes of a value
     */
    FixedWriter(String path, boolean nullable, int width) {
        super(path, nullable);
        this.width = width;
    }

    @Override
    final long valueBytes() {
        return Body.padded((long) count * width);
    }

    @Override
    final long bitsPerValue() {
        return 1 + (long) Byte.SIZE * width;
    }

    /** How long the array of values becomes when it is full. */
    final int grown() {
        return Growth.grown(count, count + 1L);
    }

    /** Whether an array of so many values is dropped after its batch. */
    final boolean isTooLarge(int length) {
        return Growth.isTooLarge((long) length * width);
    }

    /** TINYINT as Int8. */
    static final class Int8 extends FixedWriter {
        private static final byte[] NONE = {};

        private byte[] values = NONE;

        Int8(String path, boolean nullable) {
            super(path, nullable, Byte.BYTES);
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
        void sealValues(Body body) {
            body.bytes(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        private void store(byte value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /** SMALLINT as Int16. */
    static final class Int16 extends FixedWriter {
        private static final short[] NONE = {};

        private short[] values = NONE;

        Int16(String path, boolean nullable) {
            super(path, nullable, Short.BYTES);
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
        void sealValues(Body body) {
            body.shorts(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        private void store(short value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /** INT and months of an INTERVAL as Int32, DATE as Date32, TIME as milliseconds of the day. */
    static final class Int32 extends FixedWriter {
        private static final int[] NONE = {};

        private int[] values = NONE;

        Int32(String path, boolean nullable) {
            super(path, nullable, Integer.BYTES);
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
        void sealValues(Body body) {
            body.ints(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        private void store(int value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /** BIGINT as Int64, milliseconds of an INTERVAL. */
    static class Int64 extends FixedWriter {
        private static final long[] NONE = {};

        private long[] values = NONE;

        Int64(String path, boolean nullable) {
            super(path, nullable, Long.BYTES);
        }

        @Override
        void put(RowData row, int field) throws NativeException {
            store(row.getLong(field));
        }

        @Override
        void put(ArrayData array, int index) throws NativeException {
            store(array.getLong(index));
        }

        @Override
        final void putDefault() {
            store(0);
        }

        @Override
        final void sealValues(Body body) {
            body.longs(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        final void store(long value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /** FLOAT as Float32. */
    static final class Float32 extends FixedWriter {
        private static final float[] NONE = {};

        private float[] values = NONE;

        Float32(String path, boolean nullable) {
            super(path, nullable, Float.BYTES);
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
        void sealValues(Body body) {
            body.floats(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        private void store(float value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /** DOUBLE as Float64. */
    static final class Float64 extends FixedWriter {
        private static final double[] NONE = {};

        private double[] values = NONE;

        Float64(String path, boolean nullable) {
            super(path, nullable, Double.BYTES);
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
        void sealValues(Body body) {
            body.doubles(values, count);
            if (isTooLarge(values.length)) {
                values = NONE;
            }
        }

        private void store(double value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, grown());
            }
            values[count] = value;
        }
    }

    /**
     * TIMESTAMP and TIMESTAMP_LTZ as microseconds since 1970 without a zone; for TIMESTAMP_LTZ in
     * UTC. More digits are cut towards the past.
     */
    static final class Timestamp extends Int64 {
        private final int precision;

        Timestamp(String path, boolean nullable, int precision) {
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
    }
}
