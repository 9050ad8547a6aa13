package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.io.IOException;

/** What one writer needs of Doris. Used by its task thread, except {@link #metrics}. */
interface LoadClient extends AutoCloseable {

    /** A load whose labels begin with a base and end in numbers from {@code next} on; no I/O. */
    Load open(String database, String table, String labelBase, long next, boolean deleteSign)
            throws IOException;

    /**
     * Reads a table from the server and compares it with the declared columns, if there are any.
     */
    PendingCall<TableCheck> check(String database, String table) throws IOException;

    /** Label states and aborts. */
    Transactions transactions();

    /** Figures of now; any thread, also after {@link #close}, then all 0. */
    SinkMetrics metrics();

    @Override
    void close();

    /** Opens clients. */
    interface Factory {

        /** A client; no I/O, but the first one of a process loads the native library. */
        LoadClient open() throws IOException;
    }
}
