package org.apache.doris.flink.chaos;

import java.util.Map;

/** One failure of a job, as Flink remembers it. */
public final class JobFailure {

    private static final int LENGTH = 300;

    private final long timestamp;
    private final String task;
    private final String trace;

    JobFailure(Map<String, Object> entry) {
        timestamp = (Long) entry.get("timestamp");
        task = String.valueOf(entry.get("taskName"));
        trace = String.valueOf(entry.get("stacktrace"));
    }

    /** When it came, in milliseconds. */
    public long timestamp() {
        return timestamp;
    }

    /** Whether it says that a label is in use which this attempt was about to use. */
    boolean isConflictOfLabels() {
        return trace.contains("sink.label-prefix");
    }

    /** The innermost cause in one line. */
    public String cause() {
        String cause = trace.lines().findFirst().orElse("");
        for (String line : trace.split("\n")) {
            if (line.startsWith("Caused by: ")) {
                cause = line.substring("Caused by: ".length());
            }
        }
        return cause.length() > LENGTH ? cause.substring(0, LENGTH) + " ..." : cause;
    }

    @Override
    public String toString() {
        return timestamp + " " + task + "\n" + trace;
    }
}
