package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.vector.BooleanColumnVector;
import org.apache.flink.table.data.columnar.vector.ByteColumnVector;
import org.apache.flink.table.data.columnar.vector.DoubleColumnVector;
import org.apache.flink.table.data.columnar.vector.FloatColumnVector;
import org.apache.flink.table.data.columnar.vector.IntColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.data.columnar.vector.ShortColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;

import java.nio.ByteBuffer;

/** Values of one width, one behind the other, lowest byte first. */
abstract class FixedVector extends ArrowVector {
    private ByteBuffer values;

    FixedVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    /** The values, unless the batch is gone. */
    final ByteBuffer values() {
        return alive(values);
    }

    @Override
    public final void detach() {
        super.detach();
        values = null;
    }

    /** Bool: one bit per value, lowest bit first. */
    static final class Bool extends FixedVector implements BooleanColumnVector {

        Bool(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public boolean getBoolean(int row) {
            return (values().get(row >> 3) >> (row & 7) & 1) != 0;
        }
    }

    /** Int8. */
    static final class Int8 extends FixedVector implements ByteColumnVector {

        Int8(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public byte getByte(int row) {
            return values().get(row);
        }
    }

    /** Int16. */
    static final class Int16 extends FixedVector implements ShortColumnVector {

        Int16(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public short getShort(int row) {
            return values().getShort(row * Short.BYTES);
        }
    }

    /** Int32, Date32 (days since 1970-01-01) and times of day (milliseconds). */
    static final class Int32 extends FixedVector implements IntColumnVector {

        Int32(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public int getInt(int row) {
            return values().getInt(row * Integer.BYTES);
        }
    }

    /** Int64. */
    static final class Int64 extends FixedVector implements LongColumnVector {

        Int64(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public long getLong(int row) {
            return values().getLong(row * Long.BYTES);
        }
    }

    /** Float32. */
    static final class Float32 extends FixedVector implements FloatColumnVector {

        Float32(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public float getFloat(int row) {
            return values().getFloat(row * Float.BYTES);
        }
    }

    /** Float64. */
    static final class Float64 extends FixedVector implements DoubleColumnVector {

        Float64(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public double getDouble(int row) {
            return values().getDouble(row * Double.BYTES);
        }
    }

    /** Timestamp: microseconds since 1970-01-01, of a wall clock or of UTC; either way no zone. */
    static final class Timestamp extends FixedVector implements TimestampColumnVector {
        Timestamp(ByteBuffer validity, ByteBuffer values) {
            super(validity, values);
        }

        @Override
        public TimestampData getTimestamp(int row, int precision) {
            long micros = values().getLong(row * Long.BYTES);
            // Floor, since times before 1970 are negative and the part of a millisecond is not.
            return TimestampData.fromEpochMillis(
                    Math.floorDiv(micros, 1000L), (int) Math.floorMod(micros, 1000L) * 1000);
        }
    }
}
