package org.apache.doris.flink.source.reader;

import org.apache.flink.table.data.columnar.vector.ColumnVector;

import java.io.Closeable;
import java.io.IOException;

/**
 * Where a reader gets its batches from: one scan per reader, used for one split after the other.
 * {@link #start}, {@link #poll} and {@link #take} belong to one thread at a time; the others may be
 * called from any.
 */
interface BatchScan extends Closeable {

    /** What a wait ended with. */
    enum Poll {
        /** A batch can be taken. */
        READY,
        /** Nothing came in time. */
        TIMEOUT,
        /** {@link #wake} was called. */
        WOKEN,
        /** The split was read completely. */
        END
    }

    /** Begins a split; no tablets means the whole table. */
    void start(long[] tablets) throws IOException;

    /** Waits at most so long; throws the failure of the split. */
    Poll poll(long timeoutMillis) throws IOException;

    /** The batch that {@link Poll#READY} announced. The caller owns it and must release it. */
    Batch take() throws IOException;

    /** Ends the wait in progress, or the next one. */
    void wake();

    /** Figures since the scan was opened. */
    Figures figures() throws IOException;

    /** Frees the scan; idempotent. Batches that were taken stay valid. */
    @Override
    void close();

    /** Rows in native memory. */
    interface Batch {

        /** Number of rows. */
        int rows();

        /** One vector per produced column; valid until {@link #release}. */
        ColumnVector[] columns();

        /** Frees the rows; idempotent, any thread. */
        void release();
    }

    /** Figures of a scan. */
    final class Figures {

        static final Figures NONE = new Figures(0, 0, 0);

        final long bytes;
        final long splitRetries;
        final long heldBytes;

        /**
         * @param bytes received so far
         * @param splitRetries splits that were begun again inside the scan
         * @param heldBytes native memory held in batches now
         */
        Figures(long bytes, long splitRetries, long heldBytes) {
            this.bytes = bytes;
            this.splitRetries = splitRetries;
            this.heldBytes = heldBytes;
        }
    }

    /** Opens scans. */
    interface Factory {

        /** A new scan; cheap, but the first one of a process loads the native library. */
        BatchScan open() throws IOException;
    }
}
