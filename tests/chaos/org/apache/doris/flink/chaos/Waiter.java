package org.apache.doris.flink.chaos;

import org.apache.doris.flink.it.Standin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for conditions; the time is only the bound after which a run is called stuck. */
public final class Waiter {

    private static final Duration BOUND = Duration.ofSeconds(120);

    /** Something did not come about within the bound. */
    public static final class Stuck extends Exception {

        private static final long serialVersionUID = 1L;

        /** Tells what did not come about. */
        public Stuck(String what) {
            super(what);
        }
    }

    /** Waits until something holds. A condition that cannot be asked for now does not hold yet. */
    public void until(String what, Callable<Boolean> condition) throws Exception {
        if (!within(BOUND, condition)) {
            throw new Stuck("not within " + BOUND.toSeconds() + " s: " + what);
        }
    }

    /**
     * Starts a node that was stopped. A connection of somebody else may have one of its ports for a
     * while.
     */
    public void started(Standin doris, String node) throws Exception {
        until(
                node + " has its ports again",
                () -> {
                    try {
                        doris.post(node + "/start");
                        return true;
                    } catch (AssertionError taken) {
                        return false;
                    }
                });
    }

    /** Waits until something holds, at most so long; false when it does not. */
    public boolean within(Duration bound, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + bound.toNanos();
        while (true) {
            try {
                if (condition.call()) {
                    return true;
                }
            } catch (IOException | UncheckedIOException unreachable) {
                // Flink's REST service may be away together with its process, or a server.
            }
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(20);
        }
    }
}
