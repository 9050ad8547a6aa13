package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/** As {@link DorisException}, unchecked. */
@PublicEvolving
public class DorisRuntimeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DorisRuntimeException() {
        super();
    }

    public DorisRuntimeException(String message) {
        super(message);
    }

    public DorisRuntimeException(String message, Throwable cause) {
        super(message, cause);
    }

    public DorisRuntimeException(Throwable cause) {
        super(cause);
    }

    protected DorisRuntimeException(
            String message,
            Throwable cause,
            boolean enableSuppression,
            boolean writableStackTrace) {
        super(message, cause, enableSuppression, writableStackTrace);
    }
}
