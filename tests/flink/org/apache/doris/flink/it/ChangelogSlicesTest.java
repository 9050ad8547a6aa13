package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Slices by hash and by partition: every change is in exactly one, and a key's in their order. */
@Timeout(120)
class ChangelogSlicesTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();
    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @TempDir private Path savepoints;

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    private static String[] recorded() {
        return new String[] {"changelog.enable", "true", "changelog.need_historical_value", "true"};
    }

    /** Keys of two columns, NULL and empty ones among them. */
    private static ChangelogTable nullableKeys() {
        ChangelogTable table =
                ChangelogTable.of(
                        DORIS,
                        "a VARCHAR(20) NULL, b INT NULL, v INT",
                        "UNIQUE KEY(a, b) DISTRIBUTED BY HASH(a) BUCKETS 3",
                        recorded());
        table.run(
                "INSERT INTO T VALUES (NULL, NULL, 1), (NULL, 0, 2), ('', NULL, 3), ('', 0, 4),"
                        + " ('NULL', 0, 5), ('\u0001', 0, 6), ('中', -2147483648, 7)",
                "INSERT INTO T SELECT concat('k', number), number, number FROM numbers(\"number\" ="
                        + " \"300\")");
        DORIS.advanceClock(Duration.ofSeconds(2));
        return table;
    }

    private static Followed follow(ChangelogTable table, String columns, String slices)
            throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, "parallelism.default", "4");
        table.followed("from-timestamp", "source.scan.timestamp", table.createdAt())
                .columns(columns)
                .with("source.changelog.slices", slices)
                .create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "16"})
    void everyKeyIsInOneSliceOfAHash(String slices) throws Exception {
        ChangelogTable table = nullableKeys();
        Followed followed = follow(table, "a STRING, b INT, v INT", slices);
        followed.await(307);
        followed.awaitCheckpoint();
        assertThat(followed.rows()).containsExactlyInAnyOrderElementsOf(table.rows());
        Set<String> asked =
                table.windows(0).stream()
                        .map(query -> query.replaceAll("'[^']*'|\"[^\"]*\"", ""))
                        .collect(Collectors.toSet());
        assertThat(asked).as("one statement a slice").hasSize(Integer.parseInt(slices));
        followed.cancel();
    }

    @Test
    void incr14OrderPerKeyIsKeptOverWindows() throws Exception {
        ChangelogTable table =
                ChangelogTable.unique(DORIS, "id INT, name VARCHAR(50), age INT", recorded());
        Followed followed =
                follow(table, "id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED", "4");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        int rounds = 30;
        for (int round = 1; round <= rounds; round++) {
            StringBuilder rows = new StringBuilder();
            for (int id = 0; id < 20; id++) {
                rows.append(id == 0 ? "" : ", ").append("(" + id + ", 'x', " + round + ")");
            }
            table.run("INSERT INTO T VALUES " + rows);
        }
        followed.await(20 * (2 * rounds - 1));
        for (int id = 0; id < 20; id++) {
            String key = "[" + id + ", x, ";
            List<String> expected = new ArrayList<>(List.of("+I" + key + "1]"));
            for (int round = 2; round <= rounds; round++) {
                expected.add("-U" + key + (round - 1) + "]");
                expected.add("+U" + key + round + "]");
            }
            assertThat(followed.rows().stream().filter(row -> row.contains(key)))
                    .containsExactlyElementsOf(expected);
        }
        followed.cancel();
    }

    private static ChangelogTable partitioned() {
        return ChangelogTable.of(
                DORIS,
                "id INT, p INT, v INT",
                "UNIQUE KEY(id, p) PARTITION BY RANGE(p) (PARTITION p0 VALUES [(\"0\"), (\"1\")),"
                        + " PARTITION p1 VALUES [(\"1\"), (\"2\"))) DISTRIBUTED BY HASH(id) BUCKETS"
                        + " 2",
                recorded());
    }

    @Test
    void partitionsThatComeAndGoAreFollowed() throws Exception {
        ChangelogTable table =
                partitioned()
                        .run("INSERT INTO T VALUES (1, 0, 10)", "INSERT INTO T VALUES (2, 1, 20)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed followed = follow(table, "id INT, p INT, v INT", "partitions");
        followed.awaitAll("+I[1, 0, 10]", "+I[2, 1, 20]");
        table.run(
                "ALTER TABLE T ADD PARTITION p2 VALUES [(\"2\"), (\"3\"))",
                "INSERT INTO T VALUES (3, 2, 30)");
        followed.await(3);
        assertThat(followed.rows()).endsWith("+I[3, 2, 30]");
        followed.awaitCheckpoint();
        // The same name, but another partition: what the first held is no change.
        table.run(
                "ALTER TABLE T DROP PARTITION p1",
                "ALTER TABLE T ADD PARTITION p1 VALUES [(\"1\"), (\"2\"))",
                "INSERT INTO T VALUES (2, 1, 21)",
                "UPDATE T SET v = 11 WHERE id = 1");
        followed.await(6);
        assertThat(followed.rows().subList(3, 6))
                .containsExactlyInAnyOrder("+I[2, 1, 21]", "-U[1, 0, 10]", "+U[1, 0, 11]");
        var job = followed.job().getJobID();
        Until.holds(
                "the slice that left is counted", () -> FLINK.sum(job, "changelogSlicesGone") == 1);
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .contains(table.name())
                                        .containsIgnoringCase("partition"));
        followed.awaitCheckpoint();
        assertThat(followed.rows()).hasSize(6);
        followed.cancel();
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "4, 3", "partitions, 2", "3, partitions", "2, 1"})
    void anotherSchemeIsTakenUpAtARestore(String before, String after) throws Exception {
        ChangelogTable table = partitioned();
        for (int id = 0; id < 20; id++) {
            table.run(String.format("INSERT INTO T VALUES (%d, %d, 0)", id, id % 2));
        }
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed first = follow(table, "id INT, p INT, v INT", before);
        first.await(20);
        String path = first.stop(savepoints);
        for (int round = 1; round <= 3; round++) {
            table.run("UPDATE T SET v = " + round + " WHERE id >= 0");
        }
        StreamTableEnvironment sql =
                ChangelogJobs.restoring(FLINK, path, "parallelism.default", "3");
        table.followed("from-timestamp", "source.scan.timestamp", table.createdAt())
                .columns("id INT, p INT, v INT")
                .with("source.changelog.slices", after)
                .create(sql, "t");
        Followed second = first.again(sql, "SELECT * FROM t");
        second.await(140);
        table.run("UPDATE T SET v = 4 WHERE id >= 0");
        second.await(180);
        second.awaitCheckpoint();
        assertThat(second.rows()).hasSize(180);
        for (int id = 0; id < 20; id++) {
            String key = "[" + id + ", " + id % 2 + ", ";
            List<String> expected = new ArrayList<>(List.of("+I" + key + "0]"));
            for (int round = 1; round <= 4; round++) {
                expected.add("-U" + key + (round - 1) + "]");
                expected.add("+U" + key + round + "]");
            }
            assertThat(second.rows().stream().filter(row -> row.contains(key)))
                    .containsExactlyElementsOf(expected);
        }
        second.cancel();
    }

    @Test
    void readersWithoutSlicesAreIdle() throws Exception {
        ChangelogTable table = partitioned();
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, "parallelism.default", "4");
        DorisTable.of(DORIS, table.identifier())
                .columns(
                        "id INT, p INT, v INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'commit_time',"
                                + " WATERMARK FOR ts AS ts")
                .with("source.scan.mode", "from-timestamp")
                .with("source.scan.timestamp", table.createdAt())
                .with("source.changelog.poll-interval", "1 s")
                .with("source.changelog.increment-type", "append_only")
                .create(sql, "t");
        Followed followed =
                Followed.start(
                        sql,
                        "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1'"
                                + " SECOND)) GROUP BY window_start, window_end");
        table.run("INSERT INTO T VALUES (1, 0, 1)");
        DORIS.advanceClock(Duration.ofSeconds(3));
        table.run("INSERT INTO T VALUES (2, 0, 1)");
        // One slice, four readers: the window closes only when the other three hold nothing back.
        followed.await(1);
        assertThat(followed.rows()).containsExactly("+I[1]");
        followed.cancel();
    }
}
