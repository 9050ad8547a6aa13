package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** ROW as Struct. */
final class RowWriter extends ColumnWriter {
    private final ColumnWriter[] fields;

    RowWriter(String path, boolean nullable, ColumnWriter[] fields) {
        super(path, nullable);
        this.fields = fields;
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getRow(field, fields.length));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getRow(index, fields.length));
    }

    @Override
    void putDefault() throws NativeException {
        for (ColumnWriter field : fields) {
            field.appendNull();
        }
    }

    @Override
    long valueBytes() {
        long bytes = 0;
        for (ColumnWriter field : fields) {
            bytes += field.bytes();
        }
        return bytes;
    }

    @Override
    void sealValues(Body body) {
        for (ColumnWriter field : fields) {
            field.seal(body);
        }
    }

    @Override
    long bitsPerValue() {
        long bits = 1;
        for (ColumnWriter field : fields) {
            bits += field.bitsPerValue();
        }
        return bits;
    }

    @Override
    int nodes() {
        int nodes = 1;
        for (ColumnWriter field : fields) {
            nodes += field.nodes();
        }
        return nodes;
    }

    @Override
    int buffers() {
        int buffers = 1;
        for (ColumnWriter field : fields) {
            buffers += field.buffers();
        }
        return buffers;
    }

    private void append(RowData row) throws NativeException {
        for (int i = 0; i < fields.length; i++) {
            fields[i].write(row, i);
        }
    }
}
