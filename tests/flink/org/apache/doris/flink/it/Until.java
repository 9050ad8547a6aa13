package org.apache.doris.flink.it;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a condition, never for a time: the time is only the bound after which a test fails. */
public final class Until {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private Until() {}

    /** Waits until something holds; fails with {@code what} after a minute. */
    public static void holds(String what, Callable<Boolean> condition) throws Exception {
        holds(what, BOUND, condition);
    }

    /** Waits until something holds; fails with {@code what} after the bound. */
    public static void holds(String what, Duration bound, Callable<Boolean> condition)
            throws Exception {
        long end = System.nanoTime() + bound.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + bound.toMillis() + " ms: " + what);
            }
            Thread.sleep(2);
        }
    }
}
