package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Nothing falls between content and changes, whatever happens while the content is read. */
@Timeout(90)
class ChangelogInitialTest {

    @RegisterExtension
    static final Standin DORIS =
            Standin.with(
                    "--frontends",
                    "3",
                    "--backends",
                    "3",
                    "--set",
                    "change_visible_timeout_ms=200");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @TempDir private Path savepoints;

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    private static ChangelogTable students() {
        return ChangelogTable.students(DORIS)
                .run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)");
    }

    private static Followed start(ChangelogTable table, String... configuration) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, configuration);
        table.followed("initial").create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    private static String student(int id) {
        return "{\"id\":" + id + ",\"name\":\"n" + id + "\",\"age\":18}\n";
    }

    /**
     * Counterexample of the start: a transaction is committed below T0, and its rows become visible
     * only after the content was planned. Neither the content nor a window from T0 on would have
     * them.
     */
    @Test
    void aTransactionBelowTheStartThatIsPublishedLateArrivesOnce() throws Exception {
        ChangelogTable table = students();
        long rule = DORIS.fault(Fault.at("txn.publish").table(table.name()).times(1).hold());
        StreamLoad load = StreamLoad.into(DORIS, table.identifier());
        long transaction = load.prepare(student(3));
        Thread commit =
                new Thread(
                        () -> {
                            try {
                                load.commit(transaction);
                            } catch (java.io.IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        });
        commit.start();
        Until.holds("it is committed, not published", () -> DORIS.holding(rule) == 1);
        // The start lies behind the commit.
        DORIS.advanceClock(Duration.ofSeconds(3));
        long mark = DORIS.mark();
        Followed followed = start(table);
        Until.holds(
                "the source waits for the transaction",
                () ->
                        DORIS.queries(mark, table.name()).stream()
                                .anyMatch(q -> q.contains("@incr")));
        followed.awaitCheckpoint();
        assertThat(followed.rows()).as("no split is read before").isEmpty();
        DORIS.clearFault(rule);
        commit.join();
        followed.awaitAll("+I[1, Alice, 18]", "+I[2, Bob, 21]", "+I[3, n3, 18]");
        table.awaitFollowed();
        table.run("INSERT INTO T VALUES (4, 'Dana', 24)");
        followed.await(4);
        assertThat(followed.rows()).endsWith("+I[4, Dana, 24]").doesNotHaveDuplicates();
        followed.cancel();
    }

    @Test
    void aLaggingFrontEndLosesNothing() throws Exception {
        ChangelogTable table = students();
        // All but the master, which has seen everything.
        for (int frontend = 1; frontend < 3; frontend++) {
            DORIS.lag(frontend, Duration.ofSeconds(2));
        }
        try {
            table.run("INSERT INTO T VALUES (3, 'Chen', 19)");
            DORIS.advanceClock(Duration.ofSeconds(2));
            StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
            table.followed("initial")
                    .with("fenodes", "127.0.0.1:" + DORIS.port("fe", 1, "http"))
                    .create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT * FROM t");
            followed.awaitAll("+I[1, Alice, 18]", "+I[2, Bob, 21]", "+I[3, Chen, 19]");
            table.run("UPDATE T SET age = 20 WHERE id = 3");
            followed.await(5);
            assertThat(followed.rows().subList(3, 5))
                    .containsExactly("-U[3, Chen, 19]", "+U[3, Chen, 20]");
            followed.cancel();
        } finally {
            for (int frontend = 1; frontend < 3; frontend++) {
                DORIS.lag(frontend, Duration.ZERO);
            }
        }
    }

    @Test
    void incr1ChangesDuringTheContentComeAfterIt() throws Exception {
        ChangelogTable table = students();
        DORIS.advanceClock(Duration.ofSeconds(2));
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Followed followed = start(table);
        Until.holds("the content is being read", () -> DORIS.holding(rule) > 0);
        table.run("UPDATE T SET age = 19 WHERE id = 1", "INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.clearFault(rule);
        // The insert may have come with the content; this comes as a change alone.
        Until.holds("the update has come", () -> followed.rows().contains("+U[1, Alice, 19]"));
        followed.awaitCheckpoint();
        List<String> rows = followed.rows();
        // The versions that are read may be those of before or after the changes.
        assertThat(rows).contains("+I[2, Bob, 21]", "-U[1, Alice, 18]", "+U[1, Alice, 19]");
        assertThat(rows.indexOf("+U[1, Alice, 19]")).isGreaterThan(rows.indexOf("+I[2, Bob, 21]"));
        assertThat(Collections.frequency(rows, "+U[1, Alice, 19]")).isEqualTo(1);
        followed.cancel();
    }

    @Test
    void aFailureWhileTheContentIsReadLosesNothing() throws Exception {
        int count = 2_000;
        ChangelogTable table = ChangelogTable.students(DORIS);
        table.run(
                "INSERT INTO T SELECT number, 'x', 1 FROM numbers(\"number\" = \"" + count + "\")");
        DORIS.advanceClock(Duration.ofSeconds(2));
        DORIS.fault(
                Fault.at("flight.do_get").statement("TABLET").after(3).times(2).corruptHeader());
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK, ChangelogJobs.restarting());
        table.followed("initial", "doris.batch.size", "50").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.await(count);
        table.run("DELETE FROM T WHERE id < 10");
        Until.holds("the last delete has come", () -> followed.rows().contains("-D[9, x, 1]"));
        List<String> expected =
                IntStream.range(0, count)
                        .mapToObj(i -> "+I[" + i + ", x, 1]")
                        .collect(Collectors.toList());
        assertThat(followed.rows()).containsAll(expected);
        assertThat(followed.restarts()).isPositive();
        followed.cancel();
    }

    @Test
    void aSavepointDuringTheContentKeepsTheStart() throws Exception {
        ChangelogTable table = students();
        DORIS.advanceClock(Duration.ofSeconds(2));
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        Followed first = start(table);
        Until.holds("the content is being read", () -> DORIS.holding(rule) > 0);
        String path = first.savepoint(savepoints);
        first.job().cancel();
        DORIS.clearFault(rule);
        FlinkCluster.end(first.job());
        table.run("UPDATE T SET age = 19 WHERE id = 1");
        DORIS.advanceClock(Duration.ofSeconds(10));
        StreamTableEnvironment sql =
                ChangelogJobs.restoring(FLINK, path, "parallelism.default", "4");
        table.followed("initial").create(sql, "t");
        Followed second = first.again(sql, "SELECT * FROM t");
        Until.holds("the update has come", () -> second.rows().contains("+U[1, Alice, 19]"));
        assertThat(second.rows()).contains("+I[2, Bob, 21]");
        second.cancel();
    }
}
