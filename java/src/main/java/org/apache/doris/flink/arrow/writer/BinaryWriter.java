package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** BINARY and VARBINARY as Binary. */
final class BinaryWriter extends BytesWriter {

    BinaryWriter(String path, boolean nullable, Tally tally) {
        super(path, nullable, tally);
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getBinary(field));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getBinary(index));
    }
}
