package org.apache.doris.flink.sink.writer;

import org.apache.flink.annotation.PublicEvolving;

import java.util.Locale;

/** The way rows take to Doris. */
@PublicEvolving
public enum WriteMode {
    /** One open load per table and subtask, visible with the checkpoint. */
    STREAM_LOAD,
    /** A load whenever enough rows, bytes or time have come together, visible after it. */
    STREAM_LOAD_BATCH,
    /** Belongs to one vendor's cloud service; refused. */
    COPY,
    /** Files in object storage, loaded with the checkpoint; refused until it is built. */
    TVF;

    /**
     * The mode of a name, in any case.
     *
     * @throws IllegalArgumentException for another name
     */
    public static WriteMode of(String name) {
        return valueOf(name.trim().toUpperCase(Locale.ROOT));
    }
}
