package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of {@code docs/changelog.md}, run one after the other as a reader would. */
@Timeout(180)
class ChangelogPageTest {

    private static final Path PAGE = Paths.get(System.getProperty("doris.docs"), "changelog.md");
    private static final Pattern BLOCK =
            Pattern.compile("```sql\n-- (Doris|Flink)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final Map<String, Followed> queries = new LinkedHashMap<>();
    private final List<JobClient> jobs = new ArrayList<>();
    private StreamTableEnvironment sql;

    @Test
    void theStatementsOfThePageRun() throws Exception {
        sql = FLINK.streaming("restart-strategy.type", "none", "parallelism.default", "1");
        Matcher block = BLOCK.matcher(Files.readString(PAGE));
        int statements = 0;
        while (block.find()) {
            for (String statement : block.group(2).split(";\n")) {
                run(block.group(1), statement.trim());
                statements++;
            }
        }
        assertThat(statements).isGreaterThan(20);
        assertThat(followed("SELECT * FROM student_changelog").await(5))
                .containsExactly(
                        "+I[1, Alice, 18]",
                        "+I[2, Bob, 21]",
                        "-U[1, Alice, 18]",
                        "+U[1, Alicia, 18]",
                        "-D[2, Bob, 21]");
        assertThat(queries.keySet())
                .anyMatch(query -> query.contains("student_history"))
                .anyMatch(query -> query.contains("TUMBLE"))
                .anyMatch(query -> query.contains("student_published"));
        followed("SELECT * FROM student_published").awaitAll("+I[1, Alicia, 18]");
        Until.holds(
                "the copy is the table",
                () ->
                        DORIS.sql("SELECT id, name FROM test.student_copy")
                                .equals(List.of(List.of("1", "Alicia"))));
        Until.holds(
                "the position is published",
                () ->
                        DORIS.sql("SELECT consumer_id FROM ops.flink_source_offsets")
                                .equals(List.of(List.of("student-sync"))));
        for (Followed query : queries.values()) {
            query.cancel();
        }
        for (JobClient job : jobs) {
            job.cancel().get();
            FlinkCluster.end(job);
        }
    }

    private Followed followed(String query) {
        return queries.get(query);
    }

    private void run(String where, String statement) throws Exception {
        if (where.equals("Doris")) {
            if (statement.startsWith("INSERT INTO test.student_changelog_source VALUES (2")) {
                followed("SELECT * FROM student_changelog").await(1);
            }
            DORIS.run(statement);
            return;
        }
        Matcher set = SET.matcher(statement);
        if (set.matches()) {
            // Faster than a reader would have it.
            sql.getConfig()
                    .set(set.group(1), set.group(1).contains("interval") ? "1s" : set.group(2));
            return;
        }
        String here =
                statement
                        .replace("127.0.0.1:8030", DORIS.fenodes())
                        .replace("2026-10-09 10:00:00", "2020-01-01 00:00:00")
                        .replace("127.0.0.1:9030", "127.0.0.1:" + DORIS.port("fe", 0, "mysql"));
        // What was committed in the second of the start would come as content and as a change.
        DORIS.advanceClock(Duration.ofSeconds(2));
        if (here.startsWith("SELECT")) {
            queries.put(here, Followed.start(sql, here));
        } else if (here.startsWith("INSERT")) {
            jobs.add(sql.executeSql(here).getJobClient().orElseThrow());
        } else {
            assertThat(here).startsWith("CREATE TABLE").contains(DORIS.fenodes());
            sql.executeSql(
                    here.replace(
                            "'source.scan.mode'",
                            "'source.changelog.poll-interval' = '1s', 'source.scan.mode'"));
        }
    }
}
