package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.ShortColumnVector;

import java.nio.ByteBuffer;

/** Int16. */
final class ShortVector extends ArrowVector implements ShortColumnVector {
    private ByteBuffer values;

    ShortVector(ByteBuffer validity, ByteBuffer values) {
        super(validity);
        this.values = values;
    }

    @Override
    public short getShort(int row) {
        return alive(values).getShort(row * Short.BYTES);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
    }
}
