package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** BOOLEAN as bits. */
final class BooleanWriter extends ColumnWriter {
    private final Bits trues = new Bits();

    BooleanWriter(String path, boolean nullable) {
        super(path, nullable);
    }

    @Override
    void put(RowData row, int field) {
        if (row.getBoolean(field)) {
            trues.set(count);
        }
    }

    @Override
    void put(ArrayData array, int index) {
        if (array.getBoolean(index)) {
            trues.set(count);
        }
    }

    @Override
    void putDefault() {}

    @Override
    long valueBytes() {
        return Body.padded((count + 7L) >>> 3);
    }

    @Override
    void sealValues(Body body) {
        body.bits(trues.words(count), count, 0);
        trues.clear(count);
    }

    @Override
    long bitsPerValue() {
        return 2;
    }
}
