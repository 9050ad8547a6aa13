package org.apache.doris.flink.exception;

import org.apache.flink.annotation.PublicEvolving;

/**
 * For code of jobs that names it. A load that fails is reported by an {@link java.io.IOException}.
 */
@PublicEvolving
public class DorisBatchLoadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DorisBatchLoadException() {
        super();
    }

    public DorisBatchLoadException(String message) {
        super(message);
    }

    public DorisBatchLoadException(String message, Throwable cause) {
        super(message, cause);
    }

    public DorisBatchLoadException(Throwable cause) {
        super(cause);
    }
}
