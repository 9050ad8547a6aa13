package org.apache.doris.flink.arrow.writer;

import org.apache.doris.flink.error.NativeException;

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

    /** Appends bytes. */
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
}
