package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.util.FlinkRuntimeException;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * The time until the start is known. It is requested once, on the worker thread, and awaited by the
 * coordinator thread where a checkpoint must not be taken without the answer.
 */
final class StartPhase implements ChangelogPhase {

    private final TableIdentifier table;
    private final ChangelogConfig config;
    private final ChangelogService service;
    private final BooleanSupplier closed;
    private final CompletableFuture<StartPosition> answer = new CompletableFuture<>();

    private ChangelogState restored;
    private OptionalLong start = OptionalLong.empty();

    /**
     * @param closed becomes true when the enumerator closes; read by any thread
     */
    StartPhase(
            TableIdentifier table,
            ChangelogConfig config,
            ChangelogService service,
            BooleanSupplier closed) {
        this.table = table;
        this.config = config;
        this.service = service;
        this.closed = closed;
    }

    /** Goes on where a checkpoint was taken. */
    void restore(ChangelogState state) {
        restored = state;
        start = state.startMillis();
    }

    /** Whether the job goes on from a checkpoint. */
    boolean isRestored() {
        return restored != null;
    }

    /** Where the changes begin; empty before it is known. */
    OptionalLong startMillis() {
        return start;
    }

    /** Requests the start. */
    void find(ClusterCalls calls, BiConsumer<StartPosition, Throwable> handler) {
        ChangelogState known = restored;
        calls.call(() -> find(known), handler);
    }

    /** Takes the answer; what a checkpoint knew stays. */
    void fix(StartPosition position) {
        if (start.isEmpty()) {
            start = position.startMillis();
        }
    }

    /**
     * Waits for the answer before a consumer's first checkpoint, with scan mode {@code latest}:
     * fixed anew after a failure, the start would skip changes. Empty otherwise, and where the
     * start is refused: its failure is reported by {@link #find}.
     */
    Optional<StartPosition> awaitForCheckpoint() {
        return start.isEmpty() && config.scanMode() == ScanMode.LATEST ? await() : Optional.empty();
    }

    /** The exception that ends a start. */
    FlinkRuntimeException refusal(Throwable failure) {
        return PlanRefusedException.of(
                String.format("Starting to follow the changes of table %s failed", table),
                failure,
                isRestored());
    }

    /** Blocks, on the worker thread. */
    private StartPosition find(ChangelogState known) throws Exception {
        try {
            StartPosition position =
                    known == null || known.startMillis().isEmpty()
                            ? StartPosition.fresh(config, service, closed)
                            : StartPosition.resumed(config, known, service, closed);
            answer.complete(position);
            return position;
        } catch (Exception | Error e) {
            answer.completeExceptionally(e);
            throw e;
        }
    }

    private Optional<StartPosition> await() {
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
}
