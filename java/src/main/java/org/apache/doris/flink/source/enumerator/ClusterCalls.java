package org.apache.doris.flink.source.enumerator;

import org.apache.flink.api.connector.source.SplitEnumeratorContext;

import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Questions to the cluster, asked on the worker thread and answered on the coordinator thread.
 *
 * <p>After a failure nothing is done any more: each further one, while the job waits for its
 * restart, would begin the waiting anew.
 */
final class ClusterCalls {

    private final SplitEnumeratorContext<?> context;
    private final BooleanSupplier closed;
    private boolean failed;

    /**
     * @param closed becomes true when the enumerator closes; read by any thread
     */
    ClusterCalls(SplitEnumeratorContext<?> context, BooleanSupplier closed) {
        this.context = context;
        this.closed = closed;
    }

    /**
     * Asks once.
     *
     * @param question sees none of the state
     * @param answered what comes of it, or the failure
     */
    <T> void ask(Callable<T> question, BiConsumer<T, Throwable> answered) {
        context.callAsync(
                question, (answer, failure) -> failOnce(() -> answered.accept(answer, failure)));
    }

    /** Does something again and again. */
    void every(long millis, Runnable step) {
        context.callAsync(() -> null, (nothing, failure) -> failOnce(step), millis, millis);
    }

    /** Ends a job that has begun anew; see {@link RefusedStart}. */
    void refuse(RuntimeException refusal) {
        failed = true;
        RefusedStart.fail(context, closed, refusal);
    }

    /** Whether the job fails, so that nothing needs to be asked any more. */
    boolean hasFailed() {
        return failed;
    }

    /** Becomes true when the enumerator closes; read by any thread. */
    BooleanSupplier closed() {
        return closed;
    }

    private void failOnce(Runnable step) {
        if (closed.getAsBoolean() || failed) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException e) {
            failed = true;
            throw e;
        }
    }
}
