package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;

/** MAP as Map; MULTISET as a Map from element to count. */
final class MapWriter extends ColumnWriter {
    private final Offsets offsets = new Offsets();
    private final ColumnWriter keys;
    private final ColumnWriter values;
    private final Tally tally;

    /**
     * Without values.
     *
     * @param keys refuses NULL, whatever the type allows: a key is never NULL
     */
    MapWriter(String path, boolean nullable, ColumnWriter keys, ColumnWriter values, Tally tally) {
        super(path, nullable);
        this.keys = keys;
        this.values = values;
        this.tally = tally;
    }

    @Override
    void put(RowData row, int field) throws NativeException {
        append(row.getMap(field));
    }

    @Override
    void put(ArrayData array, int index) throws NativeException {
        append(array.getMap(index));
    }

    @Override
    void putDefault() {
        offsets.set(count, keys.count);
    }

    @Override
    long valueBytes() {
        return Offsets.bytes(count) + keys.bytes() + values.bytes();
    }

    @Override
    void sealValues(Body body) {
        offsets.seal(body, count);
        // An entry is a struct that is never NULL.
        body.node(keys.count, 0);
        body.empty();
        keys.seal(body);
        values.seal(body);
    }

    @Override
    long bitsPerValue() {
        return 1 + Integer.SIZE;
    }

    @Override
    int nodes() {
        return 2 + keys.nodes() + values.nodes();
    }

    @Override
    int buffers() {
        return 3 + keys.buffers() + values.buffers();
    }

    private void append(MapData map) throws NativeException {
        int size = map.size();
        ArrayData mapKeys = map.keyArray();
        ArrayData mapValues = map.valueArray();
        for (int i = 0; i < size; i++) {
            keys.write(mapKeys, i);
            values.write(mapValues, i);
        }
        tally.bits += size * (keys.bitsPerValue() + values.bitsPerValue());
        offsets.set(count, keys.count);
    }
}
