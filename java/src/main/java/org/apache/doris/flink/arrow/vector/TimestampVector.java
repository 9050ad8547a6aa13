package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;

import java.nio.ByteBuffer;

/** Timestamp: microseconds since 1970-01-01, of a wall clock or of UTC; either way no zone. */
final class TimestampVector extends ArrowVector implements TimestampColumnVector {
    private ByteBuffer values;

    TimestampVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public TimestampData getTimestamp(int row, int precision) {
        long micros = alive(values).getLong(row * Long.BYTES);
        // Floor, since times before 1970 are negative and the part of a millisecond is not.
        return TimestampData.fromEpochMillis(
                Math.floorDiv(micros, 1000L), (int) Math.floorMod(micros, 1000L) * 1000);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
