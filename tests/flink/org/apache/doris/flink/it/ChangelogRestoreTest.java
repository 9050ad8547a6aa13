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
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a savepoint means for a job with the same or with another configuration. */
@Timeout(90)
class ChangelogRestoreTest {

    private static final int ROWS = 3_000;

    /** Rows that come before a window is held: so many batches of 50. */
    private static final int HELD_ROWS = 500;

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
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
        table =
                ChangelogTable.students(DORIS)
                        .run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)");
        DORIS.advanceClock(Duration.ofSeconds(2));
    }

    private Followed start(String mode, String... options) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(mode, options).create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    private Followed restored(Followed before, String path, String mode, String... options)
            throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        table.followed(mode, options).create(sql, "t");
        return before.again(sql, "SELECT * FROM t");
    }

    /** A job that has given the content and one change, stopped; and where its savepoint is. */
    private String stopped(Followed followed) throws Exception {
        followed.await(2);
        table.awaitFollowed();
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        assertThat(followed.await(3)).endsWith("+I[3, Chen, 19]");
        return followed.stop(savepoints);
    }

    @Test
    void aSavepointGoesOnWhereItWas() throws Exception {
        Followed first = start("initial");
        String path = stopped(first);
        table.run("UPDATE T SET age = 20 WHERE id = 3");
        long mark = DORIS.mark();
        Followed second = restored(first, path, "initial");
        assertThat(second.await(5).subList(3, 5))
                .containsExactly("-U[3, Chen, 19]", "+U[3, Chen, 20]");
        second.awaitCheckpoint();
        assertThat(second.rows()).hasSize(5);
        assertThat(DORIS.queries(mark, "TABLET")).as("the content is not read again").isEmpty();
        second.cancel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"latest", "from-timestamp"})
    void theStateWinsOverAnotherScanMode(String mode) throws Exception {
        Followed first = start("initial");
        String path = stopped(first);
        table.run("DELETE FROM T WHERE id = 3");
        DORIS.advanceClock(Duration.ofSeconds(5));
        Followed second =
                mode.equals("latest")
                        ? restored(first, path, mode)
                        : restored(first, path, mode, "source.scan.timestamp", table.createdAt());
        assertThat(second.await(4)).endsWith("-D[3, Chen, 19]").hasSize(4);
        second.cancel();
    }

    @ParameterizedTest
    @CsvSource({"initial, snapshot", "snapshot, initial", "latest, snapshot"})
    void aChangeToOrFromSnapshotIsRefused(String before, String after) throws Exception {
        String path;
        if (before.equals("snapshot")) {
            long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
            Followed first = startSnapshot();
            Until.holds("the content is being read", () -> DORIS.holding(rule) > 0);
            path = first.savepoint(savepoints);
            first.job().cancel();
            DORIS.clearFault(rule);
            FlinkCluster.end(first.job());
        } else {
            Followed first = start(before);
            // Of a job that still reads the content, the server could refuse the splits first.
            Until.holds("it follows", () -> !table.windows(0).isEmpty());
            path = first.stop(savepoints);
        }
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        DorisTable declared = table.followed(after);
        if (after.equals("snapshot")) {
            declared.without("source.changelog.poll-interval");
        }
        declared.create(sql, "t");
        Failure failure = Followed.start(sql, "SELECT * FROM t").failure();
        assertThat(failure.text())
                .contains("source.scan.mode")
                .contains("snapshot")
                .contains(before);
    }

    private Followed startSnapshot() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("snapshot").without("source.changelog.poll-interval").create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    @Test
    void anotherTableIsRefused() throws Exception {
        Followed first = start("initial");
        String path = stopped(first);
        ChangelogTable other = ChangelogTable.students(DORIS);
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        other.followed("initial").create(sql, "t");
        Failure failure = Followed.start(sql, "SELECT * FROM t").failure();
        assertThat(failure.text()).contains(table.identifier()).contains(other.identifier());
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "4, 1", "2, 3"})
    void anotherParallelismIsAllowedInTheChangelogPhase(int before, int after) throws Exception {
        String[] slices = {"source.changelog.slices", "4"};
        StreamTableEnvironment sql =
                ChangelogJobs.streaming(FLINK, "parallelism.default", String.valueOf(before));
        table.followed("initial", slices).create(sql, "t");
        Followed first = Followed.start(sql, "SELECT * FROM t");
        String path = stopped(first);
        table.run("UPDATE T SET age = age + 1 WHERE id > 0");
        StreamTableEnvironment other =
                ChangelogJobs.restoring(FLINK, path, "parallelism.default", String.valueOf(after));
        table.followed("initial", slices).create(other, "t");
        Followed second = first.again(other, "SELECT * FROM t");
        List<String> rows = second.await(9);
        assertThat(rows.subList(3, 9))
                .containsExactlyInAnyOrder(
                        "-U[1, Alice, 18]",
                        "+U[1, Alice, 19]",
                        "-U[2, Bob, 21]",
                        "+U[2, Bob, 22]",
                        "-U[3, Chen, 19]",
                        "+U[3, Chen, 20]");
        second.awaitCheckpoint();
        assertThat(second.rows()).hasSize(9);
        second.cancel();
    }

    /**
     * A row that comes while the content is read, and goes before the first window ends, is in the
     * content and in no net change; nor does another scan mode at the restore lose it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"initial", "latest"})
    void netChangesBehindTheContentLeaveNoRowBehind(String modeAtRestore) throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        String[] net = {"source.changelog.increment-type", "min_delta"};
        table.followed("initial", net).create(sql, "t");
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed first = Followed.start(sql, "SELECT * FROM t");
        Until.holds("the content is being read", () -> DORIS.holding(rule) == 2);
        table.run("INSERT INTO T VALUES (100, 'Mayfly', 1), (101, 'Mayfly', 1)");
        String path = savepointAndCancel(first, rule);
        StreamTableEnvironment other =
                ChangelogJobs.restoring(FLINK, path, "execution.checkpointing.interval", "1 h");
        table.followed(modeAtRestore, net).create(other, "t");
        Followed second = first.again(other, "SELECT * FROM t");
        Until.holds("the content is read", () -> second.rows().size() >= table.rows().size());
        table.run("DELETE FROM T WHERE id >= 100");
        FLINK.checkpoint(second.job());
        Until.holds(
                "what came is gone",
                () ->
                        second.rows().contains("-D[100, Mayfly, 1]")
                                && second.rows().contains("-D[101, Mayfly, 1]"));
        table.run("UPDATE T SET age = 99 WHERE id = 1");
        Until.holds(
                "net changes follow",
                () -> table.windows(0).stream().anyMatch(query -> query.contains("'MIN_DELTA'")));
        Until.holds("they come", () -> second.rows().contains("+U[1, Alice, 99]"));
        second.cancel();
    }

    @Test
    void aWindowUnderWayGoesOnBehindItsPosition() throws Exception {
        insertMany();
        long rule = heldWindow();
        Followed first = startMany();
        Until.holds("the window is held", () -> DORIS.holding(rule) > 0);
        first.await(HELD_ROWS);
        String path = savepointAndCancel(first, rule);
        int before = first.rows().size();
        assertThat(before).isEqualTo(HELD_ROWS);
        Followed second = restoredMany(first, path, "detail", "id INT, name STRING, age INT");
        assertAllOnce(second);
        second.cancel();
        assertThat(FLINK.sum(second.job().getJobID(), "changelogReplayedRowsDropped"))
                .isEqualTo(before);
        assertThat(FLINK.sum(second.job().getJobID(), "changelogPositionMismatches")).isZero();
    }

    @Test
    void aFailureInsideAWindowRepeatsNothing() throws Exception {
        insertMany();
        long rule =
                DORIS.fault(
                        Fault.at("flight.do_get")
                                .table(table.name())
                                .statement("@incr")
                                .after(5)
                                .times(8)
                                .corruptHeader());
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, ChangelogJobs.restarting());
        many("detail", "id INT, name STRING, age INT").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        assertAllOnce(followed);
        assertThat(DORIS.fired(rule)).isEqualTo(8);
        followed.cancel();
    }

    @Test
    void anotherIncrementTypeReadsAWindowUnderWayFromItsStart() throws Exception {
        insertMany();
        long rule = heldWindow();
        Followed first = startMany();
        Until.holds("the window is held", () -> DORIS.holding(rule) > 0);
        first.await(HELD_ROWS);
        String path = savepointAndCancel(first, rule);
        int before = first.rows().size();
        Followed second = restoredMany(first, path, "append_only", "id INT, name STRING, age INT");
        second.await(ROWS + before);
        assertThat(second.rows().subList(before, ROWS + before))
                .containsExactlyInAnyOrderElementsOf(expectedMany());
        second.cancel();
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .containsIgnoringCase("append_only"));
    }

    @Test
    void anotherProjectionRepeatsRowsOfOneStampAtMost() throws Exception {
        insertMany();
        long rule = heldWindow();
        Followed first = startMany();
        Until.holds("the window is held", () -> DORIS.holding(rule) > 0);
        first.await(HELD_ROWS);
        String path = savepointAndCancel(first, rule);
        int before = first.rows().size();
        Followed second = restoredMany(first, path, "detail", "id INT, age INT");
        // All rows have one stamp: it is given again as a whole.
        second.await(ROWS + before);
        second.cancel();
        assertThat(FLINK.sum(second.job().getJobID(), "changelogPositionMismatches")).isPositive();
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .contains(table.name())
                                        .contains("none is left out"));
    }

    /** Rows of one transaction in one window, in many batches. */
    private void insertMany() {
        table =
                ChangelogTable.unique(
                        DORIS,
                        "id INT, name VARCHAR(50), age INT",
                        "changelog.enable",
                        "true",
                        "changelog.need_historical_value",
                        "true");
        table.run(
                "INSERT INTO T SELECT number, 'x', 1 FROM numbers(\"number\" = \"" + ROWS + "\")");
        DORIS.advanceClock(Duration.ofSeconds(2));
    }

    private DorisTable many(String type, String columns) {
        return table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.changelog.increment-type",
                        type,
                        "doris.batch.size",
                        "50")
                .columns(columns + ", PRIMARY KEY (id) NOT ENFORCED");
    }

    private Followed startMany() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        many("detail", "id INT, name STRING, age INT").create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    private Followed restoredMany(Followed before, String path, String type, String columns)
            throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        many(type, columns).create(sql, "t");
        return before.again(sql, "SELECT * FROM t");
    }

    private long heldWindow() {
        return DORIS.fault(
                Fault.at("flight.do_get")
                        .table(table.name())
                        .statement("@incr")
                        .after(10)
                        .times(1)
                        .hold());
    }

    private String savepointAndCancel(Followed followed, long rule) throws Exception {
        String path = followed.savepoint(savepoints);
        // The window stays held until the job has ended: nothing is emitted behind the savepoint.
        followed.cancel();
        DORIS.clearFault(rule);
        return path;
    }

    private static List<String> expectedMany() {
        return IntStream.range(0, ROWS)
                .mapToObj(i -> "+I[" + i + ", x, 1]")
                .collect(Collectors.toList());
    }

    private static void assertAllOnce(Followed followed) throws Exception {
        followed.await(ROWS);
        followed.awaitCheckpoint();
        assertThat(followed.rows()).containsExactlyInAnyOrderElementsOf(expectedMany());
    }
}
