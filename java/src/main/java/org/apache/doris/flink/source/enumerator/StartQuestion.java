package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.util.FlinkRuntimeException;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/**
 * The one question for the start: asked on the worker thread, and awaited by the coordinator thread
 * where a checkpoint must not be taken without the answer.
 */
final class StartQuestion {

    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final ChangelogService service;
    private final BooleanSupplier closed;
    private final CompletableFuture<StartPosition> answer = new CompletableFuture<>();

    /**
     * @param closed becomes true when nobody waits for the answer any more
     */
    StartQuestion(
            TableIdentifier table,
            ChangelogConfig config,
            ChangelogService service,
            BooleanSupplier closed) {
        this.table = table;
        this.config = config;
        this.service = service;
        this.closed = closed;
    }

    /**
     * Asks; blocks, on the worker thread.
     *
     * @param restored what a checkpoint knew; null for a job that starts anew
     */
    StartPosition ask(ChangelogState restored) throws Exception {
        try {
            StartPosition position =
                    restored == null || restored.startMillis().isEmpty()
                            ? StartPosition.fresh(config, service, closed)
                            : StartPosition.resumed(config, restored, service, closed);
            answer.complete(position);
            return position;
        } catch (Exception | Error e) {
            answer.completeExceptionally(e);
            throw e;
        }
    }

    /** Waits for the answer, on the coordinator thread; empty when the start is refused. */
    Optional<StartPosition> await() {
        try {
            return Optional.of(answer.get());
        } catch (ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FlinkRuntimeException(
                    "The checkpoint was given up before the start of table "
                            + table
                            + " was known.",
                    e);
        }
    }

    /** The exception that ends a start. */
    FlinkRuntimeException refusal(Throwable failure, boolean resumed) {
        return PlanRefusedException.of(
                String.format("Starting to follow the changes of table %s failed", table),
                failure,
                resumed);
    }
}
