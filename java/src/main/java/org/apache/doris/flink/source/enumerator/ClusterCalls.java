package org.apache.doris.flink.source.enumerator;

import org.apache.flink.api.connector.source.SplitEnumeratorContext;

import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Calls to the cluster: made on the worker thread, their results handled on the coordinator thread.
 *
 * <p>After a failure nothing is done any more: each further failure, while the job waits for its
 * restart, would start that wait again.
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
     * Makes one call.
     *
     * @param request must not use the state of the enumerator
     * @param handler receives the result or the failure
     */
    <T> void call(Callable<T> request, BiConsumer<T, Throwable> handler) {
        context.callAsync(
                request, (result, failure) -> failOnce(() -> handler.accept(result, failure)));
    }

    /** Runs a step periodically, on the coordinator thread. */
    void every(long millis, Runnable step) {
        context.callAsync(() -> null, (nothing, failure) -> failOnce(step), millis, millis);
    }

    /** Fails a job that starts without a checkpoint; see {@link RefusedStart}. */
    void refuse(RuntimeException refusal) {
        failed = true;
        RefusedStart.fail(context, closed, refusal);
    }

    /** Whether the job fails, so that further calls are of no use. */
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
