package org.apache.doris.flink.source.reader;

import java.io.Closeable;
import java.io.IOException;

/**
 * The one scan of a reader. Flink ends idle fetchers and makes new ones with new split readers; the
 * scan, with its login and its memory budget, outlives them: it is opened with the first split and
 * closed with the reader. What is read can be abandoned in the middle, which costs the login.
 */
final class ReaderScan implements Closeable {

    private final BatchScan.Factory factory;

    private BatchScan scan;
    private boolean wakePending;
    private boolean closed;
    private BatchScan.Figures lastFigures = BatchScan.Figures.NONE;
    private BatchScan.Figures abandonedFigures = BatchScan.Figures.NONE;

    ReaderScan(BatchScan.Factory factory) {
        this.factory = factory;
    }

    /** The scan, opened if need be; called by the fetcher thread. */
    BatchScan open() throws IOException {
        synchronized (this) {
            if (scan != null || closed) {
                return requireOpen();
            }
        }
        BatchScan opened = factory.open();
        synchronized (this) {
            if (!closed) {
                scan = opened;
                if (wakePending) {
                    wakePending = false;
                    opened.wake();
                }
                return opened;
            }
        }
        opened.close();
        return requireOpen();
    }

    /**
     * Drops what is being read; the next {@link #open} gives a scan that is free. Batches that were
     * taken stay valid. Called by the fetcher thread, waits about a second at most.
     */
    void abandon() {
        BatchScan last;
        synchronized (this) {
            last = scan;
            abandonedFigures = figures();
            scan = null;
        }
        if (last != null) {
            last.close();
        }
    }

    /** Ends the wait in progress, or the next one; any thread. */
    synchronized void wake() {
        if (scan != null) {
            scan.wake();
        } else {
            wakePending = true;
        }
    }

    /** Figures of the scan; the last known ones once it is closed. Any thread. */
    synchronized BatchScan.Figures figures() {
        if (scan != null) {
            try {
                lastFigures = scan.figures().plus(abandonedFigures);
            } catch (IOException e) {
                return lastFigures;
            }
        }
        return lastFigures;
    }

    /** Closes the scan; idempotent. */
    @Override
    public void close() {
        BatchScan last;
        synchronized (this) {
            closed = true;
            last = scan;
            figures();
            scan = null;
        }
        if (last != null) {
            last.close();
        }
    }

    private synchronized BatchScan requireOpen() throws IOException {
        if (scan == null) {
            throw new IOException("The reader is closed.");
        }
        return scan;
    }
}
