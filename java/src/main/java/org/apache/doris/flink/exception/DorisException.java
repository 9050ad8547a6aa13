package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/**
 * For code of jobs that names it: schemas and serializers of users may throw it, the connector does
 * not.
 */
@PublicEvolving
public class DorisException extends Exception {

    private static final long serialVersionUID = 1L;

    public DorisException() {
        super();
    }

    public DorisException(String message) {
        super(message);
    }

    public DorisException(String message, Throwable cause) {
        super(message, cause);
    }

    public DorisException(Throwable cause) {
        super(cause);
    }

    protected DorisException(
            String message,
            Throwable cause,
            boolean enableSuppression,
            boolean writableStackTrace) {
        super(message, cause, enableSuppression, writableStackTrace);
    }
}
