package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.jni.Scan;
import org.apache.doris.flink.jni.ScanMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;

/**
 * The one scan of a reader. Flink ends idle fetchers and makes new ones with new split readers; the
 * scan, with its login and its memory budget, outlives them: it is opened with the first split and
 * closed with the reader. What is read can be abandoned in the middle, which costs the login.
 */
final class ReaderScan implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(ReaderScan.class);

    private final Factory factory;

    private Scan scan;
    private boolean wakePending;
    private boolean closed;
    private ScanMetrics lastMetrics = ScanMetrics.NONE;
    private ScanMetrics abandonedMetrics = ScanMetrics.NONE;

    ReaderScan(Factory factory) {
        this.factory = factory;
    }

    /** The scan, opened if need be; called by the fetcher thread. */
    Scan open() throws IOException {
        synchronized (this) {
            if (scan != null || closed) {
                return requireOpen();
            }
        }
        Scan opened = factory.open();
        synchronized (this) {
            if (!closed) {
                scan = opened;
                if (wakePending) {
                    wakePending = false;
                    wake(opened);
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
        Scan last;
        synchronized (this) {
            last = scan;
            abandonedMetrics = metrics();
            scan = null;
        }
        if (last != null) {
            last.close();
        }
    }

    /** Ends the wait in progress, or the next one; any thread. */
    synchronized void wake() {
        if (scan != null) {
            wake(scan);
        } else {
            wakePending = true;
        }
    }

    /**
     * Figures of the scan and those before it; the last known ones once it is closed. Any thread.
     */
    synchronized ScanMetrics metrics() {
        if (scan != null) {
            try {
                lastMetrics = scan.metrics().plus(abandonedMetrics);
            } catch (IOException e) {
                return lastMetrics;
            }
        }
        return lastMetrics;
    }

    /** Closes the scan; idempotent. */
    @Override
    public void close() {
        Scan last;
        synchronized (this) {
            closed = true;
            last = scan;
            metrics();
            scan = null;
        }
        if (last != null) {
            last.close();
        }
    }

    private static void wake(Scan scan) {
        try {
            scan.wake();
        } catch (IOException e) {
            // A scan that cannot be woken is closed or broken: its next poll reports it.
            LOG.debug("Waking the scan failed.", e);
        }
    }

    private synchronized Scan requireOpen() throws IOException {
        if (scan == null) {
            throw new IOException("The reader is closed.");
        }
        return scan;
    }

    /** Opens scans. */
    interface Factory {

        /** A new scan; cheap, but the first one of a process loads the native library. */
        Scan open() throws IOException;
    }
}
