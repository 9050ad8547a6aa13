package org.apache.doris.flink.source.split;

import org.apache.flink.annotation.Internal;

/** The commit order number of Doris: a clock in the upper bits, a counter in the lower. */
@Internal
public final class Tso {

    /** Bits of the counter (Doris manual, TSO). */
    private static final int COUNTER_BITS = 18;

    private Tso() {}

    /** The clock part, milliseconds since 1970. */
    public static long millis(long tso) {
        return tso >> COUNTER_BITS;
    }
}
