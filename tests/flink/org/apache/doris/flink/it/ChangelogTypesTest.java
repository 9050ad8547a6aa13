package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;

/** What the three increment types give on each kind of table. */
@Timeout(90)
class ChangelogTypesTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();
    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    /** Starts a job from the beginning of the table's changes, all of which are in one window. */
    private static Followed follow(ChangelogTable table, String type, String... options)
            throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        DorisTable declared =
                table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.changelog.increment-type",
                        type);
        for (int i = 0; i < options.length; i += 2) {
            declared.with(options[i], options[i + 1]);
        }
        declared.create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    private static void changeStudents(ChangelogTable table) {
        table.run(
                "INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)",
                "UPDATE T SET age = 22 WHERE id = 2",
                "UPDATE T SET age = 23 WHERE id = 2",
                "DELETE FROM T WHERE id = 1",
                "INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.advanceClock(Duration.ofSeconds(1));
    }

    @Test
    void detailWithHistoryGivesEveryChange() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        changeStudents(table);
        Followed followed = follow(table, "detail");
        List<String> rows = followed.await(8);
        assertThat(rows.subList(0, 2))
                .containsExactlyInAnyOrder("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        assertThat(rows.subList(2, 8))
                .containsExactly(
                        "-U[2, Bob, 21]",
                        "+U[2, Bob, 22]",
                        "-U[2, Bob, 22]",
                        "+U[2, Bob, 23]",
                        "-D[1, Alice, 18]",
                        "+I[3, Chen, 19]");
        followed.cancel();
    }

    @Test
    void detailWithoutHistoryWarnsAndGivesUpdatesAsInserts() throws Exception {
        ChangelogTable table = ChangelogTable.withoutHistory(DORIS);
        changeStudents(table);
        Followed followed = follow(table, "detail");
        List<String> rows = followed.await(6);
        assertThat(rows.subList(2, 6))
                .containsExactly(
                        "+I[2, Bob, 22]", "+I[2, Bob, 23]", "-D[1, null, null]", "+I[3, Chen, 19]");
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .contains(table.name())
                                        .contains("changelog.need_historical_value")
                                        .contains("cdc-events-duplicate"));
        followed.cancel();
    }

    @Test
    void upsertModeMakesATableWithoutHistoryRight() throws Exception {
        ChangelogTable table = ChangelogTable.withoutHistory(DORIS);
        changeStudents(table);
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.changelog.changelog-mode",
                        "upsert")
                .create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT COUNT(*), SUM(age) FROM t");
        Until.holds(
                "the aggregate is that of the table",
                () -> {
                    List<String> rows = followed.rows();
                    return !rows.isEmpty() && rows.get(rows.size() - 1).endsWith("[2, 42]");
                });
        followed.cancel();
    }

    @Test
    void minDeltaGivesTheNetEffect() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        changeStudents(table);
        Followed followed = follow(table, "min_delta");
        followed.awaitAll("+I[2, Bob, 23]", "+I[3, Chen, 19]");
        table.run(
                "UPDATE T SET age = 24 WHERE id = 2",
                "UPDATE T SET age = 25 WHERE id = 2",
                "DELETE FROM T WHERE id = 3");
        Until.holds("the delete has come", () -> followed.rows().contains("-D[3, Chen, 19]"));
        // Whichever second the window ended in: what was before went out once, and what is came in.
        assertThat(followed.rows())
                .contains("-U[2, Bob, 23]", "+U[2, Bob, 25]")
                .doesNotHaveDuplicates();
        followed.cancel();
    }

    @Test
    void appendOnlyLeavesUpdatesAndDeletesOut() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        changeStudents(table);
        Followed followed = follow(table, "append_only");
        followed.awaitAll("+I[1, Alice, 18]", "+I[2, Bob, 21]", "+I[3, Chen, 19]");
        followed.cancel();
    }

    @ParameterizedTest
    @CsvSource({"detail", "append_only"})
    void aDuplicateTableGivesInserts(String type) throws Exception {
        ChangelogTable table =
                ChangelogTable.duplicate(DORIS)
                        .run("INSERT INTO T VALUES (1, 'Alice', 18), (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(1));
        Followed followed = follow(table, type);
        followed.awaitAll("+I[1, Alice, 18]", "+I[1, Alice, 18]");
        followed.cancel();
    }

    @Test
    void initialOnADuplicateTableWarnsOfTheOverlap() throws Exception {
        ChangelogTable table =
                ChangelogTable.duplicate(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("initial").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitAll("+I[1, Alice, 18]");
        followed.cancel();
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .contains(table.name())
                                        .containsIgnoringCase("duplicate"));
    }

    @Test
    void anotherModelOrNoHistoryIsRefusedAtTheStart() throws Exception {
        ChangelogTable duplicate = ChangelogTable.duplicate(DORIS);
        assertThat(follow(duplicate, "min_delta").failure().text())
                .contains(duplicate.name())
                .contains("min_delta");
        ChangelogTable withoutHistory = ChangelogTable.withoutHistory(DORIS);
        assertThat(follow(withoutHistory, "min_delta").failure().text())
                .contains(withoutHistory.name())
                .contains("changelog.need_historical_value");
        assertThat(duplicate.windows(0)).isEmpty();
        assertThat(withoutHistory.windows(0)).isEmpty();
    }

    @Test
    void incr7ATableWithoutChangelogIsRefused() throws Exception {
        ChangelogTable table = ChangelogTable.unique(DORIS, "id INT, name VARCHAR(50), age INT");
        assertThat(follow(table, "detail").failure().text())
                .contains(table.name())
                .contains("changelog.enable");
    }

    /** All that is wrong is in one message, whatever the mode. */
    @Test
    void aDeclarationThatDoesNotFitIsRefusedWithAllDifferences() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("latest")
                .columns("id INT, nmae STRING, age STRING, PRIMARY KEY (id) NOT ENFORCED")
                .create(sql, "t");
        assertThat(Followed.start(sql, "SELECT * FROM t").failure().text())
                .contains("'nmae' does not exist", "did you mean 'name'")
                .contains("'age' is INT in Doris but declared STRING");
        DorisTable.of(DORIS, "test.nowhere")
                .columns("id INT")
                .with("source.scan.mode", "latest")
                .create(sql, "gone");
        assertThat(Followed.start(sql, "SELECT * FROM gone").failure().text())
                .contains("'test.nowhere'", "does not exist");
        assertThat(table.windows(0)).isEmpty();
    }

    @Test
    void incr13FormerNamesOfTheOptionsWork() throws Exception {
        ChangelogTable table = ChangelogTable.students(DORIS);
        changeStudents(table);
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.binlog.increment-type",
                        "append_only",
                        "source.binlog.poll-interval",
                        "1 s",
                        "source.binlog.visible-wait-timeout",
                        "10 s")
                .without("source.changelog.poll-interval")
                .create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        followed.awaitAll("+I[1, Alice, 18]", "+I[2, Bob, 21]", "+I[3, Chen, 19]");
        followed.cancel();
        assertThat(LOG.lines())
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .startsWith("WARN")
                                        .contains("source.binlog.increment-type")
                                        .contains("source.changelog.increment-type"));
    }
}
