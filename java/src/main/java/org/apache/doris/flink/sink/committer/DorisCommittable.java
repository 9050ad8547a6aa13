package org.apache.doris.flink.sink.committer;

import org.apache.flink.annotation.Internal;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What a checkpoint hands to the committer: a pre-committed transaction of one table, known by the
 * writer's own success answer, and labels to be aborted after it. Either may be absent. Does not
 * depend on the label prefix that the restored job has. Immutable.
 */
@Internal
public final class DorisCommittable {

    private static final long NO_TRANSACTION = -1;

    private final String database;
    private final String table;
    private final String label;
    private final long txnId;
    private final int subtask;
    private final long epoch;
    private final int attempt;
    private final long number;
    private final long wallMillis;
    private final Abandoned abandoned;

    private DorisCommittable(
            String database,
            String table,
            String label,
            long txnId,
            int subtask,
            long epoch,
            int attempt,
            long number,
            long wallMillis,
            Abandoned abandoned) {
        this.database = database;
        this.table = table;
        this.label = label;
        this.txnId = txnId;
        this.subtask = subtask;
        this.epoch = epoch;
        this.attempt = attempt;
        this.number = number;
        this.wallMillis = wallMillis;
        this.abandoned = abandoned;
    }

    /**
     * A transaction to commit.
     *
     * @param number place in the writer's series, which is the order of commits
     * @param wallMillis wall clock of the pre-commit, milliseconds since 1970
     */
    public static DorisCommittable of(
            String database,
            String table,
            String label,
            long txnId,
            int subtask,
            long epoch,
            int attempt,
            long number,
            long wallMillis,
            Abandoned abandoned) {
        if (txnId < 0) {
            throw new IllegalArgumentException("The transaction id is " + txnId + ".");
        }
        return new DorisCommittable(
                database,
                table,
                label,
                txnId,
                subtask,
                epoch,
                attempt,
                number,
                wallMillis,
                abandoned);
    }

    /** Labels to abort that no transaction carries. */
    public static DorisCommittable carrying(
            String database,
            String table,
            int subtask,
            long epoch,
            int attempt,
            long wallMillis,
            Abandoned abandoned) {
        return new DorisCommittable(
                database,
                table,
                "",
                NO_TRANSACTION,
                subtask,
                epoch,
                attempt,
                0,
                wallMillis,
                abandoned);
    }

    public String database() {
        return database;
    }

    public String table() {
        return table;
    }

    /** Label of the transaction, for messages; empty without one. */
    public String label() {
        return label;
    }

    /** The transaction, empty when there is none to commit. */
    public OptionalLong txnId() {
        return txnId == NO_TRANSACTION ? OptionalLong.empty() : OptionalLong.of(txnId);
    }

    /** Number of the writer. */
    public int subtask() {
        return subtask;
    }

    /** Epoch of the writer's attempt. */
    public long epoch() {
        return epoch;
    }

    /** Attempt of the writer. */
    public int attempt() {
        return attempt;
    }

    /** Place in the writer's series. */
    public long number() {
        return number;
    }

    /** Wall clock of the pre-commit, milliseconds since 1970. */
    public long wallMillis() {
        return wallMillis;
    }

    /** Labels to abort once everything of the checkpoint is committed. */
    public Abandoned abandoned() {
        return abandoned;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof DorisCommittable)) {
            return false;
        }
        DorisCommittable that = (DorisCommittable) other;
        return database.equals(that.database)
                && table.equals(that.table)
                && label.equals(that.label)
                && txnId == that.txnId
                && subtask == that.subtask
                && epoch == that.epoch
                && attempt == that.attempt
                && number == that.number
                && wallMillis == that.wallMillis
                && abandoned.equals(that.abandoned);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                database,
                table,
                label,
                txnId,
                subtask,
                epoch,
                attempt,
                number,
                wallMillis,
                abandoned);
    }

    @Override
    public String toString() {
        return String.format(
                "DorisCommittable{%s.%s, transaction %d, label %s, abandoned %s}",
                database, table, txnId, label, abandoned);
    }
}
