package org.apache.doris.flink.arrow.vector;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.flink.table.data.columnar.vector.ColumnVector;

import java.nio.ByteBuffer;

/**
 * A column over the buffers of a batch: a bitmap of the values that are there, and whatever the
 * subclass adds. Indices are bounds-checked by array or {@link ByteBuffer}. Not thread-safe; dead
 * once the batch is released.
 */
abstract class ArrowVector implements ColumnVector, IpcBatch.View {
    private boolean hasNulls;

    /** On the heap: Flink reads it twice per value, and one bit per value is cheap to copy. */
    private byte[] validity;

    /**
     * Makes a column.
     *
     * @param validity one bit per value, lowest bit first, 1 where there is one; null when all are
     */
    ArrowVector(ByteBuffer validity) {
        this.hasNulls = validity != null;
        if (validity != null) {
            this.validity = new byte[validity.remaining()];
            validity.duplicate().get(this.validity);
        }
    }

    @Override
    public final boolean isNullAt(int row) {
        return hasNulls && (bits()[row >> 3] >> (row & 7) & 1) == 0;
    }

    @Override
    public void detach() {
        // Without this a column without NULLs would still answer.
        hasNulls = true;
        validity = null;
    }

    private byte[] bits() {
        if (validity == null) {
            throw IpcBatch.released();
        }
        return validity;
    }

    /** The buffer itself, unless the batch is gone. */
    static ByteBuffer alive(ByteBuffer buffer) {
        if (buffer == null) {
            throw IpcBatch.released();
        }
        return buffer;
    }
}
