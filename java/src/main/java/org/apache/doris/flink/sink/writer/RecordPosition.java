package org.apache.doris.flink.sink.writer;

import java.io.IOException;

/**
 * Which record of its subtask is being written, so that a failure can be found without its content
 * in any log. Counted from the start of the attempt.
 */
final class RecordPosition {

    private final int subtask;
    private long records;

    RecordPosition(int subtask) {
        this.subtask = subtask;
    }

    /** The next record is being written. */
    void next() {
        records++;
    }

    /** The failure of a serializer on this record. */
    IOException failure(Object serializer, Exception cause) {
        return new IOException(
                String.format(
                        "%s failed on %s. What it holds is not shown.",
                        serializer.getClass().getName(), this),
                cause);
    }

    /** The failure of a serializer that was asked for one last row. */
    IOException failureOfFlush(Object serializer, Exception cause) {
        return new IOException(
                String.format(
                        "%s failed in flush(), after %s.", serializer.getClass().getName(), this),
                cause);
    }

    @Override
    public String toString() {
        return String.format(
                "record %d of subtask %d, counted from 1 since the task's last start",
                records, subtask);
    }
}
