package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.IntColumnVector;

import java.nio.ByteBuffer;

/** Int32, Date32 (days since 1970-01-01) and times of day (milliseconds). */
final class IntVector extends ArrowVector implements IntColumnVector {
    private ByteBuffer values;

    IntVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public int getInt(int row) {
        return alive(values).getInt(row * Integer.BYTES);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
