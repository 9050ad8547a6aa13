package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/** A call under way. Used by one thread; {@link #close} ends the wait, not what Doris does. */
@Internal
public interface PendingCall<T> extends AutoCloseable {

    /**
     * Waits at most so long; true when the answer, or the failure, can be taken. An interrupt ends
     * the wait and stays set.
     */
    boolean await(long millis);

    /** The answer, after {@link #await} returned true; throws the failure of the call. */
    T result() throws IOException;

    @Override
    void close();
}
