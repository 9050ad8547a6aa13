package org.apache.doris.flink.arrow;

import org.apache.doris.flink.error.NativeException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Columns without NULL, made into a batch as native code gives it. */
public final class IpcColumns {

    // Where things lie in the flatbuffer; each table stands behind the list of its fields.
    private static final int MESSAGE_FIELDS = 4;
    private static final int MESSAGE = 16;
    private static final int BATCH_FIELDS = 36;
    private static final int BATCH = 48;
    private static final int NODES = 68;
    private static final int PAIR_BYTES = 16;
    private static final byte RECORD_BATCH = 3;

    private final int rows;
    private final List<ByteBuffer> columns = new ArrayList<>();

    /** Of so many rows, without a column yet. */
    public IpcColumns(int rows) {
        this.rows = rows;
    }

    /** A TINYINT column more. */
    public IpcColumns bytes(byte... values) {
        column(Byte.BYTES).put(values);
        return this;
    }

    /** An INT column more. */
    public IpcColumns ints(int... values) {
        column(Integer.BYTES).asIntBuffer().put(values);
        return this;
    }

    /** A BIGINT column more. */
    public IpcColumns longs(long... values) {
        column(Long.BYTES).asLongBuffer().put(values);
        return this;
    }

    /**
     * The batch.
     *
     * @param free called once, when it is released
     */
    public IpcBatch batch(Runnable free) throws NativeException {
        ByteBuffer body = ByteBuffer.allocateDirect(bodyBytes());
        for (ByteBuffer column : columns) {
            body.put(column.duplicate().clear());
        }
        body.clear();
        return IpcBatch.create(header(), body, rows, free, null);
    }

    /** A view of a new column. */
    private ByteBuffer column(int width) {
        ByteBuffer column = ByteBuffer.allocate(rows * width).order(ByteOrder.LITTLE_ENDIAN);
        columns.add(column);
        return column.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    private int bodyBytes() {
        return columns.stream().mapToInt(ByteBuffer::capacity).sum();
    }

    private ByteBuffer header() {
        int buffers = NODES + Integer.BYTES + columns.size() * PAIR_BYTES;
        int end = buffers + Integer.BYTES + 2 * columns.size() * PAIR_BYTES;
        ByteBuffer out = ByteBuffer.allocateDirect(end).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, MESSAGE);
        // Message: no version, type at 16, header at 4, length of the body at 8.
        shorts(out, MESSAGE_FIELDS, 12, 17, 0, 16, 4, 8);
        out.putInt(MESSAGE, MESSAGE - MESSAGE_FIELDS);
        out.putInt(MESSAGE + 4, BATCH - (MESSAGE + 4));
        out.putLong(MESSAGE + 8, bodyBytes());
        out.put(MESSAGE + 16, RECORD_BATCH);
        // Record batch: rows at 12, nodes at 4, buffers at 8.
        shorts(out, BATCH_FIELDS, 10, 20, 12, 4, 8);
        out.putInt(BATCH, BATCH - BATCH_FIELDS);
        out.putInt(BATCH + 4, NODES - (BATCH + 4));
        out.putInt(BATCH + 8, buffers - (BATCH + 8));
        out.putLong(BATCH + 12, rows);
        out.putInt(NODES, columns.size());
        out.putInt(buffers, 2 * columns.size());
        int offset = 0;
        for (int i = 0; i < columns.size(); i++) {
            int length = columns.get(i).capacity();
            pair(out, NODES + 4 + i * PAIR_BYTES, rows, 0);
            pair(out, buffers + 4 + 2 * i * PAIR_BYTES, offset, 0);
            pair(out, buffers + 4 + (2 * i + 1) * PAIR_BYTES, offset, length);
            offset += length;
        }
        return out;
    }

    private static void shorts(ByteBuffer out, int at, int... values) {
        for (int i = 0; i < values.length; i++) {
            out.putShort(at + 2 * i, (short) values[i]);
        }
    }

    private static void pair(ByteBuffer out, int at, long first, long second) {
        out.putLong(at, first);
        out.putLong(at + 8, second);
    }
}
