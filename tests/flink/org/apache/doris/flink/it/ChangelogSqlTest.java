package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What SQL makes of the changes: aggregates, joins, filters, metadata, the removal of duplicates.
 */
@Timeout(90)
class ChangelogSqlTest {

    private static final String JOIN =
            "SELECT COUNT(*), SUM(a.age) FROM t a JOIN t b ON a.id = b.id AND a.age = b.age";

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private ChangelogTable table;

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void table() {
        table =
                ChangelogTable.students(DORIS)
                        .run("INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 20)");
        DORIS.advanceClock(Duration.ofSeconds(2));
    }

    private static void awaitLast(Followed followed, String row) throws Exception {
        try {
            Until.holds(
                    "the last row is " + row,
                    Duration.ofSeconds(30),
                    () -> {
                        List<String> rows = followed.rows();
                        return !rows.isEmpty() && rows.get(rows.size() - 1).equals(row);
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", but " + followed.rows(), e);
        }
    }

    /** Inserts, updates and deletes, some several times within a second. */
    private void change() {
        table.run(
                "INSERT INTO T VALUES (3, 'Chen', 19), (4, 'Dana', 24)",
                "UPDATE T SET age = age + 1 WHERE id = 2",
                "UPDATE T SET age = age + 1 WHERE id = 2",
                "DELETE FROM T WHERE id = 1",
                "INSERT INTO T VALUES (1, 'Alice again', 30)",
                "DELETE FROM T WHERE id = 4");
    }

    @Test
    void anAggregateEqualsTheTable() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("initial").create(sql, "t");
        Followed followed =
                Followed.start(sql, "SELECT COUNT(*), SUM(age), MIN(name), MAX(id) FROM t");
        followed.await(1);
        table.awaitFollowed();
        change();
        String result =
                String.join(
                        ", ",
                        DORIS.sql("SELECT COUNT(*), SUM(age), MIN(name), MAX(id) FROM " + table)
                                .get(0));
        awaitLast(followed, "+U[" + result + "]");
        followed.cancel();
    }

    @Test
    void aJoinEqualsTheTable() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("initial").create(sql, "t");
        // Each side is a source of its own.
        Followed followed = Followed.start(sql, JOIN);
        followed.await(1);
        table.awaitFollowed();
        change();
        awaitLast(followed, "+U[3, 71]");
        followed.cancel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT COUNT(*), SUM(age) FROM t", JOIN})
    void eventsThatComeTwiceAreRemovedByFlinkWhereAsked(String query) throws Exception {
        StreamTableEnvironment sql =
                ChangelogJobs.streaming(FLINK, "table.exec.source.cdc-events-duplicate", "true");
        // The second of the start lies in the content and in the first window.
        table.run("UPDATE T SET age = 21 WHERE id = 2");
        table.followed("initial").create(sql, "t");
        Followed followed = Followed.start(sql, query);
        followed.await(1);
        change();
        awaitLast(followed, "+U[3, 72]");
        followed.cancel();
    }

    @Test
    void aTableWithoutHistoryIsRightBehindANormaliser() throws Exception {
        ChangelogTable without =
                ChangelogTable.withoutHistory(DORIS)
                        .run(
                                "INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 20)",
                                "UPDATE T SET age = 25 WHERE id = 2",
                                "DELETE FROM T WHERE id = 1");
        DORIS.advanceClock(Duration.ofSeconds(1));
        StreamTableEnvironment sql =
                ChangelogJobs.streaming(FLINK, "table.exec.source.cdc-events-duplicate", "true");
        without.followed("from-timestamp", "source.scan.timestamp", without.createdAt())
                .create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT COUNT(*), SUM(age) FROM t");
        awaitLast(followed, "+U[1, 25]");
        followed.cancel();
    }

    @Test
    void incr12AFilterOnAColumnThatChangesStaysInFlink() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("latest").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t WHERE age > 18");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        table.run("UPDATE T SET age = 10 WHERE id = 2", "UPDATE T SET age = 19 WHERE id = 1");
        followed.await(2);
        followed.awaitCheckpoint();
        assertThat(followed.rows()).containsExactly("-U[2, Bob, 20]", "+U[1, Alice, 19]");
        assertThat(table.windows(0)).noneMatch(query -> query.contains("`age` >"));
        followed.cancel();
    }

    @Test
    void aFilterOnTheKeyIsPushed() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("initial").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT name FROM t WHERE id = 2 OR id = 3");
        followed.awaitAll("+I[Bob]");
        table.awaitFollowed();
        table.run(
                "UPDATE T SET name = 'Bea' WHERE id = 2",
                "UPDATE T SET name = 'Ann' WHERE id = 1",
                "INSERT INTO T VALUES (3, 'Chen', 19), (4, 'Dana', 24)");
        followed.await(4);
        followed.awaitCheckpoint();
        assertThat(followed.rows()).containsExactly("+I[Bob]", "-U[Bob]", "+U[Bea]", "+I[Chen]");
        assertThat(table.windows(0)).allMatch(query -> query.contains("`id`"));
        followed.cancel();
    }

    @Test
    void appendOnlyTakesAnyFilter() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.changelog.increment-type",
                        "append_only")
                .create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT name FROM t WHERE age >= 20");
        followed.awaitAll("+I[Bob]");
        assertThat(table.windows(0).get(0)).contains("age");
        followed.cancel();
    }

    @Test
    void metadataColumnsTellOperationStampNumberAndTime() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("initial")
                .columns(
                        "id INT, kind STRING METADATA FROM 'op', tso BIGINT METADATA, lsn BIGINT"
                                + " METADATA, commit_time TIMESTAMP_LTZ(3) METADATA, PRIMARY KEY"
                                + " (id) NOT ENFORCED")
                .create(sql, "t");
        Followed followed =
                Followed.start(
                        sql,
                        "SELECT id, kind, tso IS NULL, lsn IS NULL, tso / 262144 ="
                                + " UNIX_TIMESTAMP(CAST(commit_time AS STRING)) * 1000 +"
                                + " EXTRACT(MILLISECOND FROM commit_time) FROM t");
        followed.awaitAll("+I[1, null, true, true, null]", "+I[2, null, true, true, null]");
        table.awaitFollowed();
        table.run("UPDATE T SET age = 21 WHERE id = 2", "DELETE FROM T WHERE id = 1");
        followed.await(5);
        assertThat(followed.rows().subList(2, 5))
                .containsExactly(
                        "-U[2, -U, false, false, true]",
                        "+U[2, +U, false, false, true]",
                        "-D[1, -D, false, false, true]");
        followed.cancel();
    }

    @Test
    void auditGivesEveryChangeAsAnInsert() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed(
                        "from-timestamp",
                        "source.scan.timestamp",
                        table.createdAt(),
                        "source.changelog.changelog-mode",
                        "audit")
                .columns("id INT, age INT, op STRING METADATA")
                .create(sql, "t");
        table.run("UPDATE T SET age = 21 WHERE id = 2", "DELETE FROM T WHERE id = 1");
        Followed followed = Followed.start(sql, "SELECT op, id, age FROM t");
        List<String> rows = new ArrayList<>(followed.await(5));
        assertThat(rows.subList(0, 2)).containsExactlyInAnyOrder("+I[+I, 1, 18]", "+I[+I, 2, 20]");
        assertThat(rows.subList(2, 5))
                .containsExactly("+I[-U, 2, 20]", "+I[+U, 2, 21]", "+I[-D, 1, 18]");
        followed.cancel();
    }
}
