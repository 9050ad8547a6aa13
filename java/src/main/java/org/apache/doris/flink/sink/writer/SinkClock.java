package org.apache.doris.flink.sink.writer;

/** The two clocks of a writer: one to be compared with other runs, one that never goes back. */
interface SinkClock {

    /** The machine's clocks. */
    SinkClock SYSTEM =
            new SinkClock() {
                @Override
                public long wallMillis() {
                    return System.currentTimeMillis();
                }

                @Override
                public long nanos() {
                    return System.nanoTime();
                }
            };

    /** Milliseconds since 1970. */
    long wallMillis();

    /** Nanoseconds since some moment. */
    long nanos();
}
