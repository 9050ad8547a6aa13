package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.DoubleColumnVector;

import java.nio.ByteBuffer;

/** Float64. */
final class DoubleVector extends ArrowVector implements DoubleColumnVector {
    private ByteBuffer values;

    DoubleVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public double getDouble(int row) {
        return alive(values).getDouble(row * Double.BYTES);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
