package org.apache.doris.flink.arrow.writer;

import java.util.Arrays;

/** A growing set of bit positions; positions that were never set are clear. */
final class Bits {
    private static final long[] NONE = {};

    private long[] words = NONE;

    void set(int index) {
        int word = index >>> 6;
        if (word >= words.length) {
            words = Arrays.copyOf(words, Growth.grown(words.length, word + 1));
        }
        words[word] |= 1L << index;
    }

    /** Number of words for at least that many bits. */
    long[] words(int count) {
        int needed = (count + 63) >>> 6;
        if (needed > words.length) {
            words = Arrays.copyOf(words, Growth.grown(words.length, needed));
        }
        return words;
    }

    /** Clears the first positions, which are all that were set. */
    void clear(int count) {
        if (Growth.isTooLarge((long) words.length * Long.BYTES)) {
            words = NONE;
        } else {
            Arrays.fill(words, 0, Math.min(words.length, (count + 63) >>> 6), 0);
        }
    }
}
