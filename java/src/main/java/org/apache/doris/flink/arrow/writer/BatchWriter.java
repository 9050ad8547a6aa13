package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

import java.nio.ByteBuffer;

/**
 * Collects rows column by column on the heap and writes them as the body of an Arrow record batch:
 * the columns of the row type in their order, then, if requested, an Int8 column {@code
 * __DORIS_DELETE_SIGN__}. The Arrow type of a column is the canonical one of its Flink type ({@code
 * docs/boundary.md}, Layout).
 *
 * <p>A row is copied at once, so it may be re-used by its owner. Nothing is allocated per row
 * beyond what a {@link RowData} itself makes when it is read. One thread. After a failed {@link
 * #write} the batch holds half a row and cannot be used any more.
 */
@Internal
public final class BatchWriter {
    private final ColumnWriter[] columns;
    private final FixedWriter.Int8 signs;
    private final ColumnWriter.Tally tally = new ColumnWriter.Tally();
    private final int nodes;
    private final int buffers;
    private final long bitsPerRow;
    private long largestTally;
    private int rows;
    private boolean broken;

    /**
     * A writer without rows.
     *
     * @param type the declared columns
     * @param deleteSign whether a batch ends with the delete sign column
     * @throws UnsupportedOperationException names a column whose type cannot be written
     */
    public BatchWriter(RowType type, boolean deleteSign) {
        columns = WriterFactory.columns(type, tally);
        signs = deleteSign ? new FixedWriter.Int8("`__DORIS_DELETE_SIGN__`", false) : null;
        int allNodes = deleteSign ? signs.nodes() : 0;
        int allBuffers = deleteSign ? signs.buffers() : 0;
        long bits = deleteSign ? signs.bitsPerValue() : 0;
        for (ColumnWriter column : columns) {
            allNodes += column.nodes();
            allBuffers += column.buffers();
            bits += column.bitsPerValue();
        }
        nodes = allNodes;
        buffers = allBuffers;
        bitsPerRow = bits;
    }

    /**
     * Adds a row; its kind is not looked at.
     *
     * @param sign 0 to insert or update, 1 to delete; only 0 without a delete sign column
     * @throws NativeException names the column of a NULL that is not allowed or of a value that
     *     does not fit its type
     */
    public void write(RowData row, byte sign) throws NativeException {
        if (broken) {
            throw new IllegalStateException("a row failed before and is half in this batch");
        }
        if (signs == null && sign != 0) {
            throw new IllegalArgumentException("a delete cannot be written without a delete sign");
        }
        broken = true;
        long before = tally.bits;
        int column = 0;
        try {
            for (; column < columns.length; column++) {
                columns[column].write(row, column);
            }
        } catch (ClassCastException e) {
            throw columns[column].failure("a row has a value of another type", e);
        }
        if (signs != null) {
            signs.append(sign);
        }
        largestTally = Math.max(largestTally, tally.bits - before);
        rows++;
        broken = false;
    }

    /** Rows since the last {@link #seal}. */
    public int rows() {
        return rows;
    }

    /** Exact size of the body as it stands. Walks over all columns: see {@link #isFull}. */
    public long bytes() {
        long bytes = signs == null ? 0 : signs.bytes();
        for (ColumnWriter column : columns) {
            bytes += column.bytes();
        }
        return bytes;
    }

    /**
     * Whether a body of that size has no more room for a row as large as the largest so far, or is
     * exceeded already. Cheap enough to be called after every row. False without rows.
     */
    public boolean isFull(long limit) {
        if (rows == 0) {
            return false;
        }
        // The padding that another row may add plays a part only where bodies are not tiny.
        long next = ((bitsPerRow + largestTally) >>> 3) + Math.min(buffers * 64L, limit >>> 4);
        long atMost = ((rows * bitsPerRow + tally.bits) >>> 3) + (long) buffers * Body.OVERHEAD;
        return atMost + next >= limit && bytes() + next >= limit;
    }

    /**
     * Writes the columns into the body, from its position to its limit, and begins a new batch.
     * Arrays are kept for it unless they are very large.
     *
     * @param body has exactly {@link #bytes} bytes remaining; it is not kept
     * @return {@code [nodes, (length, nulls)*, buffers, (offset, length)*]}, depth first, as in the
     *     header of a record batch; offsets count from the body's position
     */
    public long[] seal(ByteBuffer body) {
        if (broken) {
            throw new IllegalStateException("a row failed before and is half in this batch");
        }
        long size = bytes();
        if (body.remaining() != size) {
            throw new IllegalArgumentException(
                    "a body of " + body.remaining() + " bytes where " + size + " are needed");
        }
        Body out = new Body(body, nodes, buffers);
        for (ColumnWriter column : columns) {
            column.seal(out);
        }
        if (signs != null) {
            signs.seal(out);
        }
        rows = 0;
        tally.bits = 0;
        largestTally = 0;
        return out.layout();
    }
}
