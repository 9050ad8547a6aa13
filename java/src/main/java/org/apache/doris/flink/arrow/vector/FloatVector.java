package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.FloatColumnVector;

import java.nio.ByteBuffer;

/** Float32. */
final class FloatVector extends ArrowVector implements FloatColumnVector {
    private ByteBuffer values;

    FloatVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public float getFloat(int row) {
        return alive(values).getFloat(row * Float.BYTES);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
