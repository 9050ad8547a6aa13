package org.apache.doris.flink.jni;

import static org.apache.doris.flink.jni.BoundaryChecks.CLOSED;
import static org.apache.doris.flink.jni.BoundaryChecks.CONFIG;
import static org.apache.doris.flink.jni.BoundaryChecks.INTERNAL;
import static org.apache.doris.flink.jni.BoundaryChecks.PANIC;
import static org.apache.doris.flink.jni.BoundaryChecks.check;
import static org.apache.doris.flink.jni.BoundaryChecks.expect;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sinks, loads and calls as Java sees them; with a server that never answers. */
final class WritingChecks {
    private static final int DATA = 9;
    private static final int BUFFERS = 2;

    private WritingChecks() {}

    /** The port of a server that takes connections and never answers. */
    static native int silentServer() throws NativeException;

    /** Makes a call that ends in a panic on a thread of the runtime. */
    static native long panickingCall() throws NativeException;

    static void run() throws Exception {
        int port = silentServer();
        staleHandles();
        requests(port);
        emptyLoad(port);
        lentBuffers(port);
        buffersThatOutliveTheirLoad(port);
        fullRing(port);
        batchMode(port);
        calls(port);
        theSinkEndsEverything(port);
        while (Native.drainLog(100) != null) {
            // Failed attempts are logged; not the subject here.
        }
    }

