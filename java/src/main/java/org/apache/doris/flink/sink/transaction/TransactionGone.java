package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/**
 * Doris no longer holds a transaction that was to be committed. No other failure of a commit means
 * that: after those the same commit may succeed later.
 */
@Internal
public final class TransactionGone extends IOException {

    private static final long serialVersionUID = 1L;

    private final boolean aborted;

    /**
     * @param message text of Doris
     * @param aborted whether it is aborted, so that its rows are not in the table; else Doris does
     *     not know it, and its rows may be
     */
    public TransactionGone(String message, boolean aborted, Throwable cause) {
        super(message, cause);
        this.aborted = aborted;
    }

    /** Whether it is proven that its rows are not in the table. */
    public boolean isAborted() {
        return aborted;
    }
}
