package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Watermarks per slice: slices that are far ahead wait, and silent ones hold nothing up. */
@Timeout(120)
class ChangelogWatermarksTest {

    private static final String COLUMNS = "id INT, p INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts";
    private static final int ROWS = 120;

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    private static ChangelogTable partitioned() {
        return ChangelogTable.of(
                DORIS,
                "id INT, p INT, ts DATETIME(3)",
                "DUPLICATE KEY(id) PARTITION BY RANGE(p) (PARTITION p0 VALUES [(\"0\"), (\"1\")),"
                        + " PARTITION p1 VALUES [(\"1\"), (\"2\"))) DISTRIBUTED BY HASH(id)"
                        + " BUCKETS 2",
                "changelog.enable",
                "true");
    }

    /** One row a minute in one partition, each in a second and so in a window of its own. */
    private static void insert(ChangelogTable table, int partition, int rows) {
        for (int row = 0; row < rows; row++) {
            table.run(
                    String.format(
                            "INSERT INTO T VALUES (%d, %d, '2026-01-01 %02d:%02d:00')",
                            row, partition, row / 60, row % 60));
            DORIS.advanceClock(Duration.ofSeconds(1));
        }
    }

    private static DorisTable slices(ChangelogTable table) {
        return table.followed("from-timestamp", "source.scan.timestamp", table.createdAt())
                .columns(COLUMNS)
                .with("source.changelog.slices", "partitions")
                .with("source.changelog.max-window", "1 s");
    }

    /**
     * The partition that is read ahead has to wait for the other one again and again; it does, and
     * no row is lost or doubled by it.
     */
    @Test
    void alignedSlicesWaitForEachOtherAndLoseNothing() throws Exception {
        ChangelogTable table = partitioned();
        insert(table, 0, ROWS);
        insert(table, 1, ROWS);
        for (String parallelism : List.of("1", "2")) {
            StreamTableEnvironment sql =
                    ChangelogJobs.streaming(FLINK, "parallelism.default", parallelism);
            slices(table)
                    .with("scan.watermark.alignment.group", "g")
                    .with("scan.watermark.alignment.max-drift", "5 min")
                    .with("scan.watermark.alignment.update-interval", "20 ms")
                    .create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT id, p FROM t");
            followed.await(2 * ROWS);
            followed.awaitCheckpoint();
            assertThat(followed.rows())
                    .as("parallelism " + parallelism)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 2 * ROWS)
                                    .mapToObj(i -> "+I[" + i / 2 + ", " + i % 2 + "]")
                                    .collect(Collectors.toList()));
            followed.cancel();
        }
    }

    @Test
    void aSilentSliceHoldsNoWindowOpenWhereIdlenessIsSet() throws Exception {
        ChangelogTable table = partitioned();
        insert(table, 0, 5);
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, "parallelism.default", "1");
        slices(table).with("scan.watermark.idle-timeout", "200 ms").create(sql, "t");
        Followed followed =
                Followed.start(
                        sql,
                        "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts),"
                                + " INTERVAL '1' MINUTE)) GROUP BY window_start, window_end");
        followed.await(4);
        assertThat(followed.rows())
                .startsWith("+I[2026-01-01T00:00, 1]", "+I[2026-01-01T00:01, 1]");
        followed.cancel();
    }
}
