package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** What rust/jni/tests/jvm.rs runs inside its JVM: the boundary as Java sees it. */
final class BoundaryChecks {
    static final int CONFIG = 1;
    static final int CLOSED = 11;
    static final int DATA = 9;
    static final int INTERNAL = 12;
    static final int PANIC = 13;

    private BoundaryChecks() {}

    /** Panics in a native method, in one of several ways. */
    static native int panic(int how) throws NativeException;

    /** Fails with a text beyond the basic plane, marked as worth trying again. */
    static native int fail() throws NativeException;

    /** Makes a plan that ends in a panic on a thread of the runtime. */
    static native long panickingPlan() throws NativeException;

    /** Makes a plan that never ends. */
    static native long endlessPlan() throws NativeException;

    /** Makes a plan that is there at once. */
    static native long readyPlan() throws NativeException;

    /** A batch of 5 rows with the header 1, 2, 3 and a body of so many bytes 0, 1, 2 … */
    static native long lendBatch(int body) throws NativeException;

    static native long lendRows(int rows) throws NativeException;

    /** Writes one log record. */
    static native void log();

    /** Something that may fail. */
    interface Call {
        void run() throws Exception;
    }

    /** Runs everything; throws at the first surprise. */
    static void run() throws Exception {
        versions();
        errors();
        panics();
        staleHandles();
        plans();
        batches();
        binaryRows();
        waits();
        WritingChecks.run();
        logs();
        check(
                Arrays.equals(Native.counters(), new long[8]),
                "counters " + Arrays.toString(Native.counters()));
    }

    private static void versions() {
        check(Native.abiVersion() == 7, "ABI");
        String version = new String(Native.version(), StandardCharsets.UTF_8);
        check(version.matches("\\d+\\.\\d+\\.\\d+"), version);
        check(Arrays.equals(Native.counters(), new long[8]), "counters at start");
        check(Native.drainLog(10) == null, "log at start");
        check(Native.drainLog(-1) == null, "negative count");
    }

    private static void errors() {
        NativeException e = expect(BoundaryChecks::fail, CONFIG);
        check(e.getMessage().equals("Doris said no: é世界😀\0"), e.getMessage());
        check(e.isRetryable(), "retryable");
        check(e.nativeTrace().isEmpty() && e.getCause() == null, "trace of an ordinary error");
        expect(() -> Native.planStart(null, true), CONFIG);
        expect(() -> Native.scanOpen(null), CONFIG);
        expect(() -> Native.planStart(new byte[] {0, 0}, true), CONFIG);
        expect(() -> Native.scanOpen(new byte[] {-1, -1, -1, -1, 0}), CONFIG);
        expect(() -> Native.scanStart(1, null, Long.MIN_VALUE, true), CONFIG);
    }

    private static void panics() {
        String[] texts = {
            "a plain text", "number 42", "index out of bounds", "a panic without text"
        };
        for (int how = 0; how < texts.length; how++) {
            int kind = how;
            NativeException e = expect(() -> panic(kind), PANIC);
            check(e.getMessage().contains(texts[how]), e.getMessage());
            check(
                    e.nativeTrace().contains("jvm.rs"),
                    "trace of '" + texts[how] + "': " + e.nativeTrace());
            check(e.getCause().getMessage().contains("jvm.rs"), "cause");
            check(!e.isRetryable(), "retryable");
        }
        while (Native.drainLog(100) != null) {
            // Panics are logged; not the subject here.
        }
    }

