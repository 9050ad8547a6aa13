package org.apache.doris.flink.source.reader;

import java.io.Closeable;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * Where a reader gets its batches from: one scan per reader, used for one split or window after the
 * other. {@link #start}, {@link #startWindow}, {@link #poll} and {@link #take} belong to one thread
 * at a time; the others may be called from any.
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
        /** The split or window was read completely. */
        END
    }

    /**
     * Begins a snapshot split; no tablets means the whole table.
     *
     * @param fenceMillis what was committed below it is visible in the rows, ms since 1970
     * @param looksUp whether the scan finds out that the tablets still exist
     */
    void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp) throws IOException;

    /** Begins a window of a slice. Its batches have {@link Batch#changes}. */
    void startWindow(WindowRequest window) throws IOException;

    /** Waits at most so long; throws the failure of the split or window. */
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

        /** The rows, to be moved over once; valid until {@link #release}. */
        BatchRows produced();

        /** What the rows tell as changes; null for rows of the snapshot. As long as the rows. */
        ChangeColumns changes();

        /** Frees the rows; idempotent, any thread. */
        void release();
    }

    /** Figures of a scan, all but the held bytes since it was opened. */
    final class Figures {

        static final Figures NONE = new Figures();

        /** Bytes received. */
        long bytes;

        /** Splits that were begun again inside the scan. */
        long splitRetries;

        /** Native memory held in batches now. */
        long heldBytes;

        /** How often a window was asked for again, since a transaction was not visible yet. */
        long visibleWaitRetries;

        /** Time in which windows waited for that. */
        long visibleWaitMillis;

        /** Rows dropped, since they had been emitted before a restore. */
        long replayedRows;

        /** How often such rows were others than before, so that rows of a TSO came again. */
        long positionMismatches;

        /** Rows that windows handed out. */
        long windowRows;

        /** These and what another scan had counted before it was closed. */
        Figures plus(Figures before) {
            Figures sum = new Figures();
            sum.bytes = bytes + before.bytes;
            sum.splitRetries = splitRetries + before.splitRetries;
            sum.heldBytes = heldBytes;
            sum.visibleWaitRetries = visibleWaitRetries + before.visibleWaitRetries;
            sum.visibleWaitMillis = visibleWaitMillis + before.visibleWaitMillis;
            sum.replayedRows = replayedRows + before.replayedRows;
            sum.positionMismatches = positionMismatches + before.positionMismatches;
            sum.windowRows = windowRows + before.windowRows;
            return sum;
        }
    }

    /** Opens scans. */
    interface Factory {

        /** A new scan; cheap, but the first one of a process loads the native library. */
        BatchScan open() throws IOException;
    }
}
