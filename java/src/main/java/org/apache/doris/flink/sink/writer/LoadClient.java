package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.io.IOException;

/** What one writer needs of Doris. Used by its task thread, except {@link #figures}. */
interface LoadClient extends AutoCloseable {

    /** A load whose labels begin with a base and end in numbers from {@code next} on; no I/O. */
    Load open(String database, String table, String labelBase, long next, boolean deleteSign)
            throws IOException;

    /** Asks the server for a table and compares it with the declared columns, if there are any. */
    PendingCall<TableCheck> check(String database, String table) throws IOException;

    /** Label states and aborts. */
    Transactions transactions();

    /** Figures of now; any thread, also after {@link #close}. */
    Figures figures();

    @Override
    void close();

    /** Opens clients. */
    interface Factory {

        /** A client; no I/O, but the first one of a process loads the native library. */
        LoadClient open() throws IOException;
    }

    /** Figures of a client. */
    final class Figures {

        /** Of a client that is closed. */
        public static final Figures NONE = new Figures(0, 0, 0);

        private final long bufferedBytes;
        private final long replayBytes;
        private final long openLoads;

        /**
         * @param bufferedBytes in buffers between the task and the upload
         * @param replayBytes kept so that a broken load can be sent again
         * @param openLoads loads under way
         */
        public Figures(long bufferedBytes, long replayBytes, long openLoads) {
            this.bufferedBytes = bufferedBytes;
            this.replayBytes = replayBytes;
            this.openLoads = openLoads;
        }

        /** Bytes in buffers between the task and the upload. */
        public long bufferedBytes() {
            return bufferedBytes;
        }

        /** Bytes of both kinds. */
        public long nativeBytes() {
            return bufferedBytes + replayBytes;
        }

        /** Loads under way. */
        public long openLoads() {
            return openLoads;
        }
    }
}
