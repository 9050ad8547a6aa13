package org.apache.doris.flink.sink.transaction;

import java.io.IOException;

/** Doris refused a commit or an abort for good: the transaction is aborted or not known. */
public final class TransactionRefused extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message what Doris said
     */
    public TransactionRefused(String message, Throwable cause) {
        super(message, cause);
    }
}
