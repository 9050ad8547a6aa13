package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.ByteColumnVector;

import java.nio.ByteBuffer;

/** Int8. */
final class ByteVector extends ArrowVector implements ByteColumnVector {
    private ByteBuffer values;

    ByteVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public byte getByte(int row) {
        return alive(values).get(row);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
