package org.apache.doris.flink.arrow.vector;

import java.nio.ByteBuffer;

/** Where the values of a variable-width column begin and end: n + 1 Int32 for n values. */
final class Offsets {
    private ByteBuffer offsets;
    private final int limit;

    /**
     * Offsets that are checked at each use.
     *
     * @param limit how many bytes or elements they may point into
     */
    Offsets(ByteBuffer offsets, int limit) {
        this.offsets = offsets;
        this.limit = limit;
    }

    /** Where a value begins; for index n also where the last one ends. */
    int at(int index) {
        return ArrowVector.alive(offsets).getInt(index * Integer.BYTES);
    }

    /** Bytes or elements from one value's beginning to another's, checked against the limit. */
    int length(int start, int end) {
        if (start < 0 || start > end || end > limit) {
            throw new IllegalStateException(
                    "corrupt batch: a value goes from " + start + " to " + end + " of " + limit);
        }
        return end - start;
    }

    void detach() {
        offsets = null;
    }
}
