package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.TransactionRefused;

import java.io.IOException;
import java.time.Duration;

/** A transaction that could not be committed, and what the operator can do about it. */
public final class CommitFailure extends IOException {

    private static final long serialVersionUID = 1L;

    CommitFailure(DorisCommittable committable, long wallMillis, IOException cause) {
        super(message(committable, wallMillis, cause), cause);
    }

    private static String message(
            DorisCommittable committable, long wallMillis, IOException cause) {
        String failed =
                String.format(
                        "Transaction %d (label %s, table %s.%s), pre-committed %s ago, could not be"
                                + " committed: %s",
                        committable.txnId().orElse(-1),
                        committable.label(),
                        committable.database(),
                        committable.table(),
                        Duration.ofMillis(Math.max(0, wallMillis - committable.wallMillis())),
                        cause.getMessage());
        String stop = failed.endsWith(".") ? " " : ". ";
        return failed
                + stop
                + (cause instanceof TransactionRefused
                        ? "Doris no longer has it, so the rows of that checkpoint are not in the"
                                + " table and a restart from the same checkpoint fails in the same"
                                + " way. Either Doris dropped it after its pre-commit timeout"
                                + " (stream_load_default_precommit_timeout_second, told to the sink"
                                + " as 'sink.precommit-timeout'), or the job was started from a"
                                + " savepoint after which it had gone on and failed over: the"
                                + " transactions of a savepoint are valid until the next fail-over"
                                + " only. Start the job from a newer checkpoint or savepoint; or"
                                + " set 'sink.ignore.commit-error' = 'true' for one start, which"
                                + " skips the transaction and with it its rows."
                        : "The job restarts from the checkpoint and commits it again.");
    }
}
