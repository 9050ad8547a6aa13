package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A plan or a start that is refused at each retry: wrong login, unknown host name, no such table,
 * types that do not fit, a table without changelog, a broken offset table. The mark makes Flink
 * fail the job instead of restarting it for ever. A cluster that is merely down is left to the
 * restart strategy.
 *
 * <p>For a source without a checkpoint only: a job that resumes from one must not end for good,
 * since Flink may delete the checkpoints of a job that has failed.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
final class PlanRefusedException extends FlinkRuntimeException {

    private static final long serialVersionUID = 1L;

    PlanRefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * The exception that ends a start.
     *
     * @param resumed whether the job resumes from a checkpoint
     */
    static FlinkRuntimeException of(String what, Throwable failure, boolean resumed) {
        String message = what + ": " + failure.getMessage();
        return !resumed && isHopeless(failure)
                ? new PlanRefusedException(message, failure)
                : new FlinkRuntimeException(message, failure);
    }

    /** Whether asking again can only give the same answer. */
    static boolean isHopeless(Throwable failure) {
        if (failure instanceof StartPosition.Refused) {
            return failure.getCause() == null || isHopeless(failure.getCause());
        }
        return failure instanceof NativeException && ((NativeException) failure).isHopeless();
    }
}
