package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/**
 * Transactions of loads as Doris keeps them. Each method begins a call and returns at once; repeats
 * that a failing network calls for happen inside the call. Used by one thread.
 */
@Internal
public interface Transactions {

    /** Asks what became of a label. */
    PendingCall<LabelState> state(String database, String label) throws IOException;

    /** Undoes the load of a label unless it is committed. */
    PendingCall<AbortOutcome> abort(String database, String label) throws IOException;

    /**
     * Commits a transaction by its id.
     *
     * @param label for messages alone
     */
    PendingCall<CommitOutcome> commit(String database, String table, long txnId, String label)
            throws IOException;
}
