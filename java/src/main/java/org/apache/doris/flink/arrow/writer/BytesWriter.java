package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinarySegmentUtils;
import org.apache.flink.table.data.binary.BinaryStringData;

import java.util.Arrays;

/** Values of any length: one after the other in one array, and the offsets between them. */
abstract class BytesWriter extends ColumnWriter {
    private static final byte[] NONE = {};

    private final Tally tally;
    private final Offsets offsets = new Offsets();

    /** The values; {@link #end} bytes of it are used. */
    byte[] values = NONE;

    private int end;

    BytesWriter(String path, boolean nullable, Tally tally) {
        super(path, nullable);
        this.tally = tally;
    }

    /**
     * Makes room for a value in {@link #values}.
     *
     * @param length its bytes, or more
     * @return where it starts
     */
    final int reserve(long length) throws NativeException {
        long needed = end + length;
        if (needed > values.length) {
            try {
                values = Arrays.copyOf(values, Growth.grown(values.length, needed));
            } catch (ArithmeticException e) {
                throw failure(
                        "the values of one batch take more than 2 GiB: lower sink.buffer-size");
            }
        }
        return end;
    }

    /** Ends the value that was put after {@link #reserve}. */
    final void finish(int length) {
        end += length;
        tally.bits += (long) length << 3;
        offsets.set(count, end);
    }

    /** Appends a Java string as UTF-8. */
    final void encode(String text) throws NativeException {
        int start = reserve(text.length());
        int ascii = Utf8.ascii(text, values, start);
        if (ascii < text.length()) {
            reserve(ascii + Utf8.most(text.length() - ascii));
            finish(ascii + Utf8.encode(text, ascii, values, start + ascii));
        } else {
            finish(ascii);
        }
    }

    final void append(byte[] bytes) throws NativeException {
        // Reserving may replace the array.
        int start = reserve(bytes.length);
        System.arraycopy(bytes, 0, values, start, bytes.length);
        finish(bytes.length);
    }

    @Override
    final void putDefault() {
        offsets.set(count, end);
    }

    @Override
    final long valueBytes() {
        return Offsets.bytes(count) + Body.padded(end);
    }

    @Override
    final void sealValues(Body body) {
        offsets.seal(body, count);
        body.bytes(values, end);
        end = 0;
        if (Growth.isTooLarge(values.length)) {
            values = NONE;
        }
    }

    @Override
    final long bitsPerValue() {
        return 1 + Integer.SIZE;
    }

    @Override
    final int buffers() {
        return 3;
    }

    /**
     * CHAR and VARCHAR as Utf8. The bytes are copied out of the memory that the string lies in; a
     * string that is still a Java one is encoded in place.
     */
    static final class Text extends BytesWriter {

        Text(String path, boolean nullable, Tally tally) {
            super(path, nullable, tally);
        }

        @Override
        void put(RowData row, int field) throws NativeException {
            append(row.getString(field));
        }

        @Override
        void put(ArrayData array, int index) throws NativeException {
            append(array.getString(index));
        }

        private void append(StringData text) throws NativeException {
            if (!(text instanceof BinaryStringData)) {
                // Flink itself has no other kind.
                encode(text.toString());
                return;
            }
            BinaryStringData binary = (BinaryStringData) text;
            if (binary.getBinarySection() == null) {
                encode(binary.getJavaObject());
                return;
            }
            int length = binary.getSizeInBytes();
            int start = reserve(length);
            MemorySegment[] segments = binary.getSegments();
            if (segments.length == 1) {
                segments[0].get(binary.getOffset(), values, start, length);
            } else {
                BinarySegmentUtils.copyToBytes(segments, binary.getOffset(), values, start, length);
            }
            finish(length);
        }
    }

    /** BINARY and VARBINARY as Binary. */
    static final class Binary extends BytesWriter {

        Binary(String path, boolean nullable, Tally tally) {
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
}
