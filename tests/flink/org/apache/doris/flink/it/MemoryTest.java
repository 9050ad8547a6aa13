package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.config.ConfigFixture;
import org.apache.doris.flink.jni.NativeCounters;
import org.apache.doris.flink.jni.NativeScan;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** Native memory of a reader stays within its buffer, and none is lost over time. */
@Timeout(120)
class MemoryTest {

    private static final int ROWS = 100_000;
    private static final int TEXT = 500;
    private static final int BATCH_ROWS = 500;

    /** A batch is about 250 KB; this leaves room for what surrounds the rows. */
    private static final long BATCH_BYTES = 320 * 1024;

    private static final long BUFFER_BYTES = 1024 * 1024;

    private static final AtomicLong MOST_BYTES = new AtomicLong();
    private static final Semaphore ROWS_ALLOWED = new Semaphore(0);

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--backends", "2", "--set", "flight_piece_bytes=" + (128 << 20));

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.t (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k)"
                        + " BUCKETS 4 PROPERTIES (\"replication_num\" = \"1\")",
                String.format(
                        "INSERT INTO test.t SELECT number, repeat('x', %d) FROM numbers(\"number\""
                                + " = \"%d\")",
                        TEXT, ROWS));
    }

    @Test
    void aSlowConsumerHoldsTheReadersAtTheirBuffers() throws Exception {
        int readers = 2;
        long limit = readers * (BUFFER_BYTES + BATCH_BYTES);
        StreamTableEnvironment sql =
                FLINK.streaming("parallelism.default", String.valueOf(readers));
        table().create(sql, "t");
        MOST_BYTES.set(0);
        ROWS_ALLOWED.drainPermits();
        JobClient job =
                Streams.start(sql, "SELECT k, v FROM t", rows -> rows.map(MemoryTest::takeSlowly));

        Until.holds("the buffers are full", () -> NativeCounters.nativeBytes() > limit / 2);
        for (int step = 0; step < 20; step++) {
            long served = DORIS.stat("rows_served");
            ROWS_ALLOWED.release(4 * BATCH_ROWS);
            Until.holds("rows follow", () -> DORIS.stat("rows_served") > served);
            assertThat(NativeCounters.nativeBytes()).isLessThanOrEqualTo(limit);
        }
        ROWS_ALLOWED.release(ROWS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.FINISHED);
        assertThat(MOST_BYTES.get()).isBetween(BUFFER_BYTES / 2, limit);
    }

    private static Long takeSlowly(Row row) throws InterruptedException {
        ROWS_ALLOWED.acquire();
        MOST_BYTES.accumulateAndGet(NativeCounters.nativeBytes(), Math::max);
        return (Long) row.getField(0);
    }

    @Test
    void theMostThatAReaderEverHeldIsItsBufferAndOneBatch() throws Exception {
        long tablet = DORIS.tablets("test", "t").get(0);
        try (NativeScan scan = NativeScan.open(config())) {
            scan.start(new long[] {tablet});
            Until.holds(
                    "the buffer is full",
                    () -> scan.metrics().heldBytes() > BUFFER_BYTES - BATCH_BYTES);
            assertThat(drain(scan)).isEqualTo(count(tablet));
            assertThat(scan.metrics().maxHeldBytes())
                    .isBetween(BUFFER_BYTES - BATCH_BYTES, BUFFER_BYTES + BATCH_BYTES);
            assertThat(scan.metrics().heldBytes()).isZero();
        }
    }

    @Test
    void aBatchThatIsLargerThanTheBufferStillPasses() throws Exception {
        TableEnvironment sql = FLINK.batch("table.exec.resource.default-parallelism", "2");
        table().with("source.read-buffer-size", "1b").create(sql, "t");
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(v), SUM(CHAR_LENGTH(v)) FROM t"))
                .containsExactly(Row.of((long) ROWS, ROWS * TEXT));
    }

    @Test
    void aBatchOfManyMegabytesPasses() throws Exception {
        int rows = 4064;
        DORIS.run(
                "CREATE TABLE test.light (k BIGINT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS"
                        + " 1 PROPERTIES (\"replication_num\" = \"1\")",
                String.format(
                        "INSERT INTO test.light SELECT number FROM numbers(\"number\" = \"%d\")",
                        rows),
                // Wider than what a tablet keeps in one piece.
                "CREATE VIEW test.heavy AS SELECT k, repeat('x', 16000) AS v FROM test.light");
        TableEnvironment sql = FLINK.batch("table.exec.resource.default-parallelism", "2");
        DorisTable.of(DORIS, "test.heavy").columns("k BIGINT, v STRING").create(sql, "heavy");
        long batches = DORIS.stat("batches_served");
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(v), SUM(CHAR_LENGTH(v)) FROM heavy"))
                .containsExactly(Row.of((long) rows, rows * 16000));
        assertThat(DORIS.stat("batches_served") - batches)
                .as("look at the columns, rows")
                .isLessThan(5);
    }

    @Test
    void memoryIsFlatOverAHundredScans() throws Exception {
        List<Long> tablets = DORIS.tablets("test", "t");
        byte[] config = config();
        long settled = 0;
        for (int i = 0; i < 100; i++) {
            try (NativeScan scan = NativeScan.open(config)) {
                scan.start(new long[] {tablets.get(i % tablets.size())});
                drain(scan);
            }
            NothingLeft.check(DORIS);
            if (i == 30) {
                settled = residentBytes();
            }
        }
        // The scans after the 30th moved some 900 MB.
        assertThat(residentBytes() - settled).isLessThan(48L << 20);
    }

    private static DorisTable table() {
        return DorisTable.of(DORIS, "test.t")
                .columns("k BIGINT, v STRING")
                .with("doris.batch.size", String.valueOf(BATCH_ROWS))
                .with("source.read-buffer-size", BUFFER_BYTES + "b");
    }

    private static long count(long tablet) {
        return Long.parseLong(DORIS.value("SELECT COUNT(*) FROM test.t TABLET(" + tablet + ")"));
    }

    /** Reads a split to its end. */
    private static long drain(NativeScan scan) throws Exception {
        long rows = 0;
        while (true) {
            switch (scan.poll(100)) {
                case READY:
                    IpcBatch batch = scan.take();
                    rows += batch.rows();
                    batch.release();
                    break;
                case END:
                    return rows;
                default:
                    break;
            }
        }
    }

    /** Bytes of this process that are in memory. */
    private static long residentBytes() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        throw new IOException("no RssAnon in /proc/self/status");
    }

    /** A scan as the native library takes it. */
    private static byte[] config() throws IOException {
        Map<String, String> map = ConfigFixture.read("read-default");
        map.keySet().removeIf(key -> key.startsWith("read.column"));
        map.put("fenodes", DORIS.fenodes());
        map.put("table.database", "test");
        map.put("table.name", "t");
        map.put("doris.request.retries", "0");
        map.put("doris.request.connect.timeout", "10000");
        map.put("doris.request.read.timeout", "10000");
        map.put("doris.request.query.timeout", "60000");
        map.put("doris.batch.size", String.valueOf(BATCH_ROWS));
        map.put("source.read-buffer-size", String.valueOf(BUFFER_BYTES));
        map.put("read.declared", "ROW<`k` BIGINT, `v` VARCHAR(2147483647)>");
        map.put("read.columns", "2");
        map.put("read.column.0.path", "`k`");
        map.put("read.column.0.type", "BIGINT");
        map.put("read.column.1.path", "`v`");
        map.put("read.column.1.type", "VARCHAR(2147483647)");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(map.size());
        for (Map.Entry<String, String> entry : map.entrySet()) {
            for (String text : List.of(entry.getKey(), entry.getValue())) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(utf8.length);
                out.write(utf8);
            }
        }
        return bytes.toByteArray();
    }
}
