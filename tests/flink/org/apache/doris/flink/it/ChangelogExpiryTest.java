package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobID;
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

/**
 * Changes that the server no longer has: at the start, while following, after `initial`, restored.
 */
@Timeout(120)
class ChangelogExpiryTest {

    private static final int TTL_SECONDS = 600;
    private static final Duration PAST_TTL = Duration.ofSeconds(TTL_SECONDS + 60);
    private static final String BEGIN = "2020-01-01 00:00:00";

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
        table = ChangelogTable.students(DORIS, "changelog.ttl_seconds", "" + TTL_SECONDS);
    }

    private Followed start(String mode, String... options) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(mode, options).create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    /** A job that is reading the content, one row, and stays there while the rule holds. */
    private Followed startHeldInContent(long rule, String... options) throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed followed = start("initial", options);
        Until.holds("the content is being read", () -> DORIS.holding(rule) > 0);
        return followed;
    }

    private void assertExpired(Failure failure) {
        assertThat(failure.text())
                .contains(table.name())
                .contains("changelog.ttl_seconds")
                .contains("initial")
                .contains("consumer");
    }

    /** The headroom metric and the log tell that less than half of the retention is left. */
    private void awaitHalfIsTold(Followed followed) throws Exception {
        Until.holds(
                "the metric says so",
                () ->
                        FLINK
                                .values(followed.job().getJobID(), "changelogRetentionHeadroomMs")
                                .stream()
                                .anyMatch(left -> left > 0 && left < TTL_SECONDS * 500));
        Until.holds(
                "a warning says so",
                () ->
                        LOG.lines().stream()
                                .anyMatch(
                                        line ->
                                                line.startsWith("WARN")
                                                        && line.contains(table.name())
                                                        && line.contains("retention")));
    }

    private static String[] options(String type, String onExpired) {
        return new String[] {
            "source.changelog.increment-type", type, "source.changelog.on-expired", onExpired
        };
    }

    private void assertErrorLoggedOnce(JobID job) throws Exception {
        Until.holds(
                "the lost range is counted", () -> FLINK.sum(job, "changelogExpiredWindows") > 0);
        assertThat(LOG.lines())
                .filteredOn(line -> line.startsWith("ERROR") && line.contains(table.name()))
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"detail", "append_only"})
    void anExpiredStartIsSkippedWithAnErrorInTheLog(String type) throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(PAST_TTL);
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        Followed followed =
                start(
                        "from-timestamp",
                        "source.scan.timestamp",
                        BEGIN,
                        "source.changelog.increment-type",
                        type);
        followed.awaitInOrder("+I[2, Bob, 21]");
        assertErrorLoggedOnce(followed.job().getJobID());
        followed.cancel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"detail", "append_only", "min_delta"})
    void incr3AnExpiredStartFailsAtOnceWhereAskedFor(String type) throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(PAST_TTL);
        Followed followed =
                start(
                        "from-timestamp",
                        "source.scan.timestamp",
                        BEGIN,
                        "source.changelog.increment-type",
                        type,
                        "source.changelog.visible-wait-timeout",
                        "1 h",
                        "source.changelog.on-expired",
                        "fail");
        Failure failure = followed.failure();
        assertExpired(failure);
        assertThat(failure.elapsed()).isLessThan(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @CsvSource({
        "detail, doris-default, true",
        "append_only, doris-default, true",
        "min_delta, doris-default, false",
        "detail, fail, false",
        "append_only, fail, false"
    })
    void inSteadyState(String type, String onExpired, boolean goesOn) throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed followed = start("latest", options(type, onExpired));
        followed.awaitCheckpoint();
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        followed.await(1);
        // The next window opens only after its start has expired.
        long held = DORIS.fault(Fault.at("fe.api").statement("tso").hold());
        Until.holds("the position is asked for", () -> DORIS.holding(held) > 0);
        DORIS.advanceClock(PAST_TTL);
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.clearFault(held);
        if (goesOn) {
            followed.awaitInOrder("+I[2, Bob, 21]", "+I[3, Chen, 19]");
            assertErrorLoggedOnce(followed.job().getJobID());
            followed.cancel();
        } else {
            assertExpired(followed.failure());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "detail, doris-default, true",
        "append_only, doris-default, true",
        "min_delta, doris-default, false",
        "detail, fail, false",
        "append_only, fail, false"
    })
    void afterInitial(String type, String onExpired, boolean goesOn) throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Followed followed = startHeldInContent(rule, options(type, onExpired));
        DORIS.advanceClock(PAST_TTL);
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        DORIS.clearFault(rule);
        if (goesOn) {
            Until.holds("the change came", () -> followed.rows().contains("+I[2, Bob, 21]"));
            assertErrorLoggedOnce(followed.job().getJobID());
            followed.cancel();
        } else {
            assertExpired(followed.failure());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "detail, doris-default, true",
        "append_only, doris-default, true",
        "min_delta, doris-default, false",
        "detail, fail, false",
        "append_only, fail, false"
    })
    void incr15AfterARestore(String type, String onExpired, boolean goesOn) throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        String[] options = options(type, onExpired);
        Followed first = start("initial", options);
        first.await(1);
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        String path = first.stop(savepoints);
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        DORIS.advanceClock(PAST_TTL);
        table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        // One bound and no more: one that meets the failed task would be told in the failure's
        // place.
        table.followed("initial", options)
                .with("source.changelog.poll-interval", "1 h")
                .create(sql, "t");
        Followed second = first.again(sql, "SELECT * FROM t");
        if (goesOn) {
            second.awaitInOrder("+I[1, Alice, 18]", "+I[3, Chen, 19]");
            assertErrorLoggedOnce(second.job().getJobID());
            second.cancel();
        } else {
            assertExpired(second.failure());
        }
    }

    /** The way back that the error gives: the content again, without state and without the row. */
    @Test
    void incr15TheContentAgainRepairsALostRange() throws Exception {
        table.run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        String[] failing = options("detail", "fail");
        Followed first = start("initial", failing);
        first.await(2);
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        String path = first.stop(savepoints);
        table.run("DELETE FROM T WHERE id = 1", "INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.advanceClock(PAST_TTL);
        table.run("INSERT INTO T VALUES (4, 'Dana', 24)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        StreamTableEnvironment sql = ChangelogJobs.restoring(FLINK, path);
        table.followed("initial", failing)
                .with("source.changelog.poll-interval", "1 h")
                .create(sql, "t");
        Failure failure = first.again(sql, "SELECT * FROM t").failure();
        assertExpired(failure);
        assertThat(failure.text()).contains("'source.scan.mode' = 'initial'");
        Followed repaired = start("initial", failing);
        repaired.await(3);
        repaired.awaitCheckpoint();
        assertThat(repaired.rows()).containsAll(table.rows()).doesNotContain("+I[1, Alice, 18]");
        repaired.cancel();
    }

    @Test
    void theRetentionIsWatchedWhileTheContentIsRead() throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Followed followed = startHeldInContent(rule);
        DORIS.advanceClock(Duration.ofSeconds(TTL_SECONDS * 2 / 3));
        awaitHalfIsTold(followed);
        DORIS.clearFault(rule);
        followed.await(1);
        followed.cancel();
    }

    @Test
    void lessThanHalfOfTheRetentionIsWarnedOf() throws Exception {
        Followed followed = start("latest");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        long held =
                DORIS.fault(
                        Fault.at("flight.get_info").table(table.name()).statement("@incr").hold());
        Until.holds("a window is held", () -> DORIS.holding(held) > 0);
        DORIS.advanceClock(Duration.ofSeconds(TTL_SECONDS * 2 / 3));
        awaitHalfIsTold(followed);
        DORIS.clearFault(held);
        followed.cancel();
    }
}
