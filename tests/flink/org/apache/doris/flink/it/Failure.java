package org.apache.doris.flink.it;

import org.junit.jupiter.api.function.Executable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A failure as a user sees it: the messages of all causes, and how long it took to come. */
final class Failure {

    private final List<Throwable> chain = new ArrayList<>();
    private final Duration elapsed;

    private Failure(Throwable failure, Duration elapsed) {
        for (Throwable at = failure; at != null && !chain.contains(at); at = at.getCause()) {
            chain.add(at);
        }
        this.elapsed = elapsed;
    }

    /** The failure of something that must fail. */
    static Failure of(Executable something) {
        long start = System.nanoTime();
        try {
            something.execute();
        } catch (Throwable failure) {
            return new Failure(failure, Duration.ofNanos(System.nanoTime() - start));
        }
        throw new AssertionError("no failure");
    }

    /** Messages of all causes, one a line. */
    String text() {
        StringBuilder text = new StringBuilder();
        chain.forEach(
                cause ->
                        text.append(cause.getClass().getName())
                                .append(": ")
                                .append(cause.getMessage())
                                .append('\n'));
        return text.toString();
    }

    /** Message of the last cause: what a user finds at the bottom. */
    String root() {
        return String.valueOf(chain.get(chain.size() - 1).getMessage());
    }

    /** Time from the start to the failure. */
    Duration elapsed() {
        return elapsed;
    }
}
