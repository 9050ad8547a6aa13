package org.apache.doris.flink.sink.writer;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One load of one table. A failure comes out of every method, also while one of them waits. Used by
 * one thread, except {@link #close}.
 */
interface Load extends AutoCloseable {

    /**
     * Waits at most so long for a place for this many bytes; null when there was none or the thread
     * was interrupted, whose flag stays set. Little endian. The buffer goes to the load at {@link
     * #submit}, or back when the load is closed.
     */
    ByteBuffer acquire(long bytes, long millis) throws IOException;

    /**
     * Hands over the buffer acquired last; never waits. The first call begins the load.
     *
     * @param layout where the columns are in it, or for raw bytes how many are used
     */
    void submit(long rows, long[] layout) throws IOException;

    /** No more rows. */
    void finish() throws IOException;

    /** Waits at most so long; true when the outcome is there. */
    boolean await(long millis) throws IOException;

    /** The outcome, after {@link #await} returned true. */
    LoadOutcome outcome() throws IOException;

    /** Frees the load; one that was not finished is dropped by the server. Idempotent. */
    @Override
    void close();
}
