package org.apache.doris.flink.sink.overwrite;

import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes the table at the start and drops it at the end. What it drops is found by name, so that it
 * need not know how the job ended: a table that was swapped in has no such name any more.
 *
 * <p>Each start makes a table under a new name. Rows that an earlier start's table got are never
 * taken for rows of this one.
 */
final class ReplacementEnumerator implements SplitEnumerator<ReplacementSplit, ReplacementSplit> {

    private static final Logger LOG = LoggerFactory.getLogger(ReplacementEnumerator.class);

    /** How long the end of a job waits for a table that is being made, so that it drops that. */
    private static final long MAKING_MILLIS = 20_000;

    /** How long the end of a job tries to drop; Flink does not wait longer than a minute. */
    private static final long DROPPING_MILLIS = 30_000;

    private final SplitEnumeratorContext<ReplacementSplit> context;
    private final Replacements.Factory factory;
    private final String target;
    private final Set<Integer> waiting = new TreeSet<>();

    private ReplacementSplit made;
    private boolean assigned;

    /** Of the worker, then of the thread that closes. */
    private volatile Replacements replacements;

    private volatile PendingCall<Replacement> making;

    ReplacementEnumerator(
            SplitEnumeratorContext<ReplacementSplit> context,
            Replacements.Factory factory,
            String target) {
        this.context = context;
        this.factory = factory;
        this.target = target;
    }

    @Override
    public void start() {
        context.callAsync(this::make, this::made);
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        waiting.add(subtask);
        serve();
    }

    @Override
    public void addSplitsBack(List<ReplacementSplit> splits, int subtask) {
        waiting.remove(subtask);
        if (!splits.isEmpty()) {
            assigned = false;
        }
    }

    @Override
    public void addReader(int subtask) {
        // It sends a request.
    }

    @Override
    public ReplacementSplit snapshotState(long checkpointId) {
        throw new UnsupportedOperationException("INSERT OVERWRITE takes no checkpoints.");
    }

    @Override
    public void close() throws IOException {
        try (Replacements open = replacements) {
            if (open == null) {
                return;
            }
            // A statement that the server still carries out would make the table after the drop.
            try (PendingCall<Replacement> pending = making) {
                if (pending != null) {
                    pending.await(MAKING_MILLIS);
                }
            }
            drop(open);
        }
    }

    /** A table that cannot be dropped now is dropped by the next start under the same prefix. */
    private void drop(Replacements open) {
        try (PendingCall<Integer> dropping = open.drop()) {
            if (!dropping.await(DROPPING_MILLIS)) {
                throw new IOException("no answer within " + DROPPING_MILLIS + " ms");
            }
            int dropped = dropping.result();
            if (dropped > 0) {
                LOG.info(
                        "INSERT OVERWRITE of {} did not come to its end: the table with the new"
                                + " rows is dropped, the former rows stay.",
                        target);
            }
        } catch (IOException e) {
            LOG.warn(
                    "INSERT OVERWRITE of {}: a table for the new rows, whose name begins with"
                            + " overwrite_, may be left; the next start of the job under the same"
                            + " 'sink.label-prefix' drops it.",
                    target,
                    e);
        }
    }

    private Replacement make() throws IOException, InterruptedException {
        Replacements opened = factory.open();
        replacements = opened;
        PendingCall<Replacement> call = opened.make(Replacements.randomDigits());
        making = call;
        while (!call.await(Pause.SLICE_MILLIS)) {
            Pause.checkInterrupt();
        }
        return call.result();
    }

    private void made(Replacement replacement, Throwable failure) {
        if (failure != null) {
            String message =
                    String.format(
                            "INSERT OVERWRITE of %s cannot start; the table is as it was: %s",
                            target, failure.getMessage());
            boolean hopeless =
                    failure instanceof NativeException && ((NativeException) failure).isHopeless();
            throw hopeless
                    ? new OverwriteRefusedException(message, failure)
                    : new FlinkRuntimeException(message, failure);
        }
        LOG.info("INSERT OVERWRITE of {}: the new rows go to table {}.", target, replacement);
        made = ReplacementSplit.of(replacement);
        serve();
    }

    private void serve() {
        if (made == null) {
            return;
        }
        for (int subtask : waiting) {
            if (!assigned) {
                assigned = true;
                context.assignSplit(made, subtask);
            }
            context.signalNoMoreSplits(subtask);
        }
        waiting.clear();
    }
}
