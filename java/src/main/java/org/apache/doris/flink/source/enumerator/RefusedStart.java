package org.apache.doris.flink.source.enumerator;

import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.BooleanSupplier;

/**
 * Fails a job whose start is refused, but not before its tasks are up: a job that fails while they
 * are initializing closes what was never opened, and Flink's sink of a {@code SELECT} answers that
 * with an exception that takes the task manager down (FLINK-39330). Used by the coordinator thread
 * alone.
 */
final class RefusedStart {

    private static final Logger LOG = LoggerFactory.getLogger(RefusedStart.class);

    private static final long STEP_MILLIS = 100;

    /** Checks for the readers at most, then the job fails anyhow. */
    static final int STEPS = 100;

    private RefusedStart() {}

    /**
     * Throws the refusal now, or on the coordinator thread when all readers have registered, ten
     * seconds later at most. The caller does nothing more for the job.
     *
     * @param closed becomes true when the enumerator closes
     */
    static void fail(
            SplitEnumeratorContext<?> context, BooleanSupplier closed, RuntimeException refusal) {
        LOG.error("The start is refused: {}", refusal.getMessage());
        fail(context, closed, refusal, STEPS);
    }

    private static void fail(
            SplitEnumeratorContext<?> context,
            BooleanSupplier closed,
            RuntimeException refusal,
            int steps) {
        if (closed.getAsBoolean()) {
            return;
        }
        if (steps == 0 || context.registeredReaders().size() >= context.currentParallelism()) {
            throw refusal;
        }
        context.callAsync(
                () -> {
                    Thread.sleep(STEP_MILLIS);
                    return null;
                },
                (nothing, failure) -> fail(context, closed, refusal, steps - 1));
    }
}
