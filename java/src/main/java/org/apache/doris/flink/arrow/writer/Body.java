package org.apache.doris.flink.arrow.writer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The body of a record batch in the making: buffer after buffer, each at a multiple of 64 bytes,
 * gaps filled with zeros; and the layout that goes with it.
 */
final class Body {
    private static final int ALIGNMENT = 64;

    /** The most that a buffer can take beyond its values: padding and one more offset. */
    static final int OVERHEAD = ALIGNMENT + Integer.BYTES;

    private final ByteBuffer body;
    private final long[] layout;
    private final int firstBuffer;
    private int node;
    private int buffer;
    private int end;

    Body(ByteBuffer body, int nodes, int buffers) {
        this.body = body.slice().order(ByteOrder.LITTLE_ENDIAN);
        layout = new long[2 + 2 * nodes + 2 * buffers];
        layout[0] = nodes;
        layout[1 + 2 * nodes] = buffers;
        firstBuffer = 2 + 2 * nodes;
    }

    /** The space that a buffer of that many bytes takes. */
    static long padded(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Opens an array. */
    void node(int length, int nulls) {
        layout[1 + 2 * node] = length;
        layout[2 + 2 * node] = nulls;
        node++;
    }

    /** The buffer of a column without NULL, or without values. */
    void empty() {
        begin(0);
    }

    /** So many bits, lowest first, as they are or turned over. */
    void bits(long[] words, int count, long turn) {
        int start = begin((count + 7L) >>> 3);
        int whole = count >>> 6;
        for (int i = 0; i < whole; i++) {
            body.putLong(start + (i << 3), words[i] ^ turn);
        }
        int rest = count & 63;
        if (rest > 0) {
            // There is room: buffers take whole blocks of 64 bytes.
            long mask = -1L >>> (64 - rest);
            body.putLong(start + (whole << 3), (words[whole] ^ turn) & mask);
        }
    }

    void bytes(byte[] values, int count) {
        body.position(begin(count));
        body.put(values, 0, count);
    }

    void shorts(short[] values, int count) {
        body.position(begin((long) count * Short.BYTES));
        body.asShortBuffer().put(values, 0, count);
    }

    void ints(int[] values, int count) {
        body.position(begin((long) count * Integer.BYTES));
        body.asIntBuffer().put(values, 0, count);
    }

    void longs(long[] values, int count) {
        body.position(begin((long) count * Long.BYTES));
        body.asLongBuffer().put(values, 0, count);
    }

    void floats(float[] values, int count) {
        body.position(begin((long) count * Float.BYTES));
        body.asFloatBuffer().put(values, 0, count);
    }

    void doubles(double[] values, int count) {
        body.position(begin((long) count * Double.BYTES));
        body.asDoubleBuffer().put(values, 0, count);
    }

    /** What was written. */
    long[] layout() {
        if (end != body.capacity() || firstBuffer + 2 * buffer != layout.length) {
            throw new IllegalStateException(
                    "a body of " + end + " bytes where " + body.capacity() + " were announced");
        }
        return layout;
    }

    /** Opens a buffer, its padding zeroed; returns where it starts. */
    private int begin(long length) {
        int start = end;
        layout[firstBuffer + 2 * buffer] = start;
        layout[firstBuffer + 2 * buffer + 1] = length;
        buffer++;
        // The body's size was computed before and fits an int, so its parts do.
        end = (int) (start + padded(length));
        for (int i = (int) (start + length); i < end; i++) {
            body.put(i, (byte) 0);
        }
        return start;
    }
}
