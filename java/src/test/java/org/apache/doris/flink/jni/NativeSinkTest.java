package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The life of sinks, loads and calls, against servers that are not there or never answer. */
@ExtendWith(NoLeaks.class)
@Timeout(60)
class NativeSinkTest {
    private static final String NOBODY = "127.0.0.1:1";

    @Test
    void openIsCheapAndCloseStopsTheRuntime() throws Exception {
        NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
        NativeLoad load = sink.openLoad(TestSink.raw("t"));
        NativeCall call = sink.call(TestSink.call("state", "l"));
        assertThat(NativeCounters.openHandles()).isEqualTo(3);
        SinkMetrics metrics = sink.metrics();
        assertThat(metrics.rows()).isZero();
        assertThat(metrics.ringBytes()).isZero();
        assertThat(metrics.loadsSucceeded()).isZero();
        sink.close();
        sink.close();
        assertClosed(() -> sink.openLoad(TestSink.raw("t")));
        assertClosed(() -> sink.call(TestSink.call("state", "l")));
        assertClosed(sink::metrics);
        assertClosed(() -> load.acquire(10, 10));
        assertClosed(load::finish);
        assertClosed(() -> load.await(10));
        assertClosed(() -> call.await(10));
        load.close();
        load.close();
        call.close();
        call.close();
        assertClosed(load::finish);
        assertClosed(call::result);
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.runtimeThreads()).isZero();
    }

    @Test
    void configurationIsCheckedAtOpenAndNothingStays() {
        for (byte[] broken : new byte[][] {{}, {0, 0, 0, 1}, {-1, -1, -1, -1}, new byte[400]}) {
            assertCode(ErrorCode.CONFIG, () -> NativeSink.open(broken));
        }
        TestSink wrong =
                new TestSink(NOBODY).with("sink.buffer-count", "some").with("password", "s3cret");
        assertThatThrownBy(() -> NativeSink.open(wrong.bytes()))
                .hasMessageContainingAll("sink.buffer-count", "some")
                .hasMessageNotContaining("s3cret");
        assertThat(NativeCounters.openHandles()).isZero();
    }

    @Test
    void nobodyThereIsAFailureOfTheCallAndStaysOne() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
                NativeCall call = sink.call(TestSink.call("state", "l"))) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> call.await(30_000))
                        .isInstanceOfSatisfying(
                                NativeException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECT))
                        .hasMessageContaining(NOBODY);
            }
            assertCode(ErrorCode.INTERNAL, call::result);
        }
    }

    @Test
    void aLoadWithoutRowsNeedsNoServer() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("t"))) {
            load.finish();
            load.finish();
            assertThat(load.await(1_000)).isTrue();
            assertThat(load.result())
                    .containsEntry("rows", "0")
                    .containsEntry("next", "0")
                    .containsEntry("skipped.count", "0")
                    .doesNotContainKeys("label", "txn.id");
        }
    }

    @Test
    void buffersAreLentOneAtATime() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("t"))) {
            ByteBuffer buffer = load.acquire(100, 0);
            assertThat(buffer.capacity()).isEqualTo(100);
            assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(sink.metrics().ringBytes()).isGreaterThanOrEqualTo(100);
            assertThat(NativeCounters.nativeBytes()).isGreaterThanOrEqualTo(100);
            assertCode(ErrorCode.INTERNAL, () -> load.acquire(100, 0));
        }
        assertThat(NativeCounters.nativeBytes()).isZero();
    }

    @Test
    void aRowLargerThanABufferOfJavaIsRefused() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("t"))) {
            assertThatThrownBy(() -> load.acquire(1L << 31, 0))
                    .hasMessageContainingAll("2147483648 bytes", "sink.buffer-size");
        }
    }

    @Test
    void aFailedLoadFailsEverywhere() throws Exception {
        TestSink config = new TestSink(NOBODY).with("sink.max-retries", "0");
        try (NativeSink sink = NativeSink.open(config.bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("t"))) {
            load.acquire(10, 0);
            load.submit(1, new long[] {10});
            assertCode(ErrorCode.CONNECT, () -> load.await(30_000));
            assertCode(ErrorCode.CONNECT, () -> load.await(0));
            assertCode(ErrorCode.CONNECT, () -> load.acquire(10, 0));
            assertCode(ErrorCode.INTERNAL, load::result);
        }
    }

    @Test
    void interruptsEndWaitsAndStay() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NativeSink sink = NativeSink.open(silentConfig(silent));
                NativeLoad load = filled(sink)) {
            Thread.currentThread().interrupt();
            long begin = System.nanoTime();
            assertThat(load.acquire(10, 60_000)).isNull();
            assertThat(load.await(60_000)).isFalse();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)).isLessThan(2_000);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(load.acquire(10, 20)).isNull();
        }
    }

    @Test
    void closeFromAnotherThreadEndsWaits() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NativeSink sink = NativeSink.open(silentConfig(silent));
                NativeLoad first = filled(sink);
                NativeLoad second = filled(sink);
                NativeCall call = sink.call(TestSink.call("state", "l"))) {
            CompletableFuture<Void> acquires = inBackground(() -> first.acquire(10, 60_000));
            CompletableFuture<Void> awaits = inBackground(() -> second.await(60_000));
            CompletableFuture<Void> asks = inBackground(() -> call.await(60_000));
            first.close();
            assertClosed(acquires::join);
            sink.close();
            assertClosed(awaits::join);
            assertClosed(asks::join);
        }
    }

    @Test
    void aBufferThatIsBeingFilledOutlivesTheCloseByAnotherThread() throws Exception {
        NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
        NativeLoad load = sink.openLoad(TestSink.raw("t"));
        ByteBuffer buffer = load.acquire(1_000_000, 0);
        CompletableFuture.runAsync(load::close).join();
        sink.close();
        assertThat(NativeCounters.openHandles()).isEqualTo(1);
        while (buffer.hasRemaining()) {
            buffer.put((byte) 1);
        }
        assertThat(NativeCounters.nativeBytes()).isGreaterThanOrEqualTo(1_000_000);
        assertClosed(() -> load.submit(1, new long[] {1_000_000}));
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.nativeBytes()).isZero();
    }

    @Test
    void aBufferThatNobodyGivesBackIsCollected() throws Exception {
        NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes());
        NativeLoad load = sink.openLoad(TestSink.raw("t"));
        CompletableFuture.runAsync(
                        () -> {
                            try {
                                load.acquire(1_000, 0);
                            } catch (NativeException e) {
                                throw new AssertionError(e);
                            }
                        })
                .join();
        load.close();
        sink.close();
        StandinProcess.await(
                () -> "still open: " + NativeCounters.openHandles(),
                () -> {
                    System.gc();
                    return NativeCounters.openHandles() == 0;
                });
        assertThat(NativeCounters.nativeBytes()).isZero();
    }

    @Test
    void closesAtEveryMomentWhileBuffersAreFilled() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 500, InetAddress.getLoopbackAddress())) {
            byte[] config = silentConfig(silent);
            for (int i = 0; i < 300; i++) {
                NativeSink sink = NativeSink.open(config);
                NativeLoad load = sink.openLoad(TestSink.raw("t"));
                AtomicInteger filled = new AtomicInteger();
                CompletableFuture<Void> writer =
                        CompletableFuture.runAsync(() -> fillUntilClosed(load, filled));
                int buffers = i % 4;
                StandinProcess.await(
                        () -> "no " + buffers + " buffers",
                        () -> filled.get() >= buffers || writer.isDone());
                if (i % 3 == 0) {
                    sink.close();
                } else {
                    load.close();
                }
                writer.get(10, TimeUnit.SECONDS);
                load.close();
                sink.close();
                assertThat(NativeCounters.openHandles()).isZero();
                assertThat(NativeCounters.nativeBytes()).isZero();
            }
        }
    }

    /** Counts buffers at their begin, so that a close may come while one is filled. */
    private static void fillUntilClosed(NativeLoad load, AtomicInteger filled) {
        try {
            while (true) {
                filled.incrementAndGet();
                ByteBuffer buffer = load.acquire(4096, 1);
                while (buffer != null && buffer.hasRemaining()) {
                    buffer.put((byte) 1);
                }
                if (buffer != null) {
                    load.submit(1, new long[] {4096});
                }
            }
        } catch (NativeException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.CLOSED);
        }
    }

    @Test
    void wrongSpecsAndRequestsAreNamed() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(NOBODY).bytes())) {
            Map<String, String> spec = TestSink.raw("t");
            spec.put("labels.next", "x");
            assertThatThrownBy(() -> sink.openLoad(spec)).hasMessageContaining("labels.next");
            assertThatThrownBy(() -> sink.call(TestSink.call("sing", "l")))
                    .hasMessageContaining("'sing' is no call");
            assertThatThrownBy(() -> sink.call(TestSink.call("commit", "l")))
                    .hasMessageContaining("'table'");
            assertThat(NativeCounters.openHandles()).isEqualTo(1);
        }
    }

    private static byte[] silentConfig(ServerSocket silent) {
        return new TestSink("127.0.0.1:" + silent.getLocalPort()).bytes();
    }

    /** A load whose two buffers are on their way to a server that does not answer. */
    private static NativeLoad filled(NativeSink sink) throws NativeException {
        NativeLoad load = sink.openLoad(TestSink.raw("t"));
        for (int i = 0; i < 2; i++) {
            assertThat(load.acquire(4096, 1_000)).isNotNull();
            load.submit(1, new long[] {4096});
        }
        return load;
    }

    private static CompletableFuture<Void> inBackground(ThrowingCallable call) throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                call.call();
                                ended.complete(null);
                            } catch (Throwable e) {
                                ended.completeExceptionally(e);
                            }
                        });
        thread.start();
        StandinProcess.await(
                () -> "the thread does not get to its call",
                () ->
                        thread.getStackTrace().length > 0
                                && thread.getStackTrace()[0].isNativeMethod());
        return ended;
    }

    private static void assertClosed(ThrowingCallable call) {
        assertCode(ErrorCode.CLOSED, call);
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(
                        e -> {
                            Throwable found = e instanceof NativeException ? e : e.getCause();
                            assertThat(found)
                                    .isInstanceOfSatisfying(
                                            NativeException.class,
                                            n -> assertThat(n.code()).isEqualTo(code));
                        });
    }
}
