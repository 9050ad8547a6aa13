package org.apache.doris.flink.sink.overwrite;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * An overwrite that cannot start however often the job is restarted: no such table, wrong login, no
 * privilege. The mark makes Flink fail the job at once.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
final class OverwriteRefusedException extends FlinkRuntimeException {

    private static final long serialVersionUID = 1L;

    OverwriteRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
