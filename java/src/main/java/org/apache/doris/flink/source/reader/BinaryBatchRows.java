package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Rows in Flink's binary format, written by the native core a block at a time. Flink copies each
 * row that it hands from one operator to the next; of this kind it copies the bytes as they are,
 * where of others it takes every value out and puts it into an object of its own.
 *
 * <p>Blocks are on the heap and never used again, so what was taken out of a row stays.
 */
final class BinaryBatchRows implements BatchRows {

    /** Small enough for a core's cache, and for the heap to hold it as an ordinary object. */
    private static final int BLOCK_BYTES = 64 * 1024;

    private final IpcBatch.BinaryRows source;
    private final int[] ends;
    private final BinaryRowData row;
    private final MemorySegment[] block = new MemorySegment[1];

    private int first;
    private int end;
    private int blockStart;

    /**
     * @param fields fields of a row
     * @throws NativeException where the batch is damaged
     */
    BinaryBatchRows(IpcBatch batch, int fields) throws NativeException {
        this.source = batch.binaryRows();
        this.ends = source.ends();
        this.row = new BinaryRowData(fields);
    }

    /** Whether rows of a readable type can be written in this format: no field holds others. */
    static boolean canHold(RowType type) {
        return type.getFieldCount() > 0
                && type.getChildren().stream()
                        .noneMatch(field -> field.is(LogicalTypeFamily.CONSTRUCTED));
    }

    @Override
    public RowData at(int index) {
        if (index < first || index >= end) {
            load(index);
        }
        int start = startOf(index);
        row.pointTo(block, start - blockStart, ends[index] - start);
        return row;
    }

    private int startOf(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** As many rows from an index on as a block holds, one at least. */
    private void load(int from) {
        int start = startOf(from);
        int to = from + 1;
        while (to < ends.length && ends[to] - start <= BLOCK_BYTES) {
            to++;
        }
        try {
            block[0] = MemorySegmentFactory.wrap(source.encode(from, to - from));
        } catch (NativeException e) {
            throw new FlinkRuntimeException(e.getMessage(), e);
        }
        first = from;
        end = to;
        blockStart = start;
    }
}
