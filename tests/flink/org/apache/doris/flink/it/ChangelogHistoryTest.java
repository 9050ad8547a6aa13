package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;

/**
 * A Unique table without historical values, on a server that tells of every update as of two
 * records, the first with the new values.
 */
@Timeout(90)
class ChangelogHistoryTest {

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--backends", "2", "--set", "changelog_update_without_history=pair");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private ChangelogTable table;

    @BeforeAll
    static void database() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void changedTable() {
        table =
                ChangelogTable.withoutHistory(DORIS)
                        .run(
                                "INSERT INTO T VALUES (1, 'Alice', 18), (2, 'Bob', 21)",
                                "INSERT INTO T VALUES (2, 'Bob', 22)",
                                "UPDATE T SET age = 23 WHERE id = 2",
                                "DELETE FROM T WHERE id = 1",
                                "INSERT INTO T VALUES (3, 'Chen', 19)");
        DORIS.advanceClock(Duration.ofSeconds(1));
    }

    private DorisTable followed(String mode) {
        return table.followed(
                "from-timestamp",
                "source.scan.timestamp",
                table.createdAt(),
                "source.changelog.changelog-mode",
                mode);
    }

    @Test
    void noRowIsTakenBackThatNeverWas() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        followed("all").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT * FROM t");
        List<String> rows = followed.await(6);
        assertThat(rows.subList(0, 2))
                .containsExactlyInAnyOrder("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        assertThat(rows.subList(2, 6))
                .containsExactly(
                        "+I[2, Bob, 22]", "+I[2, Bob, 23]", "-D[1, null, null]", "+I[3, Chen, 19]");
        followed.cancel();
    }

    @Test
    void upsertModeIsRight() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        followed("upsert").create(sql, "t");
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
    void auditKeepsWhatTheServerSaid() throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        followed("audit").columns("id INT, age INT, op STRING METADATA").create(sql, "t");
        Followed followed = Followed.start(sql, "SELECT op, id, age FROM t");
        List<String> rows = followed.await(8);
        assertThat(rows.subList(2, 8))
                .containsExactly(
                        "+I[-U, 2, 22]",
                        "+I[+U, 2, 22]",
                        "+I[-U, 2, 23]",
                        "+I[+U, 2, 23]",
                        "+I[-D, 1, null]",
                        "+I[+I, 3, 19]");
        followed.cancel();
    }
}
