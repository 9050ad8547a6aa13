package org.apache.doris.flink.source.offset;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** The row of one consumer in the table that publishes progress. Times are ms since 1970 UTC. */
@Internal
public interface OffsetTable {

    /**
     * Reads the row; blocks.
     *
     * @param cancelled becomes true when the answer is not needed any more
     * @return the saved position, or empty when there is no row
     * @throws Exception when the table cannot be read, has more than one row of the consumer or one
     *     that makes no sense
     */
    OptionalLong read(BooleanSupplier cancelled) throws Exception;

    /** Begins to write the row, without waiting for it. One attempt; the caller repeats. */
    Write write(long millis) throws IOException;

    /** Table and consumer, for messages. */
    String describe();

    /** A write under way. Used by one thread at a time. */
    interface Write extends AutoCloseable {

        /** Waits at most so long, or not at all for 0; true when the write has ended. */
        boolean await(long millis);

        /** Returns if the row was written, once {@link #await} returned true; throws if not. */
        void result() throws IOException;

        /** Gives up waiting; the row may or may not be written. */
        @Override
        void close();
    }
}
