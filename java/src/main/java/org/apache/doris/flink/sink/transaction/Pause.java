package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/** What a waiting task thread does between two slices of a wait. */
@Internal
@FunctionalInterface
public interface Pause {

    /** Longest slice, so that a cancelled task ends soon. */
    long SLICE_MILLIS = 50;

    /** Nothing but noticing an interrupt. */
    Pause INTERRUPTS = Pause::checkInterrupt;

    /** Called between slices; throws to end the wait. */
    void pause() throws IOException, InterruptedException;

    /** Throws when the thread was interrupted. */
    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for Doris");
        }
    }

    /** Waits for the answer of one call and closes it. */
    static <T> T await(PendingCall<T> call, Pause pause) throws IOException, InterruptedException {
        try (call) {
            while (!call.await(SLICE_MILLIS)) {
                pause.pause();
            }
            return call.result();
        }
    }
}
