package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.columnar.ColumnarMapData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.MapColumnVector;

import java.nio.ByteBuffer;

/** Map: each value is a range of the columns of keys and values. */
final class MapVector extends ArrowVector implements MapColumnVector {
    private final Offsets offsets;
    private final ColumnVector keys;
    private final ColumnVector values;

    MapVector(
            ByteBuffer validity,
            ByteBuffer offsets,
            ColumnVector keys,
            ColumnVector values,
            int entryCount) {
        super(validity);
        this.offsets = new Offsets(offsets, entryCount);
        this.keys = keys;
        this.values = values;
    }

    @Override
    public MapData getMap(int row) {
        int start = offsets.at(row);
        return new ColumnarMapData(keys, values, start, offsets.length(start, offsets.at(row + 1)));
    }

    @Override
    public void detach() {
        super.detach();
        offsets.detach();
    }
}
