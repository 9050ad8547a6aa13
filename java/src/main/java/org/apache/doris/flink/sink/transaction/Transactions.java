package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.List;

/**
 * Transactions of loads as Doris keeps them. Each method begins a call and returns at once; repeats
 * that a failing network calls for happen inside the call, and parts of a call run side by side.
 * Used by one thread.
 */
@Internal
public interface Transactions {

    /** Requests the state of a label. */
    PendingCall<LabelState> state(String database, String label) throws IOException;

    /**
     * Walks series by asking for the states of their labels.
     *
     * @param pastFinished whether a walk goes on behind a label that is committed or visible
     * @return for each series the states from its first number on, to the last before a label that
     *     is unknown: a series has no gaps
     */
    PendingCall<List<Answer<List<LabelState>>>> series(
            List<LabelSeries.Tail> series, boolean pastFinished, OnFailure onFailure)
            throws IOException;

    /**
     * Undoes the loads of labels, unless they are committed.
     *
     * @return the outcome of each
     */
    PendingCall<List<Answer<AbortOutcome>>> abort(List<Label> labels, OnFailure onFailure)
            throws IOException;

    /**
     * Commits a transaction by its id.
     *
     * @param label for messages alone
     */
    PendingCall<CommitOutcome> commit(String database, String table, long txnId, String label)
            throws IOException;

    /** What the failure of one part of a call ends. */
    enum OnFailure {
        /** The call, with the failure as its own. */
        END_CALL,
        /** That part. */
        END_PART
    }

    /** What became of one part of a call that has several: its value, or its failure. */
    final class Answer<T> {

        private final T value;
        private final IOException failure;

        private Answer(T value, IOException failure) {
            this.value = value;
            this.failure = failure;
        }

        /** Of a part that succeeded. */
        public static <T> Answer<T> of(T value) {
            return new Answer<>(value, null);
        }

        /** Of a part that failed. */
        public static <T> Answer<T> failed(IOException failure) {
            return new Answer<>(null, failure);
        }

        /** The value; throws the failure of the part. */
        public T get() throws IOException {
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }

    /** How an abort by label ended. */
    enum AbortOutcome {
        /** The load is undone. */
        ABORTED,
        /** The load is committed or visible: nothing was undone. */
        FINISHED,
        /** No load of this label is under way. */
        NOT_FOUND
    }

    /** A commit that is done: the rows are in the table, or will be when they are published. */
    final class CommitOutcome {

        private final boolean already;
        private final int retries;

        /**
         * @param already whether the transaction had been committed before
         * @param retries attempts after the first
         */
        public CommitOutcome(boolean already, int retries) {
            this.already = already;
            this.retries = retries;
        }

        /** Whether the transaction had been committed before. */
        public boolean already() {
            return already;
        }

        /** Attempts after the first. */
        public int retries() {
            return retries;
        }
    }
}
