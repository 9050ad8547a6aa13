package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What the server may do to a job that follows a table: its clock, its errors, changes of the
 * table.
 */
@Timeout(90)
class ChangelogServerTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--frontends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();
    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @TempDir private Path savepoints;
    private ChangelogTable table;

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void table() {
        table = ChangelogTable.students(DORIS);
    }

    private Followed start(String wait) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("latest", "source.changelog.visible-wait-timeout", wait).create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        Until.holds("it follows", () -> !table.windows(0).isEmpty() || followed.hasEnded());
        return followed;
    }

    @Test
    void incr4AClockThatWentBackIsWaitedFor() throws Exception {
        Followed followed = start("60 s");
        DORIS.turnClockBack(Duration.ofSeconds(4));
        Until.holds(
                "a warning tells of it",
                () ->
                        LOG.lines().stream()
                                .anyMatch(
                                        line ->
                                                line.startsWith("WARN")
                                                        && line.contains(table.name())
                                                        && line.contains("back")));
        DORIS.advanceClock(Duration.ofSeconds(5));
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        followed.awaitInOrder("+I[1, Alice, 18]");
        followed.cancel();
    }

    @Test
    void incr4AClockThatStaysBackFailsWithBothTimes() throws Exception {
        Followed followed = start("2 s");
        DORIS.turnClockBack(Duration.ofHours(1));
        Failure failure = followed.failure();
        DORIS.advanceClock(Duration.ofHours(1));
        assertThat(failure.text())
                .contains(table.name())
                .containsPattern(
                        "(?s)\\d{4}-\\d{2}-\\d{2}.\\d{2}:\\d{2}:\\d{2}.*\\d{4}-\\d{2}-\\d{2}.\\d{2}:\\d{2}:\\d{2}");
    }

    @Test
    void anyOtherErrorOfAWindowFailsAtOnce() throws Exception {
        Followed followed = start("60 s");
        long rule =
                DORIS.fault(
                        Fault.at("flight.get_info")
                                .table(table.name())
                                .statement("@incr")
                                .answer("something new went wrong"));
        Failure failure = followed.failure();
        assertThat(failure.text()).contains("something new went wrong");
        assertThat(DORIS.fired(rule)).as("asked once").isEqualTo(1);
    }

    @Test
    void aClusterWithoutFlightPortsIsRefusedWithTheSetting() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("latest")
                .with("source.flight-sql-port", String.valueOf(DORIS.port("fe", 0, "http")))
                .create(sql, "t");
        Failure failure = Followed.start(sql, "SELECT * FROM t").failure();
        assertThat(failure.text()).contains("source.flight-sql-port");
    }

    @Test
    void aColumnThatWasDroppedFailsWithItsName() throws Exception {
        Followed followed = start("60 s");
        table.run("ALTER TABLE T DROP COLUMN age", "INSERT INTO T (id, name) VALUES (1, 'Alice')");
        assertThat(followed.failure().text()).contains("age");
    }

    @Test
    void aNewColumnIsIgnored() throws Exception {
        Followed followed = start("60 s");
        table.run(
                "ALTER TABLE T ADD COLUMN city VARCHAR(20)",
                "INSERT INTO T (id, name, age, city) VALUES (1, 'Alice', 18, 'Ulm')");
        followed.awaitInOrder("+I[1, Alice, 18]");
        followed.cancel();
    }

    @Test
    void anotherTableUnderTheSameNameIsAnError() throws Exception {
        Followed followed = start("60 s");
        String path = followed.stop(savepoints);
        table.run(
                "DROP TABLE T",
                "CREATE TABLE T (id INT, name VARCHAR(50), age INT) UNIQUE KEY(id) DISTRIBUTED BY"
                        + " HASH(id) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\","
                        + " \"changelog.enable\" = \"true\", \"changelog.need_historical_value\" ="
                        + " \"true\")",
                "INSERT INTO T VALUES (1, 'Alice', 18)");
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        table.followed("latest").create(sql, "t");
        Followed again = followed.again(sql, "SELECT * FROM t");
        assertThat(again.failure().text()).contains(table.name()).contains("another one");
        assertThat(again.rows()).isEmpty();
    }

    @Test
    void frontAndBackEndsThatStopAreLeftForOthers() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, ChangelogJobs.restarting());
        table.followed("latest").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        DORIS.post("/frontends/1/stop");
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        followed.awaitInOrder("+I[1, Alice, 18]");
        DORIS.post("/frontends/1/start");
        DORIS.post("/backends/0/stop");
        DORIS.post("/backends/0/start");
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        followed.awaitInOrder("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        followed.cancel();
    }

    @Test
    void queriesOfWindowsDoNotOverlap() throws Exception {
        Followed followed = start("60 s");
        for (int i = 0; i < 3; i++) {
            table.run("INSERT INTO T VALUES (" + i + ", 'x', 1)");
            followed.await(i + 1);
        }
        followed.cancel();
        List<String> windows = table.windows(0);
        String end = null;
        for (String window : windows) {
            String start = window.replaceAll("(?s).*startTimestamp\\W+([-0-9]+ [:0-9]+).*", "$1");
            if (end != null) {
                assertThat(start).isEqualTo(end);
            }
            end = window.replaceAll("(?s).*endTimestamp\\W+([-0-9]+ [:0-9]+).*", "$1");
            assertThat(end).isGreaterThan(start);
        }
    }
}
