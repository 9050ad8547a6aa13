package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

/** A commit that is done: the rows are in the table, or will be when they are published. */
@Internal
public final class CommitOutcome {

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
