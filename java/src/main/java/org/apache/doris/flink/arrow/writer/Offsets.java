package org.apache.doris.flink.arrow.writer;

import java.util.Arrays;

/** Where values of any length end; the first one starts at 0. */
final class Offsets {
    private static final int[] FIRST = {0};

    private int[] offsets = FIRST;

    /** The value at that place, which is the next one, ends there. */
    void set(int index, int end) {
        if (index + 1 >= offsets.length) {
            offsets = Arrays.copyOf(offsets, Growth.grown(offsets.length, index + 2L));
        }
        offsets[index + 1] = end;
    }

    static long bytes(int count) {
        return Body.padded((count + 1L) * Integer.BYTES);
    }

    void seal(Body body, int count) {
        body.ints(offsets, count + 1);
        if (Growth.isTooLarge((long) offsets.length * Integer.BYTES)) {
            offsets = FIRST;
        }
    }
}
