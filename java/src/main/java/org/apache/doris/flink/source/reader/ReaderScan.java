package org.apache.doris.flink.source.reader;

import java.io.Closeable;
import java.io.IOException;

/**
 * The one scan of a reader. Flink ends idle fetchers and makes new ones with new split readers; the
 * scan, with its login and its memory budget, outlives them: it is opened with the first split and
 * closed with the reader.
 */
final class ReaderScan implements Closeable {

    private final BatchScan.Factory factory;

    private BatchScan scan;
    private boolean wakePending;
    private boolean closed;
    private BatchScan.Figures lastFigures = BatchScan.Figures.NONE;

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
                lastFigures = scan.figures();
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
