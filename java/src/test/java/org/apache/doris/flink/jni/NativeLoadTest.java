package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.arrow.writer.BatchWriter;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Rows through the boundary into a stand-in server, with two-phase commit, and read back. */
@EnabledIfSystemProperty(named = "doris.standin.binary", matches = ".+")
@ExtendWith(NoLeaks.class)
@Timeout(120)
class NativeLoadTest {
    private static final String TABLES =
            TypedRows.TABLE
                    + "CREATE TABLE test.keyed (id BIGINT, name STRING) UNIQUE KEY(id) DISTRIBUTED"
                    + " BY HASH(id) BUCKETS 2 PROPERTIES ('replication_num' = '1');\n";
    private static final RowType KEYED =
            TypedRows.named("id name", new BigIntType(), VarCharType.STRING_TYPE);
    private static final String HELD = "{\"at\":\"be.load.body\",\"do\":{\"hold\":true}}";

    @RegisterExtension final StandinProcess standin = new StandinProcess(TABLES);

    @ParameterizedTest
    @ValueSource(strings = {"arrow", "json", "csv"})
    void rowsOfAllTypesAreLoadedCommittedAndReadBack(String format) throws Exception {
        int count = 400;
        TestSink config = new TestSink(standin.fenodes()).property("format", format);
        Map<Long, RowData> expected = new TreeMap<>();
        try (NativeSink sink = NativeSink.open(config.bytes());
                NativeLoad load = sink.openLoad(spec("typed", TypedRows.TYPE, false))) {
            BatchWriter batch = new BatchWriter(TypedRows.TYPE, false);
            for (int i = 0; i < count; i++) {
                RowData row = TypedRows.row(i);
                expected.put(
                        (long) i, new RowDataSerializer(TypedRows.TYPE).toBinaryRow(row).copy());
                write(load, batch, row, 0);
            }
            Map<String, String> outcome = finish(load, batch);
            assertThat(outcome)
                    .containsEntry("label", "boundary_typed_0")
                    .containsEntry("next", "1")
                    .containsEntry("status", "Success")
                    .containsEntry("rows", String.valueOf(count))
                    .containsEntry("loaded.rows", String.valueOf(count))
                    .containsEntry("filtered.rows", "0")
                    .containsEntry("skipped.count", "0");
            assertThat(state(sink, "boundary_typed_0")).isEqualTo("PRECOMMITTED");
            assertThat(read("typed", TypedRows.TYPE)).isEmpty();

            assertThat(TestSink.ask(sink, TestSink.commit("typed", outcome)))
                    .containsEntry("outcome", "committed")
                    .containsEntry("retries", "0");
            assertThat(TestSink.ask(sink, TestSink.commit("typed", outcome)))
                    .containsEntry("outcome", "already");
            assertThat(state(sink, "boundary_typed_0")).isEqualTo("VISIBLE");
            assertThat(read("typed", TypedRows.TYPE)).containsExactlyEntriesOf(expected);

            SinkMetrics metrics = sink.metrics();
            assertThat(metrics.rows()).isEqualTo(count);
            assertThat(metrics.loadsSucceeded()).isEqualTo(1);
            assertThat(metrics.attemptsFailed()).isZero();
            assertThat(metrics.maxHeldBytes()).isPositive();
            assertThat(metrics.encodedBytes()).isPositive();
            assertThat(metrics.sentBytes()).isPositive();
            StandinProcess.await(
                    () -> "native bytes after the load: " + NativeCounters.nativeBytes(),
                    () -> NativeCounters.nativeBytes() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"arrow", "json", "csv"})
    void deletesReachAUniqueTable(String format) throws Exception {
        TestSink config = new TestSink(standin.fenodes()).property("format", format);
        try (NativeSink sink = NativeSink.open(config.bytes());
                NativeLoad load = sink.openLoad(spec("keyed", KEYED, true))) {
            Map<String, String> table = TestSink.call("table", "");
            table.put("table", "keyed");
            table.put("declared", KEYED.asSerializableString());
            table.put("delete-sign", "true");
            assertThat(TestSink.ask(sink, table))
                    .containsEntry("keys", "UNIQUE_KEYS")
                    .containsEntry("delete.sign", "true")
                    .containsEntry("key.fields", "0");
            BatchWriter batch = new BatchWriter(KEYED, true);
            write(load, batch, GenericRowData.of(1L, StringData.fromString("one")), 0);
            write(load, batch, GenericRowData.of(2L, StringData.fromString("two")), 0);
            write(load, batch, GenericRowData.of(1L, null), 1);
            Map<String, String> outcome = finish(load, batch);
            TestSink.ask(sink, TestSink.commit("keyed", outcome));
            assertThat(read("keyed", KEYED).keySet()).containsExactly(2L);
        }
    }

    @Test
    void bytesOfAUserAreLoadedAsTheyAre() throws Exception {
        TestSink config = new TestSink(standin.fenodes()).property("column_separator", ",");
        try (NativeSink sink = NativeSink.open(config.bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("keyed"))) {
            for (String lines : List.of("7,seven\n8,eight\n", "9,nine\n")) {
                byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
                load.acquire(100, 10_000).put(bytes);
                load.submit(lines.split("\n").length, new long[] {bytes.length});
            }
            load.finish();
            assertThat(load.await(30_000)).isTrue();
            assertThat(load.result()).containsEntry("rows", "3").containsEntry("loaded.rows", "3");
            TestSink.ask(sink, TestSink.commit("keyed", load.result()));
            assertThat(read("keyed", KEYED).keySet()).containsExactly(7L, 8L, 9L);
        }
    }

    @Test
    void whatTheServerRefusesFailsTheLoadForGood() throws Exception {
        TestSink config = new TestSink(standin.fenodes()).property("column_separator", ",");
        try (NativeSink sink = NativeSink.open(config.bytes());
                NativeLoad load = sink.openLoad(TestSink.raw("keyed"))) {
            load.acquire(10, 10_000).put("not,1,row\n".getBytes(StandardCharsets.UTF_8));
            load.submit(1, new long[] {10});
            load.finish();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> load.await(30_000))
                        .isInstanceOfSatisfying(
                                NativeException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.LOAD))
                        .hasMessageContainingAll(
                                "boundary_keyed_0", "1 filtered", "src line [not,1,row]");
            }
            assertThat(sink.metrics().attemptsFailed()).isPositive();
        }
        assertThat(read("keyed", KEYED)).isEmpty();
    }

    @Test
    void aDamagedBatchIsRefusedBeforeItIsSent() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(standin.fenodes()).bytes())) {
            // All but 6 and 7: where a buffer without bytes lies plays no part.
            for (int damaged : new int[] {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15}) {
                Map<String, String> spec = spec("keyed", KEYED, false);
                spec.put("labels.base", "damaged_" + damaged + "_");
                try (NativeLoad load = sink.openLoad(spec)) {
                    BatchWriter batch = new BatchWriter(KEYED, false);
                    batch.write(GenericRowData.of(1L, StringData.fromString("one")), (byte) 0);
                    long[] layout = batch.seal(load.acquire(batch.bytes(), 10_000));
                    layout[damaged] += 1 << damaged;
                    load.submit(1, layout);
                    load.finish();
                    assertThatThrownBy(() -> load.await(30_000))
                            .as("number %d", damaged)
                            .isInstanceOfSatisfying(
                                    NativeException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA));
                }
            }
        }
        assertThat(read("keyed", KEYED)).isEmpty();
    }

    @Test
    void abortsAreDoneOrSayWhyNot() throws Exception {
        try (NativeSink sink = NativeSink.open(new TestSink(standin.fenodes()).bytes())) {
            assertThat(TestSink.ask(sink, TestSink.abort("nobody")))
                    .containsEntry("0.outcome", "not-found");
            assertThat(state(sink, "nobody")).isEqualTo("UNKNOWN");
            Map<String, String> outcome = loadOne(sink, "0");
            assertThat(TestSink.ask(sink, TestSink.abort(outcome.get("label"))))
                    .containsEntry("0.outcome", "aborted");
            assertThat(state(sink, outcome.get("label"))).isEqualTo("ABORTED");
            assertThatThrownBy(() -> TestSink.ask(sink, TestSink.commit("keyed", outcome)))
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));

            Map<String, String> second = loadOne(sink, "1");
            TestSink.ask(sink, TestSink.commit("keyed", second));
            assertThat(TestSink.ask(sink, TestSink.abort(second.get("label"))))
                    .containsEntry("0.outcome", "finished");
        }
    }

    @Test
    void cancelWhileTheServerHoldsGivesEverythingBack() throws Exception {
        standin.admin("POST", "/faults", HELD);
        long begin;
        try (NativeSink sink = NativeSink.open(new TestSink(standin.fenodes()).bytes());
                NativeLoad load = sink.openLoad(spec("keyed", KEYED, false))) {
            CompletableFuture<Long> writer =
                    CompletableFuture.supplyAsync(() -> writeUntilClosed(load));
            // Nothing moves any more: what the sockets take is in, the ring is full.
            StandinProcess.await(
                    () -> "the writer is never held: " + metrics(sink).rows(),
                    () -> {
                        long before = metrics(sink).rows();
                        Thread.sleep(300);
                        return before > 0 && metrics(sink).rows() == before;
                    });
            assertThat(metrics(sink).openConnections()).isEqualTo(1);
            begin = System.nanoTime();
            load.close();
            assertThat(writer.get(5, TimeUnit.SECONDS)).isPositive();
            StandinProcess.await(
                    () -> "native bytes: " + NativeCounters.nativeBytes(),
                    () ->
                            NativeCounters.nativeBytes() == 0
                                    && metrics(sink).openConnections() == 0);
        }
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)).isLessThan(2_000);
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.runtimeThreads()).isZero();
        standin.admin("DELETE", "/faults", "");
        assertThat(read("keyed", KEYED)).isEmpty();
    }

    @Test
    void loadAfterLoadHoldsNothing() throws Exception {
        byte[] config = new TestSink(standin.fenodes()).bytes();
        for (int i = 0; i < 30; i++) {
            try (NativeSink sink = NativeSink.open(config)) {
                Map<String, String> outcome = loadOne(sink, String.valueOf(i));
                TestSink.ask(sink, TestSink.commit("keyed", outcome));
            }
            assertThat(NativeCounters.openHandles()).isZero();
            assertThat(NativeCounters.nativeBytes()).isZero();
            assertThat(NativeCounters.runtimeThreads()).isZero();
        }
        assertThat(read("keyed", KEYED)).hasSize(1);
    }

    private static SinkMetrics metrics(NativeSink sink) {
        try {
            return sink.metrics();
        } catch (NativeException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes until the load is closed; returns the number of rows. */
    private static long writeUntilClosed(NativeLoad load) {
        BatchWriter batch = new BatchWriter(KEYED, false);
        StringData text = StringData.fromString("x".repeat(100));
        for (long i = 0; ; i++) {
            try {
                write(load, batch, GenericRowData.of(i, text), 0);
            } catch (NativeException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CLOSED);
                return i;
            }
        }
    }

    private static Map<String, String> loadOne(NativeSink sink, String next)
            throws NativeException {
        Map<String, String> spec = spec("keyed", KEYED, false);
        spec.put("labels.next", next);
        try (NativeLoad load = sink.openLoad(spec)) {
            BatchWriter batch = new BatchWriter(KEYED, false);
            write(load, batch, GenericRowData.of(1L, StringData.fromString("one")), 0);
            return finish(load, batch);
        }
    }

    private static void write(NativeLoad load, BatchWriter batch, RowData row, int sign)
            throws NativeException {
        batch.write(row, (byte) sign);
        if (batch.isFull(4096)) {
            submit(load, batch);
        }
    }

    private static void submit(NativeLoad load, BatchWriter batch) throws NativeException {
        int rows = batch.rows();
        ByteBuffer body = null;
        while (body == null) {
            body = load.acquire(batch.bytes(), 10_000);
        }
        load.submit(rows, batch.seal(body));
    }

    private static Map<String, String> finish(NativeLoad load, BatchWriter batch)
            throws NativeException {
        if (batch.rows() > 0) {
            submit(load, batch);
        }
        load.finish();
        assertThat(load.await(60_000)).isTrue();
        return load.result();
    }

    private static String state(NativeSink sink, String label) throws NativeException {
        return TestSink.ask(sink, TestSink.call("state", label)).get("state");
    }

    private static Map<String, String> spec(String table, RowType type, boolean deleteSign) {
        return TestSink.rows(table, type.asSerializableString(), deleteSign);
    }

    /** The rows of a table by their first column, in Flink's binary form. */
    private Map<Long, RowData> read(String table, RowType type) throws NativeException {
        TestConfig config = standin.config().with("table.name", table);
        config.with("read.declared", type.asSerializableString());
        config.with("read.columns", String.valueOf(type.getFieldCount()));
        for (int i = 0; i < type.getFieldCount(); i++) {
            config.with("read.column." + i + ".path", "`" + type.getFieldNames().get(i) + "`");
            config.with("read.column." + i + ".type", type.getTypeAt(i).asSerializableString());
        }
        RowDataSerializer serializer = new RowDataSerializer(type);
        Map<Long, RowData> rows = new HashMap<>();
        try (NativeScan scan = NativeScan.open(config.bytes())) {
            scan.start(new long[0]);
            NativeScan.Poll found;
            while ((found = scan.poll(30_000)) != NativeScan.Poll.END) {
                assertThat(found).isEqualTo(NativeScan.Poll.READY);
                IpcBatch batch = scan.take();
                ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(type, batch));
                for (int i = 0; i < batch.rows(); i++) {
                    row.setRowId(i);
                    RowData copy = serializer.toBinaryRow(row).copy();
                    assertThat(rows.put(copy.getLong(0), copy)).isNull();
                }
                batch.release();
            }
        }
        return new TreeMap<>(rows);
    }
}
