package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.LongColumnVector;

import java.nio.ByteBuffer;

/** Int64. */
final class LongVector extends ArrowVector implements LongColumnVector {
    private ByteBuffer values;

    LongVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public long getLong(int row) {
        return alive(values).getLong(row * Long.BYTES);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
