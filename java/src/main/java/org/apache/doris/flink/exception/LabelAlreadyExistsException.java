package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/**
 * For code of jobs that names it. A conflict of labels is reported by an {@link
 * java.io.IOException}.
 */
@PublicEvolving
public class LabelAlreadyExistsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LabelAlreadyExistsException() {
        super();
    }

    public LabelAlreadyExistsException(String message) {
        super(message);
    }

    public LabelAlreadyExistsException(String message, Throwable cause) {
        super(message, cause);
    }

    public LabelAlreadyExistsException(Throwable cause) {
        super(cause);
    }

    protected LabelAlreadyExistsException(
            String message,
            Throwable cause,
            boolean enableSuppression,
            boolean writableStackTrace) {
        super(message, cause, enableSuppression, writableStackTrace);
    }
}
