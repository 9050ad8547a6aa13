package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.sink.transaction.TransactionGone;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.time.Duration;

/** A transaction that could not be committed, and what the operator can do about it. */
@Internal
public final class CommitFailure extends IOException {

    private static final long serialVersionUID = 1L;

    /** How long Doris remembers a finished Stream Load, unless it was configured otherwise. */
    private static final Duration RETENTION = Duration.ofHours(12);

    CommitFailure(DorisCommittable committable, long wallMillis, IOException cause) {
        // The message contains the cause's: as a cause it would be printed twice.
        super(message(committable, wallMillis, cause), cause.getCause());
    }

    private static String message(
            DorisCommittable committable, long wallMillis, IOException cause) {
        Duration age = Duration.ofMillis(Math.max(0, wallMillis - committable.wallMillis()));
        String failed =
                String.format(
                        "Transaction %d (label %s, table %s.%s), pre-committed %s ago, could not be"
                                + " committed: %s",
                        committable.txnId().orElse(-1),
                        committable.label(),
                        committable.database(),
                        committable.table(),
                        age,
                        cause.getMessage());
        return failed + (failed.endsWith(".") ? " " : ". ") + advice(age, cause);
    }

    private static String advice(Duration age, IOException cause) {
        if (!(cause instanceof TransactionGone)) {
            return offeredAgain(cause);
        }
        String ignore =
                "set 'sink.ignore.commit-error' = 'true' for one start, which skips the transaction"
                        + " and, if they are not in the table, its rows.";
        boolean aborted = ((TransactionGone) cause).isAborted();
        if (!aborted && age.compareTo(RETENTION) > 0) {
            return "Doris forgets finished loads after 12 hours or 2000 loads of a database"
                    + " (streaming_label_keep_max_second, label_num_threshold), so it may have been"
                    + " committed long ago: look whether its rows are in the table. If they are, "
                    + ignore;
        }
        String again = "A restart from the same checkpoint fails in the same way. ";
        String dropped =
                "Doris drops a transaction after its pre-commit timeout"
                        + " (stream_load_default_precommit_timeout_second, told to the sink as"
                        + " 'sink.precommit-timeout'), or the job was started from a savepoint"
                        + " after which it had gone on and failed over: the transactions of a"
                        + " savepoint are valid until the next fail-over only. ";
        String remedies = "Start the job from a newer checkpoint or savepoint; or ";
        return aborted
                ? again + dropped + remedies + ignore
                : again + dropped + "Look whether its rows are in the table. " + remedies + ignore;
    }

    /** Any other failure: the transaction may still be there. */
    private static String offeredAgain(IOException cause) {
        boolean passing =
                !(cause instanceof NativeException) || ((NativeException) cause).isRetryable();
        return (passing
                        ? "This says nothing of the transaction itself, which Doris holds until its"
                                + " pre-commit timeout"
                        : "Doris did not say that it dropped the transaction, so it holds it until"
                                + " its pre-commit timeout")
                + " (stream_load_default_precommit_timeout_second). The job restarts from its"
                + " checkpoint, and Flink offers it again; 'sink.ignore.commit-error' does not skip"
                + " it."
                + (passing ? "" : " Remove the reason above before that time ends.");
    }
}
