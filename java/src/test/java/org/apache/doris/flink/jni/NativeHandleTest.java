package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** The life of scans and plans, against servers that are not there or never answer. */
@ExtendWith(NoLeaks.class)
@Timeout(60)
class NativeHandleTest {

    @Test
    void openIsCheapAndCloseStopsTheRuntime() throws Exception {
        try (NativeScan first = NativeScan.open(new TestConfig("127.0.0.1:1").bytes());
                NativeScan second = NativeScan.open(new TestConfig("127.0.0.1:1").bytes())) {
            assertThat(NativeCounters.openHandles()).isEqualTo(2);
            assertThat(first.metrics().rows()).isZero();
            first.close();
            first.close();
            assertThat(first.isClosed()).isTrue();
            assertThat(NativeCounters.openHandles()).isEqualTo(1);
            assertClosed(() -> first.poll(10));
            assertClosed(first::take);
            assertClosed(first::wake);
            assertClosed(first::metrics);
            assertClosed(() -> first.start(new long[0]));
            assertThat(second.metrics().heldBytes()).isZero();
        }
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.runtimeThreads()).isZero();
    }

    /** Class loaders share the library, so that unloading one of them frees nothing. */
    @Test
    void aHandleThatNobodyClosedAndNobodyHasIsFreed() throws Exception {
        NativeScan.open(new TestConfig("127.0.0.1:1").bytes());
        NativePlan.start(new TestConfig("127.0.0.1:1").bytes());
        StandinProcess.await(
                () -> NativeCounters.openHandles() + " handles are still open",
                () -> {
                    System.gc();
                    return NativeCounters.openHandles() == 0;
                });
    }

    @Test
    void configurationIsCheckedAtOpenAndNothingStays() {
        for (byte[] broken : new byte[][] {{}, {0, 0, 0, 1}, {-1, -1, -1, -1}, new byte[400]}) {
            assertCode(ErrorCode.CONFIG, () -> NativeScan.open(broken));
            assertCode(ErrorCode.CONFIG, () -> NativePlan.start(broken));
        }
        assertThatThrownBy(
                        () ->
                                NativeScan.open(
                                        new TestConfig("127.0.0.1:1")
                                                .with("doris.batch.size", "many")
                                                .with("password", "s3cret")
                                                .bytes()))
                .hasMessageContaining("doris.batch.size")
                .hasMessageContaining("many")
                .hasMessageNotContaining("s3cret");
        assertThat(NativeCounters.openHandles()).isZero();
    }

    @Test
    void batchIsTakenOnlyAfterAPoll() throws Exception {
        try (NativeScan scan = NativeScan.open(new TestConfig("127.0.0.1:1").bytes())) {
            assertCode(ErrorCode.INTERNAL, scan::take);
        }
    }

    @Test
    void nobodyThereIsAFailureOfThePoll() throws Exception {
        try (NativeScan scan = NativeScan.open(new TestConfig("127.0.0.1:1").bytes())) {
            scan.start(new long[] {1});
            assertThatThrownBy(
                            () -> {
                                while (scan.poll(1_000) == NativeScan.Poll.TIMEOUT) {
                                    // Tries again by itself first.
                                }
                            })
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECT))
                    .hasMessageContaining("127.0.0.1:1");
        }
        try (NativePlan plan = NativePlan.start(new TestConfig("127.0.0.1:1").bytes())) {
            assertCode(
                    ErrorCode.CONNECT,
                    () -> {
                        while (!plan.poll(1_000)) {
                            // As above.
                        }
                    });
        }
    }

    @Test
    void pollWaitsNoLongerThanToldAndCanBeWoken() throws Exception {
        try (ServerSocket silent = silent();
                NativeScan scan = NativeScan.open(config(silent))) {
            scan.start(new long[] {1});
            long begin = System.nanoTime();
            assertThat(scan.poll(250)).isEqualTo(NativeScan.Poll.TIMEOUT);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(Duration.ofMillis(240), Duration.ofSeconds(5));
            scan.wake();
            assertThat(scan.poll(0)).isEqualTo(NativeScan.Poll.WOKEN);
            assertThat(scan.poll(0)).isEqualTo(NativeScan.Poll.TIMEOUT);

            CompletableFuture<NativeScan.Poll> waiting = inBackground(() -> scan.poll(30_000));
            scan.wake();
            assertThat(waiting.get(5, TimeUnit.SECONDS)).isEqualTo(NativeScan.Poll.WOKEN);
        }
    }

    @Test
    void interruptEndsTheWaitAndStaysSet() throws Exception {
        try (ServerSocket silent = silent();
                NativeScan scan = NativeScan.open(config(silent))) {
            scan.start(new long[] {1});
            Thread.currentThread().interrupt();
            assertThat(scan.poll(30_000)).isEqualTo(NativeScan.Poll.TIMEOUT);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void closeFreesAPollOnAnotherThreadWithinASecond() throws Exception {
        try (ServerSocket silent = silent()) {
            NativeScan scan = NativeScan.open(config(silent));
            scan.start(new long[] {1});
            CompletableFuture<NativeScan.Poll> waiting = inBackground(() -> scan.poll(30_000));
            long begin = System.nanoTime();
            scan.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofSeconds(1));
            assertThat(waiting)
                    .failsWithin(Duration.ofSeconds(1))
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));

            NativePlan plan = NativePlan.start(config(silent));
            assertThat(plan.poll(50)).isFalse();
            assertCode(ErrorCode.INTERNAL, plan::result);
            plan.close();
            assertClosed(() -> plan.poll(50));
        }
    }

    /** Calls from all sides at once end in results or in one of the known failures. */
    @Test
    void callsFromManyThreadsWhileScansComeAndGo() throws Exception {
        AtomicReference<NativeScan> current = new AtomicReference<>();
        AtomicBoolean end = new AtomicBoolean();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                while (!end.get()) {
                                    use(current.get());
                                }
                            }));
        }
        for (int i = 0; i < 200; i++) {
            try (NativeScan scan = NativeScan.open(new TestConfig("127.0.0.1:1").bytes())) {
                current.set(scan);
                scan.start(new long[0]);
                scan.poll(i % 5);
            } catch (NativeException e) {
                // Another thread was faster with a call of its own, or nobody answers.
                assertThat(e.code()).isIn(ErrorCode.CLOSED, ErrorCode.INTERNAL, ErrorCode.CONNECT);
            }
        }
        end.set(true);
        for (CompletableFuture<Void> thread : threads) {
            thread.get(10, TimeUnit.SECONDS);
        }
    }

    private static void use(NativeScan scan) {
        if (scan == null) {
            return;
        }
        try {
            switch (ThreadLocalRandom.current().nextInt(6)) {
                case 0:
                    scan.wake();
                    break;
                case 1:
                    scan.metrics();
                    break;
                case 2:
                    scan.take();
                    break;
                case 3:
                    scan.start(new long[] {1, 2});
                    break;
                case 4:
                    Native.batchRelease(ThreadLocalRandom.current().nextLong());
                    break;
                default:
                    assertThat(NativeCounters.openHandles()).isLessThanOrEqualTo(1);
            }
        } catch (NativeException e) {
            assertThat(e.code()).isIn(ErrorCode.CLOSED, ErrorCode.INTERNAL);
        }
    }

    @Test
    void readerThatNeverClosesIsOneHandleMore() throws Exception {
        NativeScan scan = NativeScan.open(new TestConfig("127.0.0.1:1").bytes());
        assertThatThrownBy(() -> shortCheck()).hasMessageContaining("handles=1");
        scan.close();
    }

    private static void shortCheck() throws InterruptedException {
        NoLeaks.check(0, Duration.ofMillis(100));
    }

    private interface Poll {
        NativeScan.Poll run() throws IOException;
    }

    /** Runs a poll on a thread of its own and returns once that thread is inside native code. */
    private static CompletableFuture<NativeScan.Poll> inBackground(Poll poll) throws Exception {
        CompletableFuture<NativeScan.Poll> result = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                result.complete(poll.run());
                            } catch (Throwable e) {
                                result.completeExceptionally(e);
                            }
                        });
        thread.start();
        while (java.util.Arrays.stream(thread.getStackTrace())
                .noneMatch(frame -> frame.getMethodName().equals("scanPoll"))) {
            Thread.onSpinWait();
        }
        return result;
    }

    /** A server that takes connections and never says a word. */
    private static ServerSocket silent() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    }

    private static byte[] config(ServerSocket server) {
        return new TestConfig("127.0.0.1:" + server.getLocalPort()).bytes();
    }

    private static void assertClosed(ThrowingCallable use) {
        assertCode(ErrorCode.CLOSED, use);
    }

    private static void assertCode(ErrorCode code, ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOfSatisfying(
                        NativeException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
