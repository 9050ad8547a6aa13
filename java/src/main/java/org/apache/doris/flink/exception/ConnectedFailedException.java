package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/**
 * For code of jobs that names it. A server that cannot be reached is reported by an {@link
 * java.io.IOException}.
 */
@PublicEvolving
public class ConnectedFailedException extends DorisRuntimeException {

    private static final long serialVersionUID = 1L;

    /** A server that could not be reached. */
    public ConnectedFailedException(String server, Throwable cause) {
        super("Connecting to " + server + " failed.", cause);
    }

    /** A server that could not be reached, with the code of what it answered. */
    public ConnectedFailedException(String server, int statusCode, Throwable cause) {
        super("Connecting to " + server + " failed with status code " + statusCode + ".", cause);
    }
}
