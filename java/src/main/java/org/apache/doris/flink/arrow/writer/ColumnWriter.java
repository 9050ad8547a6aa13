package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/**
 * The values of one column, or of one level of a nested one, until they are written into a body.
 * Reads rows by their typed accessors; which one, the subclass knows.
 */
abstract class ColumnWriter {
    private final String path;
    private final boolean nullable;
    private final Bits nulls = new Bits();
    private int nullCount;

    /** Values so far; the place of the next one. */
    int count;

    /**
     * Without values.
     *
     * @param path what messages call the column
     */
    ColumnWriter(String path, boolean nullable) {
        this.path = path;
        this.nullable = nullable;
    }

    /** Appends the field of a row. */
    final void write(RowData row, int field) throws NativeException {
        if (row.isNullAt(field)) {
            writeNull();
        } else {
            put(row, field);
            count++;
        }
    }

    /** Appends the element of an array. */
    final void write(ArrayData array, int index) throws NativeException {
        if (array.isNullAt(index)) {
            writeNull();
        } else {
            put(array, index);
            count++;
        }
    }

    /** Appends a value that is not read, since what encloses it is NULL. */
    final void appendNull() throws NativeException {
        putDefault();
        nulls.set(count);
        nullCount++;
        count++;
    }

    /** Writes all values and forgets them. */
    final void seal(Body body) {
        body.node(count, nullCount);
        if (nullCount == 0) {
            body.empty();
        } else {
            body.bits(nulls.words(count), count, -1L);
            nulls.clear(count);
        }
        sealValues(body);
        count = 0;
        nullCount = 0;
    }

    /** Size in the body. */
    final long bytes() {
        return (nullCount == 0 ? 0 : Body.padded((count + 7L) >>> 3)) + valueBytes();
    }

    /** Stores a value at {@link #count}; not NULL. */
    abstract void put(RowData row, int field) throws NativeException;

    /** Stores a value at {@link #count}; not NULL. */
    abstract void put(ArrayData array, int index) throws NativeException;

    /** Stores what stands in the place of a NULL. */
    abstract void putDefault() throws NativeException;

    /** Size of everything but the validity bits. */
    abstract long valueBytes();

    /** Writes everything but node and validity bits, and prepares for new values. */
    abstract void sealValues(Body body);

    /** Bits that each value takes at most, whatever it is: validity, fixed width, offsets. */
    abstract long bitsPerValue();

    /** Arrays of the column, those inside included. */
    int nodes() {
        return 1;
    }

    /** Buffers of the column, those inside included. */
    int buffers() {
        return 2;
    }

    /** A failure that names this column. */
    final NativeException failure(String what) {
        return failure(what, null);
    }

    /** A failure that names this column, with its cause if there is one. */
    final NativeException failure(String what, Throwable cause) {
        String reason = cause == null ? "" : ": " + cause.getMessage();
        return new NativeException(
                ErrorCode.DATA, String.format("column %s: %s%s", path, what, reason), cause);
    }

    private void writeNull() throws NativeException {
        if (!nullable) {
            throw failure("it is NOT NULL, and a row holds NULL");
        }
        appendNull();
    }

    /** Size of what a batch holds beside its columns' fixed widths: texts, elements of arrays. */
    static final class Tally {
        long bits;
    }
}
