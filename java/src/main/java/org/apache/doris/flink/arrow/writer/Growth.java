package org.apache.doris.flink.arrow.writer;

/** How arrays of values grow, and when they are too large to be kept for the next batch. */
final class Growth {
    private static final int FIRST = 64;

    /** Largest array of a JVM. */
    private static final int MOST = Integer.MAX_VALUE - 8;

    /**
     * Beyond it an array is dropped after its batch, so that one giant row does not hold memory for
     * ever. Above what a column of a usual batch takes (1 MB).
     */
    private static final long KEPT_BYTES = 4 << 20;

    private Growth() {}

    /**
     * The new length of an array that must have that many places.
     *
     * @throws ArithmeticException when no array is that large
     */
    static int grown(int length, long needed) {
        if (needed > MOST) {
            throw new ArithmeticException("more than 2 GiB in one batch");
        }
        return (int) Math.min(MOST, Math.max(Math.max(FIRST, needed), 2L * length));
    }

    static boolean isTooLarge(long bytes) {
        return bytes > KEPT_BYTES;
    }
}
