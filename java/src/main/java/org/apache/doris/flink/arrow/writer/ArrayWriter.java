package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** ARRAY as List. */
final class ArrayWriter extends ColumnWriter {
    private final Offsets offsets = new Offsets();
    private final ColumnWriter elements;
    private final Tally tally;

    ArrayWriter(String path, boolean nullable, ColumnWriter elements, Tally tally) {
        super(path, nullable);
        this.elements = elements;
        this.tally = tally;
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getArray(field));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getArray(index));
    }

    @Override
    void putDefault() {
        offsets.set(count, elements.count);
    }

    @Override
    long valueBytes() {
        return Offsets.bytes(count) + elements.bytes();
    }

    @Override
    void sealValues(Body body) {
        offsets.seal(body, count);
        elements.seal(body);
    }

    @Override
    long bitsPerValue() {
        return 1 + Integer.SIZE;
    }

    @Override
    int nodes() {
        return 1 + elements.nodes();
    }

    @Override
    int buffers() {
        return 2 + elements.buffers();
    }

    private void append(ArrayData array) throws NativeException {
        int size = array.size();
        for (int i = 0; i < size; i++) {
            elements.write(array, i);
        }
        tally.bits += size * elements.bitsPerValue();
        offsets.set(count, elements.count);
    }
}