    private static void staleHandles() throws Exception {
        for (long wrong : new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 4L << 59}) {
            expect(() -> Native.sinkMetrics(wrong), CLOSED);
            expect(() -> Native.callStart(wrong, state()), CLOSED);
            expect(() -> Native.callPoll(wrong, 10), CLOSED);
            expect(() -> Native.callResult(wrong), CLOSED);
            expect(() -> Native.loadOpen(wrong, spec()), CLOSED);
            expect(() -> Native.loadAcquire(wrong, 1, 10), CLOSED);
            expect(() -> Native.loadSubmit(wrong, 1, new long[] {1}), CLOSED);
            expect(() -> Native.loadFinish(wrong), CLOSED);
            expect(() -> Native.loadPoll(wrong, 10), CLOSED);
            expect(() -> Native.loadResult(wrong), CLOSED);
            expect(() -> Native.loadEnded(wrong), CLOSED);
            Native.loadReturn(wrong);
            Native.loadClose(wrong);
            Native.callClose(wrong);
            Native.sinkClose(wrong);
        }
    }

    private static void requests(int port) throws Exception {
        expect(() -> Native.sinkOpen(null), CONFIG);
        expect(() -> Native.sinkOpen(new byte[] {0, 0}), CONFIG);
        for (String key : config(port).keySet()) {
            Map<String, String> map = config(port);
            map.remove(key);
            NativeException e = expect(() -> Native.sinkOpen(TextMap.encode(map)), CONFIG);
            check(e.getMessage().contains(key), e.getMessage());
        }
        check(handles() == 0, "a sink that did not open");
        long sink = sink(port);
        while (Native.counters()[3] == 0) {
            // The runtime's threads count themselves when they begin.
            Thread.onSpinWait();
        }
        check(Arrays.equals(Native.sinkMetrics(sink), new long[10]), "metrics of a new sink");
        expect(() -> Native.loadOpen(sink, null), CONFIG);
        expect(() -> Native.loadOpen(sink, new byte[4]), CONFIG);
        expect(() -> Native.callStart(sink, null), CONFIG);
        Map<String, String> odd = Map.of("call", "dance", "database", "d");
        NativeException e = expect(() -> Native.callStart(sink, TextMap.encode(odd)), CONFIG);
        check(e.getMessage().contains("'dance' is no call"), e.getMessage());
        check(handles() == 1, "handles of refused requests");
        Native.sinkClose(sink);
        Native.sinkClose(sink);
        check(Native.counters()[3] == 0, "threads after the last close");
    }

    private static void emptyLoad(int port) throws Exception {
        long sink = sink(port);
        long load = Native.loadOpen(sink, spec());
        expect(() -> Native.loadResult(load), INTERNAL);
        check(Native.loadPoll(load, 0) == 1, "an open load has no outcome");
        check(Native.loadEnded(load) == null, "one load has its outcome as its result");
        Native.loadFinish(load);
        check(Native.loadPoll(load, 5_000) == 0 && Native.loadPoll(load, 0) == 0, "an empty load");
        Map<String, String> result = TextMap.decode(Native.loadResult(load));
        check("0".equals(result.get("rows")) && "7".equals(result.get("next")), "" + result);
        check(!result.containsKey("label") && !result.containsKey("txn.id"), "" + result);
        Native.loadClose(load);
        Native.loadClose(load);
        Native.sinkClose(sink);
        check(handles() == 0, "handles");
    }

    private static void lentBuffers(int port) throws Exception {
        long sink = sink(port);
        long load = Native.loadOpen(sink, spec());
        expect(() -> Native.loadSubmit(load, 1, new long[] {1}), INTERNAL);
        expect(() -> Native.loadAcquire(load, -1, 0), DATA);
        expect(() -> Native.loadAcquire(load, 1L << 31, 0), DATA);
        Native.loadReturn(load);
        for (int size : new int[] {0, 1, 1024, 100_000}) {
            ByteBuffer buffer = Native.loadAcquire(load, size, 1_000);
            check(buffer.isDirect() && !buffer.isReadOnly(), "buffer " + buffer);
            check(buffer.capacity() == size, "buffer " + buffer);
            check(size == 0 || buffer.alignmentOffset(0, 64) == 0, "alignment");
            for (int i = 0; i < size; i++) {
                buffer.put(i, (byte) i);
            }
            check(Native.counters()[2] >= size, "native bytes");
            check(Native.sinkMetrics(sink)[0] >= size, "bytes of the ring");
            NativeException e = expect(() -> Native.loadAcquire(load, 1, 0), INTERNAL);
            check(e.getMessage().contains("not submitted yet"), e.getMessage());
            Native.loadReturn(load);
            Native.loadReturn(load);
        }
        // What is wrong with a submitted buffer takes the buffer as well.
        check(Native.loadAcquire(load, 1, 1_000) != null, "buffer");
        expect(() -> Native.loadSubmit(load, -1, new long[] {1}), INTERNAL);
        expect(() -> Native.loadSubmit(load, 1, new long[] {1}), INTERNAL);
        check(Native.loadAcquire(load, 1, 1_000) != null, "buffer");
        expect(() -> Native.loadSubmit(load, 1, null), CONFIG);
        Native.loadReturn(load);
        Native.loadClose(load);
        Native.sinkClose(sink);
        check(Native.counters()[2] == 0, "native bytes " + Native.counters()[2]);
    }

    private static void buffersThatOutliveTheirLoad(int port) throws Exception {
        for (boolean submits : new boolean[] {true, false}) {
            long sink = sink(port);
            long load = Native.loadOpen(sink, spec());
            ByteBuffer buffer = Native.loadAcquire(load, 1024, 1_000);
            Native.loadClose(load);
            Native.sinkClose(sink);
            check(handles() == 1, "the load waits for its buffer");
            check(Native.counters()[2] >= 1024, "the buffer's bytes");
            for (int i = 0; i < 1024; i++) {
                buffer.put(i, (byte) 1);
            }
            expect(() -> Native.loadAcquire(load, 1, 1_000), CLOSED);
            expect(() -> Native.loadPoll(load, 1_000), CLOSED);
            Native.loadClose(load);
            check(handles() == 1, "the load waits still");
            if (submits) {
                expect(() -> Native.loadSubmit(load, 1, new long[] {1024}), CLOSED);
            } else {
                Native.loadReturn(load);
            }
            check(handles() == 0, "the load is gone");
            check(Native.counters()[2] == 0, "native bytes " + Native.counters()[2]);
            check(Native.counters()[3] == 0, "threads " + Native.counters()[3]);
        }
    }

    private static void fullRing(int port) throws Exception {
        long sink = sink(port);
        long load = filled(sink);
        long begin = System.nanoTime();
        check(Native.loadAcquire(load, 1024, 60) == null, "a full ring");
        long millis = millisSince(begin);
        check(millis >= 55 && millis < 1_000, "a wait of 60 ms took " + millis);
        check(Native.loadAcquire(load, 1024, 0) == null, "no wait");
        check(Native.loadAcquire(load, 1024, -5) == null, "no wait");
        Waiter waiter = new Waiter(() -> Native.loadAcquire(load, 1024, 60_000));
        NativeException e = expect(() -> Native.loadAcquire(load, 1, 0), INTERNAL);
        check(e.getMessage().contains("two threads"), e.getMessage());
        Native.loadClose(load);
        waiter.endsClosed();

        long other = filled(sink);
        Native.loadFinish(other);
        check(Native.loadPoll(other, 0) == 1, "no answer yet");
        waiter = new Waiter(() -> Native.loadPoll(other, 60_000));
        Native.loadClose(other);
        waiter.endsClosed();
        Native.sinkClose(sink);
        check(Native.counters()[2] == 0, "native bytes " + Native.counters()[2]);
        check(handles() == 0, "handles");
    }

    /** A load stands for all loads of a table: it goes on after its rows were sent. */
    private static void batchMode(int port) throws Exception {
        Map<String, String> map = config(port);
        map.put("write.two-phase", "false");
        map.put("write.batch", "true");
        map.put("sink.flush.queue-size", "1");
        long sink = Native.sinkOpen(TextMap.encode(map));
        long load = Native.loadOpen(sink, spec());
        check(Native.loadPoll(load, 0) == 0, "nothing is on its way");
        expect(() -> Native.loadResult(load), INTERNAL);
        for (int i = 0; i < 2; i++) {
            submit(load);
            Native.loadFinish(load);
            check(Native.loadPoll(load, 0) == 1, "rows are on their way");
            check(Native.loadEnded(load) == null, "no load has ended");
        }
        // The first is being sent, the second waits.
        Waiter full = new Waiter(() -> Native.loadAcquire(load, 1024, 60_000));
        Waiter sent = new Waiter(() -> Native.loadPoll(load, 60_000));
        Native.sinkClose(sink);
        full.endsClosed();
        sent.endsClosed();
        Native.loadClose(load);
        while (Native.counters()[2] != 0) {
            // What encodes at the moment of a close ends by itself.
            Thread.onSpinWait();
        }
        check(handles() == 0, "handles");
    }

    private static void calls(int port) throws Exception {
        long sink = sink(port);
        long call = Native.callStart(sink, state());
        check(handles() == 2, "handles");
        expect(() -> Native.callResult(call), INTERNAL);
        check(Native.callPoll(call, 20) == 1, "no answer yet");
        Waiter waiter = new Waiter(() -> Native.callPoll(call, 60_000));
        Native.callClose(call);
        waiter.endsClosed();
        Native.callClose(call);
        expect(() -> Native.callPoll(call, 0), CLOSED);

        long bad = panickingCall();
        NativeException e =
                expect(
                        () -> {
                            while (Native.callPoll(bad, 100) != 0) {
                                // Not there yet.
                            }
                        },
                        PANIC);
        check(e.getMessage().contains("boom 8"), e.getMessage());
        check(e.nativeTrace().contains("jvm.rs"), "trace from a task: " + e.nativeTrace());
        e = expect(() -> Native.callPoll(bad, 0), PANIC);
        check(e.getMessage().contains("this call cannot be used after"), e.getMessage());
        check(Native.sinkMetrics(sink).length == 10, "a sink suffers from a call");
        Native.callClose(bad);
        Native.sinkClose(sink);
        check(handles() == 0, "handles");
    }

    private static void theSinkEndsEverything(int port) throws Exception {
        long sink = sink(port);
        long acquiring = filled(sink);
        long finishing = filled(sink);
        Native.loadFinish(finishing);
        long call = Native.callStart(sink, state());
        Waiter[] waiters = {
            new Waiter(() -> Native.loadAcquire(acquiring, 1024, 60_000)),
            new Waiter(() -> Native.loadPoll(finishing, 60_000)),
            new Waiter(() -> Native.callPoll(call, 60_000))
        };
        Native.sinkClose(sink);
        for (Waiter waiter : waiters) {
            waiter.endsClosed();
        }
        expect(() -> Native.loadAcquire(acquiring, 1, 10), CLOSED);
        expect(() -> Native.loadFinish(acquiring), CLOSED);
        expect(() -> Native.loadPoll(finishing, 10), CLOSED);
        expect(() -> Native.callPoll(call, 10), CLOSED);
        check(handles() == 3, "handles");
        Native.callClose(call);
        Native.loadClose(acquiring);
        Native.loadClose(finishing);
        check(handles() == 0, "handles");
        check(Native.counters()[2] == 0, "native bytes " + Native.counters()[2]);
        check(Native.counters()[3] == 0, "threads " + Native.counters()[3]);
    }

    /** A load whose buffers are all on their way. */
    private static long filled(long sink) throws NativeException {
        long load = Native.loadOpen(sink, spec());
        for (int i = 0; i < BUFFERS; i++) {
            submit(load);
        }
        return load;
    }

    private static void submit(long load) throws NativeException {
        ByteBuffer buffer = Native.loadAcquire(load, 1024, 1_000);
        check(buffer != null, "a place");
        Native.loadSubmit(load, 1, new long[] {1024});
    }

    private static long sink(int port) throws NativeException {
        return Native.sinkOpen(TextMap.encode(config(port)));
    }

    private static Map<String, String> config(int port) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String line : System.getProperty("doris.write-default").split("\n")) {
            int equals = line.indexOf('=');
            if (!line.startsWith("write.property")) {
                map.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        map.put("fenodes", "127.0.0.1:" + port);
        map.put("doris.request.retries", "0");
        map.put("sink.max-retries", "0");
        map.put("sink.buffer-size", "1024");
        map.put("sink.buffer-count", String.valueOf(BUFFERS));
        map.put("sink.replay-buffer-size", "0");
        map.put("write.answer-timeout", "60000");
        map.put("write.properties", "1");
        map.put("write.property.0.name", "format");
        map.put("write.property.0.value", "csv");
        return map;
    }

    private static byte[] spec() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("database", "db");
        map.put("table", "t");
        map.put("labels.base", "label_");
        map.put("labels.next", "7");
        map.put("input", "raw");
        map.put("declared", "");
        map.put("delete-sign", "false");
        return TextMap.encode(map);
    }

    private static byte[] state() {
        return TextMap.encode(Map.of("call", "state", "database", "db", "label", "l"));
    }

    private static long handles() {
        return Native.counters()[0];
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    /** A thread that is inside a call. */
    private static final class Waiter {
        private final Thread thread;
        private volatile Exception seen;

        Waiter(BoundaryChecks.Call call) throws InterruptedException {
            thread =
                    new Thread(
                            () -> {
                                try {
                                    call.run();
                                } catch (Exception e) {
                                    seen = e;
                                }
                            });
            thread.start();
            while (thread.getState() != Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            // Inside or on the way: both have to end alike. Mostly inside.
            Thread.sleep(50);
        }

        void endsClosed() throws InterruptedException {
            long begin = System.nanoTime();
            thread.join(5_000);
            check(!thread.isAlive(), "a call in flight does not end");
            check(millisSince(begin) < 2_000, "a call in flight ended after too long");
            check(
                    seen instanceof NativeException
                            && ((NativeException) seen).code() == ErrorCode.CLOSED,
                    "a call in flight ended with " + seen);
        }
    }
}
