package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.columnar.vector.BytesColumnVector;

import java.nio.ByteBuffer;

/**
 * Utf8 and Binary. Flink wants heap arrays: at the first access the bytes of all values are copied
 * once, and each value is a range of that copy. A column that is not read costs nothing; what was
 * returned outlives the batch.
 */
final class BytesVector extends RangeVector implements BytesColumnVector {
    private final int count;
    private ByteBuffer values;
    private byte[] copy;
    private int copied;

    BytesVector(ByteBuffer validity, int count, ByteBuffer offsets, ByteBuffer values) {
        super(validity, offsets, values.capacity());
        this.count = count;
        this.values = values;
    }

    @Override
    public Bytes getBytes(int row) {
        int start = start(row);
        int length = length(start, start(row + 1));
        if (copy == null) {
            copyAll();
        }
        if (start < copied || start - copied + length > copy.length) {
            throw new IllegalStateException("corrupt batch: offsets of a column are out of order");
        }
        return new Bytes(copy, start - copied, length);
    }

    @Override
    public void detach() {
        super.detach();
        values = null;
        copy = null;
    }

    /** Copies the range that is used, which need not be the whole buffer. */
    private void copyAll() {
        int from = start(0);
        byte[] bytes = new byte[length(from, start(count))];
        ByteBuffer in = alive(values).duplicate();
        in.position(from);
        in.get(bytes);
        copied = from;
        copy = bytes;
    }
}
