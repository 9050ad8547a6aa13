package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.BooleanColumnVector;

import java.nio.ByteBuffer;

/** Bool: one bit per value, lowest bit first. */
final class BooleanVector extends ArrowVector implements BooleanColumnVector {
    private ByteBuffer values;

    BooleanVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public boolean getBoolean(int row) {
        return (alive(values).get(row >> 3) >> (row & 7) & 1) != 0;
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
