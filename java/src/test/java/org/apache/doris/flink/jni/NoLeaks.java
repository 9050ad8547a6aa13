package org.apache.doris.flink.jni;

import org.apache.doris.flink.arrow.IpcBatch;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * For test classes that use native code: {@code @ExtendWith(NoLeaks.class)}. After the last test no
 * handle, batch, native byte, runtime thread or Flight session may be left, and no batch may have
 * been freed by the garbage collector.
 */
public final class NoLeaks implements BeforeAllCallback, AfterAllCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private long leakedBefore;

    @Override
    public void beforeAll(ExtensionContext context) {
        leakedBefore = IpcBatch.leaked();
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        check(leakedBefore, PATIENCE);
    }

    /** Waits for the counters to reach zero; fails with those that do not. */
    static void check(long leakedBefore, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!counters().values().stream().allMatch(value -> value == 0)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("left behind: " + counters());
            }
            Thread.sleep(10);
        }
        if (IpcBatch.leaked() != leakedBefore) {
            throw new AssertionError(
                    IpcBatch.leaked() - leakedBefore + " batches were never released");
        }
    }

    private static Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        counters.put("handles", NativeCounters.openHandles());
        counters.put("batches", NativeCounters.liveBatches());
        counters.put("native bytes", NativeCounters.nativeBytes());
        counters.put("runtime threads", NativeCounters.runtimeThreads());
        counters.put("Flight sessions", NativeCounters.flightSessions());
        return counters;
    }
}
