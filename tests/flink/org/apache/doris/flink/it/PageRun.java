package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run through a page, block by block, as a reader would: statements go to the MySQL port or to
 * Flink, and what the page states as the result of a query must be what it gives.
 */
final class PageRun {

    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']*)'");

    private final Standin doris;
    private final FlinkCluster flink;
    private final WriteMode mode;
    private final StreamTableEnvironment sql;
    private final List<JobClient> jobs = new ArrayList<>();
    private final List<Followed> queries = new ArrayList<>();

    /** The last query, and how many of its rows the page has stated so far. */
    private String asked;

    private Followed followed;
    private int stated;

    /** The mode decides how tables are written to for which the page does not say it. */
    PageRun(Standin doris, FlinkCluster flink, WriteMode mode) {
        this.doris = doris;
        this.flink = flink;
        this.mode = mode;
        this.sql = flink.streaming("restart-strategy.type", "none", "parallelism.default", "1");
    }

    /** Runs all blocks of a page that can be run, then ends what still runs. */
    void run(Page page) throws Exception {
        for (Page.Block block : page.blocks("sql", "text", "java")) {
            if (!block.reasonNotToRun().isEmpty()) {
                continue;
            }
            if (block.language().equals("sql")) {
                run(block);
            } else if (block.language().equals("text")) {
                check(block);
            } else if (page.isScenario()) {
                JavaSample.run(here(block.text()));
            }
        }
        for (Followed query : queries) {
            if (!query.hasEnded()) {
                query.cancel();
            }
        }
        for (JobClient job : jobs) {
            job.cancel().get();
            FlinkCluster.end(job);
        }
    }

    private void run(Page.Block block) throws Exception {
        List<String> statements = block.statements();
        for (String statement : statements) {
            if (block.where().equals("Doris")) {
                askDoris(statement);
            } else {
                boolean last = statement.equals(statements.get(statements.size() - 1));
                askFlink(statement, last && block.keepsRunning());
            }
        }
    }

    private void askDoris(String statement) {
        if (statement.startsWith("SELECT")) {
            asked = statement;
            followed = null;
        }
        doris.run(statement);
    }

    private void askFlink(String statement, boolean keepsRunning) throws Exception {
        Matcher set = SET.matcher(statement);
        if (set.matches()) {
            // Faster than a reader would have it.
            sql.getConfig()
                    .set(set.group(1), set.group(1).contains("interval") ? "1s" : set.group(2));
            return;
        }
        // What was committed in the second of the start would come as content and as a change.
        doris.advanceClock(Duration.ofSeconds(2));
        String here = here(statement);
        if (here.startsWith("SELECT")) {
            followed = Followed.start(sql, here);
            stated = 0;
            queries.add(followed);
        } else if (here.startsWith("INSERT") && keepsRunning) {
            jobs.add(sql.executeSql(here).getJobClient().orElseThrow());
        } else if (here.startsWith("INSERT")) {
            flink.finish(sql.executeSql(here));
        } else {
            sql.executeSql(here);
        }
    }

    /** A statement or sample with the addresses of this server, and its write mode. */
    private String here(String text) {
        String here =
                text.replace("127.0.0.1:8030", doris.fenodes())
                        .replace("127.0.0.1:9030", "127.0.0.1:" + doris.port("fe", 0, "mysql"))
                        .replace("2026-10-09 10:00:00", "2020-01-01 00:00:00")
                        // A job of the page may run in the other slots.
                        .replaceAll("getExecutionEnvironment\\(\\)", "$0.setParallelism(1)")
                        .replaceAll("enableCheckpointing\\([0-9_]+\\)", "enableCheckpointing(1000)")
                        .replace(
                                "'source.scan.mode'",
                                "'source.changelog.poll-interval' = '1s', 'source.scan.mode'");
        if (mode == WriteMode.STREAM_LOAD) {
            return here;
        }
        return here.replace(
                        "'connector' = 'doris'",
                        "'connector' = 'doris', 'sink.write-mode' = '" + mode + "'")
                .replaceAll(
                        "DorisExecutionOptions\\.builder(Defaults)?\\(\\)",
                        "$0.setWriteMode(org.apache.doris.flink.sink.writer.WriteMode."
                                + mode
                                + ")");
    }

    private void check(Page.Block result) throws Exception {
        if (followed != null) {
            List<String> rows = List.of(result.text().split("\n"));
            int from = stated;
            stated += rows.size();
            assertThat(followed.await(stated).subList(from, stated)).isEqualTo(rows);
            return;
        }
        if (asked == null) {
            throw new AssertionError("no query gives this result: " + result);
        }
        try {
            // A commit is published a moment after the job has ended.
            Until.holds("the result", () -> doris.sql(asked).equals(result.rows()));
        } catch (AssertionError late) {
            assertThat(doris.sql(asked)).as(asked).isEqualTo(result.rows());
        }
    }
}
