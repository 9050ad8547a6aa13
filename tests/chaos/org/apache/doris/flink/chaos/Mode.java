package org.apache.doris.flink.chaos;

/** How the job of a run writes. */
enum Mode {
    /** Streaming with two-phase commit. */
    WRITE,
    /** Batch mode: at least once. */
    BATCH;

    /** The mode with a name as on the command line. */
    static Mode of(String name) {
        return valueOf(name.toUpperCase(java.util.Locale.ROOT));
    }

    /** The name on the command line. */
    String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
