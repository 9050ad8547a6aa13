package org.apache.doris.flink.source.enumerator;

/** A start that the enumerator itself refuses, or whose refusal by the server needs more words. */
final class StartRefused extends Exception {

    private static final long serialVersionUID = 1L;

    /** Asking again would give the same answer. */
    StartRefused(String message) {
        super(message);
    }

    /** Whether asking again is of use is up to the cause. */
    StartRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
