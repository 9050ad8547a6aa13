package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/**
 * For code of jobs that names it. A load that fails is reported by an {@link java.io.IOException}.
 */
@PublicEvolving
public class StreamLoadException extends Exception {

    private static final long serialVersionUID = 1L;

    public StreamLoadException() {
        super();
    }

    public StreamLoadException(String message) {
        super(message);
    }
}
