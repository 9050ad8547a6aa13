package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

/** Where a new consumer starts: the four scan modes. */
@Timeout(90)
class ChangelogModesTest {

    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();
    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    private static StreamTableEnvironment streaming(String... configuration) {
        return ChangelogJobs.streaming(FLINK, configuration);
    }

    @Test
    void incr1InitialGivesTheContentAndThenTheChangesInOrder() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS)
                        .run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)");
        StreamTableEnvironment sql = streaming();
        table.followed("initial").create(sql, "t");
        // What lies in the second of the start comes twice: with the content, and as a change.
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitAll("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        table.awaitFollowed();
        table.run(
                "INSERT INTO T VALUES (3, 'Chen', 19)",
                "UPDATE T SET age = 22 WHERE id = 2",
                "DELETE FROM T WHERE id = 1");
        followed.await(6);
        assertThat(followed.rows().subList(2, 6))
                .containsExactly(
                        "+I[3, Chen, 19]", "-U[2, Bob, 21]", "+U[2, Bob, 22]", "-D[1, Alice, 18]");
        followed.cancel();
    }

    @Test
    void latestSkipsTheContentAndFollows() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        StreamTableEnvironment sql = streaming();
        table.followed("latest").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitCheckpoint();
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        followed.awaitInOrder("+I[2, Bob, 21]");
        followed.cancel();
    }

    @Test
    void fromTimestampIncludesItsSecond() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        String second = secondOf(2, table);
        DORIS.advanceClock(Duration.ofSeconds(2));
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        StreamTableEnvironment sql = streaming();
        table.followed("from-timestamp", "source.scan.timestamp", second).create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitInOrder("+I[2, Bob, 21]", "+I[3, Chen, 19]");
        followed.cancel();
    }

    @Test
    void aStartLaterThanTheNewestPositionFailsWithBothTimes() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        String now = DORIS.value("SELECT NOW()").substring(0, 19);
        String later = TEXT.format(LocalDateTime.parse(now, TEXT).plusHours(1));
        StreamTableEnvironment sql = streaming();
        table.followed("from-timestamp", "source.scan.timestamp", later).create(sql, "t");
        Failure failure = Followed.start(sql, "SELECT * FROM t").failure();
        assertThat(failure.text()).contains(later).contains("source.scan.timestamp");
        assertThat(table.windows(0)).isEmpty();
    }

    @Test
    void snapshotEndsAsBefore() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        StreamTableEnvironment sql = streaming();
        table.followed("snapshot").without("source.changelog.poll-interval").create(sql, "t");
        assertThat(FlinkCluster.texts(sql, "SELECT * FROM t")).containsExactly("+I[1, Alice, 18]");
        assertThat(table.windows(0)).isEmpty();
    }

    @Test
    void inSnapshotModeTheIncrementTypeIsOfNoAccountAndMetadataAreNull() throws Exception {
        ChangelogTable table =
                ChangelogTable.withoutHistory(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        StreamTableEnvironment sql = streaming();
        table.followed("snapshot", "source.changelog.increment-type", "min_delta")
                .columns(
                        "id INT, op STRING METADATA VIRTUAL, tso BIGINT METADATA VIRTUAL, lsn"
                                + " BIGINT METADATA VIRTUAL, commit_time TIMESTAMP_LTZ(3) METADATA"
                                + " VIRTUAL")
                .create(sql, "t");
        assertThat(FlinkCluster.texts(sql, "SELECT * FROM t"))
                .containsExactly("+I[1, null, null, null, null]");
    }

    @Test
    void incr5WithNothingNewCheckpointsGoOnAndNothingIsAsked() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        StreamTableEnvironment sql = streaming();
        table.followed("latest", "source.changelog.poll-interval", "1 h").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        for (int i = 0; i < 3; i++) {
            followed.awaitCheckpoint();
        }
        // The start and the first bound are two look-ups: a second may have passed between them.
        assertThat(table.windows(0)).hasSizeLessThanOrEqualTo(1);
        assertThat(followed.rows()).isEmpty();
        followed.cancel();
    }

    @Test
    void initialWithoutCheckpointsHandsOverWithAWarning() throws Exception {
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        StreamTableEnvironment sql =
                FLINK.streaming("restart-strategy.type", "none", "parallelism.default", "2");
        table.followed("initial").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitAll("+I[1, Alice, 18]");
        table.awaitFollowed();
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        followed.awaitInOrder("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        followed.cancel();
        assertThat(LOG.lines())
                .anySatisfy(line -> assertThat(line).startsWith("WARN").contains("checkpoint"));
    }

    @Test
    void aBatchJobIsToldWhichOptionMakesItEndless() {
        ChangelogTable table = ChangelogTable.students(DORIS);
        var sql = FLINK.batch();
        table.followed("latest").create(sql, "t");
        Failure failure = Failure.of(() -> sql.executeSql("SELECT * FROM t").await());
        assertThat(failure.text()).contains("source.scan.mode");
    }

    private static String secondOf(int id, ChangelogTable table) {
        String stamp =
                DORIS.value(
                        "SELECT __DORIS_CHANGELOG_TSO__ FROM "
                                + table
                                + "@incr('incrementType' = 'DETAIL') WHERE id = "
                                + id);
        long seconds = (Long.parseLong(stamp) >> 18) / 1000;
        return DORIS.value("SELECT FROM_UNIXTIME(" + seconds + ")").substring(0, 19);
    }
}
