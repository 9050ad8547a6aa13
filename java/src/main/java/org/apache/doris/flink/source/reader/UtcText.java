package org.apache.doris.flink.source.reader;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Instants as texts in UTC: for queries, whose sessions are in UTC, and for people. */
final class UtcText {

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private UtcText() {}

    /** A window's border. */
    static String ofBorder(long millis) {
        if (Math.floorMod(millis, 1000L) != 0) {
            throw new IllegalArgumentException(
                    "A window begins and ends at a whole second, not at " + millis + " ms.");
        }
        return SECONDS.format(Instant.ofEpochMilli(millis));
    }

    /** For messages. */
    static String of(long millis) {
        return MILLIS.format(Instant.ofEpochMilli(millis));
    }
}
