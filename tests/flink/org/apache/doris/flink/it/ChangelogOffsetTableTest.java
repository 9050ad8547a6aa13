package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Collectors;

/** The table of positions: what is written to it and when, and what a start makes of it. */
@Timeout(120)
class ChangelogOffsetTableTest {

    private static final String CONSUMER = "student-sync";
    private static final DateTimeFormatter TEXT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    @RegisterExtension
    static final Standin DORIS = Standin.with("--backends", "2", "--time-zone", "+08:00");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @TempDir private Path savepoints;
    private ChangelogTable table;

    @BeforeAll
    static void databases() {
        DORIS.run("CREATE DATABASE test", "CREATE DATABASE ops");
    }

    @BeforeEach
    void tables() {
        offsets("UNIQUE");
        table =
                ChangelogTable.students(DORIS)
                        .run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)");
        DORIS.advanceClock(Duration.ofSeconds(2));
    }

    private static void offsets(String model) {
        DORIS.run(
                "DROP TABLE IF EXISTS ops.offsets",
                "CREATE TABLE ops.offsets (consumer_id VARCHAR(256) NOT NULL, offset_timestamp"
                        + " DATETIME NOT NULL, update_time DATETIMEV2(3) NOT NULL) "
                        + model
                        + " KEY(consumer_id) DISTRIBUTED BY HASH(consumer_id) BUCKETS 1 PROPERTIES"
                        + " (\"replication_num\" = \"1\")");
    }

    private DorisTable followed(String mode) {
        return table.followed(mode)
                .with("jdbc-url", "jdbc:mysql://127.0.0.1:" + DORIS.port("fe", 0, "mysql"))
                .with("source.changelog.offset-table", "ops.offsets")
                .with("source.changelog.consumer-id", CONSUMER);
    }

    private Followed start(String mode) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        followed(mode).create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    /** The published position; empty when there is none. */
    private static List<String> published() {
        return DORIS
                .sql(
                        "SELECT offset_timestamp FROM ops.offsets WHERE consumer_id = '"
                                + CONSUMER
                                + "'")
                .stream()
                .map(row -> row.get(0))
                .collect(Collectors.toList());
    }

    private static void publish(String position) {
        DORIS.run(
                "INSERT INTO ops.offsets VALUES ('" + CONSUMER + "', '" + position + "', NOW(3))");
    }

    private static String now() {
        return DORIS.value("SELECT NOW()").substring(0, 19);
    }

    private static void awaitPublished() throws Exception {
        Until.holds("a position is published", () -> !published().isEmpty());
    }

    @Test
    void thePositionIsPublishedAfterTheHandOverInTheAccountsZone() throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Followed followed = start("initial");
        Until.holds("the content is being read", () -> DORIS.holding(rule) > 0);
        followed.awaitCheckpoint();
        assertThat(published()).as("while the content is read").isEmpty();
        String before = now();
        DORIS.clearFault(rule);
        followed.await(2);
        awaitPublished();
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        String inserted = now();
        followed.await(3);
        Until.holds(
                "the position has passed the insert",
                () -> published().get(0).compareTo(inserted) > 0);
        assertThat(published().get(0))
                .matches("\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}(\\.0+)?")
                .isGreaterThan(before.substring(0, 10))
                .isLessThanOrEqualTo(now());
        String first = published().get(0);
        Until.holds("it goes on", () -> published().get(0).compareTo(first) > 0);
        followed.cancel();
    }

    @Test
    void statementsAreSelectAndInsertAlone() throws Exception {
        long mark = DORIS.mark();
        Followed followed = start("latest");
        awaitPublished();
        followed.cancel();
        List<String> statements =
                DORIS.journal(mark).stream()
                        .map(entry -> String.valueOf(entry.get("statement")))
                        .filter(statement -> statement.contains("`offsets`"))
                        .collect(Collectors.toList());
        assertThat(statements)
                .isNotEmpty()
                .allSatisfy(
                        statement ->
                                assertThat(statement)
                                        .matches("(?is)\\s*(/\\*.*\\*/)?\\s*(SELECT|INSERT).*"));
    }

    @Test
    void incr9ARowWinsOverTheScanModeAndIsIncluded() throws Exception {
        String second = secondOfInsert("(3, 'Chen', 19)");
        publish(second);
        long mark = DORIS.mark();
        Followed followed = start("initial");
        followed.awaitInOrder("+I[3, Chen, 19]");
        assertThat(DORIS.queries(mark, "TABLET")).as("the content is skipped").isEmpty();
        followed.cancel();
    }

    @Test
    void incr9ACheckpointWinsOverTheRow() throws Exception {
        Followed first = start("initial");
        first.await(2);
        table.awaitFollowed();
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        first.await(3);
        String path = first.stop(savepoints);
        table.run("INSERT INTO T VALUES (4, 'Dana', 24)");
        publish("2020-01-01 00:00:00");
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        followed("initial").create(sql, "t");
        Followed second = first.again(sql, "SELECT * FROM t");
        assertThat(second.await(4)).endsWith("+I[4, Dana, 24]").hasSize(4);
        Until.holds("the row is written over", () -> !published().get(0).startsWith("2020-01-01"));
        second.cancel();
    }

    @Test
    void aJobWithoutACheckpointResumesFromItsRow() throws Exception {
        Followed first = start("initial");
        first.await(2);
        // What lies behind the published position may come again.
        String read = now();
        Until.holds(
                "a position behind the content is published",
                () -> !published().isEmpty() && published().get(0).compareTo(read) > 0);
        first.cancel();
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        Followed second = start("initial");
        second.await(1);
        assertThat(second.rows()).containsExactly("+I[3, Chen, 19]");
        second.cancel();
    }

    @Test
    void incr11AFailingWriteIsTriedAgainWhileTheJobGoesOn() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("mysql.query")
                                .statement("INSERT INTO `ops`.`offsets`")
                                .answer("no writes today"));
        Followed followed = start("latest");
        Until.holds("a write has failed twice", () -> DORIS.fired(rule) >= 2);
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        followed.awaitInOrder("+I[3, Chen, 19]");
        followed.awaitCheckpoint();
        assertThat(published()).isEmpty();
        assertThat(FLINK.sum(followed.job().getJobID(), "offsetPublishFailures")).isPositive();
        DORIS.clearFault(rule);
        awaitPublished();
        followed.cancel();
    }

    @Test
    void aWriteThatHangsHoldsUpNoCheckpoint() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("mysql.query").statement("INSERT INTO `ops`.`offsets`").hold());
        Followed followed = start("latest");
        Until.holds("a write hangs", () -> DORIS.holding(rule) > 0);
        followed.awaitCheckpoint();
        long begun = System.nanoTime();
        followed.cancel();
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("the last attempt takes five seconds at most")
                .isLessThan(Duration.ofSeconds(10));
        DORIS.clearFault(rule);
    }

    @Test
    void thePublishedPositionNeverRunsAheadOfACheckpoint() throws Exception {
        StreamTableEnvironment sql =
                ChangelogJobs.streaming(FLINK, "execution.checkpointing.interval", "1 h");
        followed("latest").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        Until.holds("a window was read", () -> !table.windows(0).isEmpty());
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        followed.awaitInOrder("+I[3, Chen, 19]");
        List<String> before = published();
        FLINK.checkpoint(followed.job());
        if (before.isEmpty()) {
            awaitPublished();
        }
        Until.holds("the checkpoint's position is published", () -> !published().equals(before));
        followed.cancel();
        assertThat(FlinkCluster.status(followed.job()).isGloballyTerminalState()).isTrue();
    }

    @Test
    void cancelMakesALastAttempt() throws Exception {
        StreamTableEnvironment sql =
                ChangelogJobs.streaming(FLINK, "execution.checkpointing.interval", "1 h");
        followed("latest").create(sql, "t");
        long rule =
                DORIS.fault(
                        Fault.at("mysql.query")
                                .statement("INSERT INTO `ops`.`offsets`")
                                .answer("no writes today"));
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        Until.holds("a window was read", () -> !table.windows(0).isEmpty());
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        followed.awaitInOrder("+I[3, Chen, 19]");
        FLINK.checkpoint(followed.job());
        Until.holds("writing has failed three times", () -> DORIS.fired(rule) >= 3);
        DORIS.clearFault(rule);
        followed.cancel();
        awaitPublished();
    }

    @ParameterizedTest
    @CsvSource({
        "missing, ops.offsets",
        "column, offset_timestamp",
        "double, 2",
        "null, NULL",
        "future, 2099-01-01",
        "refused, refused today"
    })
    void incr10ABrokenTableFailsTheStart(String how, String part) throws Exception {
        switch (how) {
            case "missing":
                DORIS.run("DROP TABLE ops.offsets");
                break;
            case "column":
                DORIS.run(
                        "DROP TABLE ops.offsets",
                        "CREATE TABLE ops.offsets (consumer_id VARCHAR(256) NOT NULL, position"
                                + " DATETIME) UNIQUE KEY(consumer_id) DISTRIBUTED BY"
                                + " HASH(consumer_id) BUCKETS 1 PROPERTIES (\"replication_num\" ="
                                + " \"1\")");
                break;
            case "double":
                offsets("DUPLICATE");
                publish("2026-01-01 00:00:00");
                publish("2026-01-02 00:00:00");
                break;
            case "null":
                DORIS.run(
                        "DROP TABLE ops.offsets",
                        "CREATE TABLE ops.offsets (consumer_id VARCHAR(256) NOT NULL,"
                                + " offset_timestamp DATETIME, update_time DATETIME) UNIQUE"
                                + " KEY(consumer_id) DISTRIBUTED BY HASH(consumer_id) BUCKETS 1"
                                + " PROPERTIES (\"replication_num\" = \"1\")",
                        "INSERT INTO ops.offsets VALUES ('" + CONSUMER + "', NULL, NULL)");
                break;
            case "future":
                publish("2099-01-01 00:00:00");
                break;
            default:
                DORIS.fault(
                        Fault.at("mysql.query")
                                .statement("`offsets`")
                                .answer("SELECT command denied, refused today"));
        }
        Followed followed = start("initial");
        Failure failure = followed.failure();
        assertThat(failure.text()).contains("ops.offsets").contains(CONSUMER).contains(part);
        assertThat(followed.rows()).as("the scan mode does not step in").isEmpty();
    }

    @Test
    void anUnreadableTimestampFailsTheStart() throws Exception {
        DORIS.run(
                "DROP TABLE ops.offsets",
                "CREATE TABLE ops.offsets (consumer_id VARCHAR(256) NOT NULL, offset_timestamp"
                        + " VARCHAR(50), update_time DATETIME) UNIQUE KEY(consumer_id) DISTRIBUTED"
                        + " BY HASH(consumer_id) BUCKETS 1 PROPERTIES (\"replication_num\" ="
                        + " \"1\")");
        DORIS.run("INSERT INTO ops.offsets VALUES ('" + CONSUMER + "', '2026-13-40', NULL)");
        Followed followed = start("initial");
        assertThat(followed.failure().text())
                .contains("ops.offsets")
                .contains(CONSUMER)
                .contains("2026-13-40");
        assertThat(followed.rows()).isEmpty();
    }

    @Test
    void anotherConsumerGetsARowOfItsOwnAfterARestore() throws Exception {
        Followed first = start("latest");
        awaitPublished();
        String path = first.stop(savepoints);
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        followed("latest").with("source.changelog.consumer-id", "other").create(sql, "t");
        Followed second = first.again(sql, "SELECT * FROM t");
        Until.holds(
                "there are two rows",
                () ->
                        DORIS.sql("SELECT consumer_id FROM ops.offsets ORDER BY 1")
                                .equals(List.of(List.of("other"), List.of(CONSUMER))));
        second.cancel();
    }

    @Test
    void theSmallestOfAllSlicesIsPublished() throws Exception {
        // The partition of the first slice is held: the others go on.
        long rule =
                DORIS.fault(Fault.at("flight.do_get").table(table.name()).statement("= 0").hold());
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        followed("latest").with("source.changelog.slices", "3").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        Until.holds("a slice is held", () -> DORIS.holding(rule) > 0);
        awaitPublished();
        String held = published().get(0);
        String later = TEXT.format(LocalDateTime.parse(now(), TEXT).plusSeconds(3));
        Until.holds("some time has passed", () -> now().compareTo(later) >= 0);
        followed.awaitCheckpoint();
        assertThat(published().get(0)).isEqualTo(held);
        DORIS.clearFault(rule);
        Until.holds("it goes on", () -> published().get(0).compareTo(held) > 0);
        followed.cancel();
    }

    /** Inserts a row in a second of its own, and gives that second. */
    private String secondOfInsert(String values) {
        table.run("INSERT INTO T VALUES " + values);
        long stamp =
                Long.parseLong(
                        DORIS.value(
                                "SELECT MAX(__DORIS_CHANGELOG_TSO__) FROM "
                                        + table
                                        + "@incr('incrementType' = 'DETAIL')"));
        DORIS.advanceClock(Duration.ofSeconds(2));
        return DORIS.value("SELECT FROM_UNIXTIME(" + (stamp >> 18) / 1000 + ")").substring(0, 19);
    }
}
