package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of {@code docs/writing.md}, run one after the other as a reader would. */
@Timeout(120)
class WritingPageTest {

    private static final Path PAGE = Paths.get(System.getProperty("doris.docs"), "writing.md");
    private static final Pattern BLOCK =
            Pattern.compile("```sql\n-- (Doris|Flink)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @Test
    void theStatementsOfThePageRun() throws Exception {
        StreamTableEnvironment sql = FLINK.streaming("restart-strategy.type", "none");
        Matcher block = BLOCK.matcher(Files.readString(PAGE));
        int statements = 0;
        while (block.find()) {
            for (String statement : block.group(2).split(";\n")) {
                run(block.group(1), statement.trim(), sql);
                statements++;
            }
        }
        assertThat(statements).isGreaterThan(15);
        assertThat(rows("SELECT id, name, IFNULL(age, -1) FROM test.student"))
                .containsExactly(List.of("1", "Alicia", "19"), List.of("3", "Chen", "-1"));
        assertThat(rows("SELECT id, note FROM test.notes"))
                .containsExactly(
                        List.of("1", "a, b"),
                        List.of("2", "say \"hi\""),
                        Arrays.asList("3", null),
                        List.of("4", ""));
        assertThat(rows("SELECT age, students FROM test.ages"))
                .containsExactly(List.of("18", "2"), List.of("21", "1"));
        assertThat(rows("SELECT dt, page, bitmap_to_string(user_id) FROM test.visits"))
                .containsExactly(List.of("1", "start", "7,8"));
    }

    private static void run(String where, String statement, StreamTableEnvironment sql)
            throws Exception {
        if (where.equals("Doris")) {
            DORIS.run(statement);
            return;
        }
        Matcher set = SET.matcher(statement);
        if (set.matches()) {
            sql.getConfig().set(set.group(1), set.group(2));
            return;
        }
        String here = statement.replace("127.0.0.1:8030", DORIS.fenodes());
        if (here.startsWith("INSERT")) {
            sql.executeSql(here).await();
        } else {
            assertThat(here).startsWith("CREATE TABLE").contains(DORIS.fenodes());
            sql.executeSql(here);
        }
    }

    private static List<List<String>> rows(String query) {
        return DORIS.sql(query + " ORDER BY 1");
    }
}