    private static void staleHandles() throws Exception {
        for (long wrong :
                new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 59, 3L << 59}) {
            expect(() -> Native.scanPoll(wrong, 10), CLOSED);
            expect(() -> Native.scanTake(wrong), CLOSED);
            expect(() -> Native.scanWake(wrong), CLOSED);
            expect(() -> Native.scanMetrics(wrong), CLOSED);
            expect(() -> Native.scanStart(wrong, new long[] {1}, Long.MIN_VALUE, true), CLOSED);
            byte[] question = TextMap.encode(Map.of("call", "table"));
            expect(() -> Native.changelogCall(wrong, question), CLOSED);
            Native.changelogClose(wrong);
            expect(() -> Native.planPoll(wrong, 10), CLOSED);
            expect(() -> Native.planResult(wrong), CLOSED);
            expect(() -> Native.batchRows(wrong), CLOSED);
            expect(() -> Native.batchHeader(wrong), CLOSED);
            expect(() -> Native.batchBody(wrong), CLOSED);
            expect(() -> Native.batchRowEnds(wrong), CLOSED);
            expect(() -> Native.batchEncode(wrong, 0, 1), CLOSED);
            check(!Native.batchRelease(wrong), "released a batch that is none");
            Native.scanClose(wrong);
            Native.planClose(wrong);
        }
        long plan = readyPlan();
        NativeException e = expect(() -> Native.scanPoll(plan, 0), CLOSED);
        check(e.getMessage().equals("a plan was given where a scan is needed"), e.getMessage());
        Native.scanClose(plan);
        check(Native.counters()[0] == 1, "a plan was closed as a scan");
        Native.planClose(plan);
        Native.planClose(plan);
        expect(() -> Native.planPoll(plan, 0), CLOSED);
    }

    private static void plans() throws Exception {
        long plan = readyPlan();
        check(Native.counters()[0] == 1, "one handle");
        check(Native.planPoll(plan, 5_000) == 0, "ready");
        check(Native.counters()[3] > 0, "a plan runs on the runtime");
        check(Native.planPoll(plan, 0) == 0, "still ready");
        byte[] bytes = Native.planResult(plan);
        check(bytes.length > 9 && bytes[0] == 1, "plan " + Arrays.toString(bytes));
        Native.planClose(plan);
        check(Native.counters()[3] == 0, "threads after the last close: " + Native.counters()[3]);

        long bad = panickingPlan();
        long good = readyPlan();
        NativeException e =
                expect(
                        () -> {
                            while (Native.planPoll(bad, 100) != 0) {
                                // Not there yet.
                            }
                        },
                        PANIC);
        check(e.getMessage().contains("boom 7"), e.getMessage());
        check(e.nativeTrace().contains("jvm.rs"), "trace from a task: " + e.nativeTrace());
        e = expect(() -> Native.planPoll(bad, 0), PANIC);
        check(
                e.getMessage().contains("cannot be used after")
                        && e.getMessage().contains("boom 7"),
                e.getMessage());
        check(Native.planPoll(good, 5_000) == 0, "another plan suffers");
        Native.planClose(bad);
        Native.planClose(good);
        while (Native.drainLog(100) != null) {
            // As above.
        }
    }

    private static void binaryRows() throws Exception {
        long batch = lendRows(5);
        expect(() -> Native.batchEncode(batch, 0, 1), INTERNAL);
        check(
                Arrays.equals(Native.batchRowEnds(batch), new int[] {16, 32, 48, 64, 80}),
                "ends of the rows");
        byte[] rows = Native.batchEncode(batch, 3, 2);
        check(rows.length == 32 && rows[1] == 1 && rows[17] == 1, "rows with one NULL each");
        check(Native.batchEncode(batch, 5, 0).length == 0, "no rows");
        for (int[] wrong :
                new int[][] {{0, 6}, {-1, 1}, {4, -1}, {Integer.MIN_VALUE, Integer.MAX_VALUE}}) {
            expect(() -> Native.batchEncode(batch, wrong[0], wrong[1]), DATA);
        }
        Native.batchRelease(batch);
        expect(() -> Native.batchRowEnds(batch), CLOSED);
        expect(() -> Native.batchEncode(batch, 0, 1), CLOSED);
        check(Native.counters()[1] == 0, "no live batch");
    }

    private static void batches() throws Exception {
        for (int size : new int[] {0, 1, 100_000}) {
            long batch = lendBatch(size);
            check(Native.counters()[1] == 1, "one live batch");
            check(Native.batchRows(batch) == 5, "rows");
            ByteBuffer header = Native.batchHeader(batch);
            ByteBuffer body = Native.batchBody(batch);
            check(
                    header.isDirect() && header.remaining() == 3 && header.get(2) == 3,
                    "header " + header);
            check(body.isDirect() && body.remaining() == size, "body " + body);
            for (int i = 0; i < size; i++) {
                check(body.get(i) == (byte) i, "byte " + i);
            }
            expect(() -> Native.scanTake(batch), CLOSED);
            expect(() -> Native.batchRowEnds(batch), INTERNAL);
            expect(() -> Native.batchEncode(batch, 0, 0), INTERNAL);
            check(Native.batchRelease(batch), "first release");
            check(!Native.batchRelease(batch), "second release");
            expect(() -> Native.batchBody(batch), CLOSED);
            check(Native.counters()[1] == 0, "no live batch");
        }
    }

    private static void waits() throws Exception {
        long plan = endlessPlan();
        expect(() -> Native.planResult(plan), INTERNAL);
        long begin = System.nanoTime();
        check(Native.planPoll(plan, 60) == 1, "timeout");
        long millis = (System.nanoTime() - begin) / 1_000_000;
        check(millis >= 55 && millis < 1_000, "a wait of 60 ms took " + millis);
        check(Native.planPoll(plan, 0) == 1 && Native.planPoll(plan, -5) == 1, "no wait");

        Exception[] seen = new Exception[1];
        Thread poller =
                new Thread(
                        () -> {
                            try {
                                Native.planPoll(plan, 60_000);
                            } catch (Exception e) {
                                seen[0] = e;
                            }
                        });
        poller.start();
        while (poller.getState() != Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
        Thread.sleep(50);
        begin = System.nanoTime();
        Native.planClose(plan);
        poller.join(5_000);
        millis = (System.nanoTime() - begin) / 1_000_000;
        check(!poller.isAlive() && millis < 2_000, "close freed a poll after " + millis + " ms");
        check(((NativeException) seen[0]).code() == ErrorCode.CLOSED, "poll ended with " + seen[0]);
    }

    private static void logs() {
        log();
        byte[] records = Native.drainLog(1);
        String text = new String(records, StandardCharsets.UTF_8);
        check(
                records[3] == 1
                        && records[4] == 2
                        && text.contains("doris_test")
                        && text.endsWith("ring 😀 n=3"),
                text);
        check(Native.drainLog(1) == null, "the ring is empty");
    }

    static NativeException expect(Call call, int code) {
        try {
            call.run();
        } catch (NativeException e) {
            check(e.code().number() == code, "code " + e.code() + " instead of " + code + ": " + e);
            return e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no exception; expected code " + code);
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
