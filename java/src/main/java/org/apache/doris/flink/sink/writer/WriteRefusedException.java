package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.error.NativeException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

import java.io.IOException;

/**
 * A sink that cannot write however often the job is restarted: no such table or column, wrong
 * login, no privilege. The mark makes Flink fail the job instead of restarting it for ever.
 *
 * <p>For a job that has no checkpoint yet only: one that resumes from a checkpoint must not end for
 * good, since Flink may delete the checkpoints of a job that has failed. A conflict of labels is
 * never one of these.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
final class WriteRefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    private WriteRefusedException(IOException cause) {
        // In its place: as a cause it would repeat the same text.
        super(cause.getMessage(), cause.getCause());
        setStackTrace(cause.getStackTrace());
    }

    /**
     * The failure as it is to be thrown.
     *
     * @param checkpointed whether a checkpoint of the job may be complete
     */
    static IOException of(IOException failure, boolean checkpointed) {
        boolean hopeless =
                failure instanceof NativeException && ((NativeException) failure).isHopeless();
        return hopeless && !checkpointed ? new WriteRefusedException(failure) : failure;
    }
}
