package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What users write in Flink SQL is what the tables of Doris hold afterwards, and when. */
@Timeout(120)
class SqlWriteTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "3");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private StreamExecutionEnvironment environment;
    private StreamTableEnvironment sql;
    private long mark;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        environment =
                FLINK.environment(
                        "execution.checkpointing.interval", "1h",
                        "restart-strategy.type", "none",
                        "table.exec.resource.default-parallelism", "2");
        sql = StreamTableEnvironment.create(environment);
        mark = DORIS.mark();
    }

    private void insert(String statement) throws Exception {
        FLINK.finish(sql.executeSql(statement));
    }

    /** The documentation's first example, with checkpoints taken by hand. */
    @Test
    void rowsAreVisibleWithTheirCheckpointAndNotBefore() throws Exception {
        DORIS.run(
                "CREATE TABLE test.student (id INT, name STRING, age INT) DUPLICATE KEY(id)"
                        + " DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES (\"replication_num\" ="
                        + " \"1\")");
        sql.executeSql(
                "CREATE TABLE student_source (id INT, name STRING, age INT) WITH ('connector' ="
                        + " 'datagen', 'rows-per-second' = '100', 'fields.name.length' = '20',"
                        + " 'fields.id.min' = '1', 'fields.id.max' = '100000', 'fields.age.min' ="
                        + " '3', 'fields.age.max' = '30')");
        DorisTable.of(DORIS, "test.student")
                .columns("id INT, name STRING, age INT")
                .with("sink.label-prefix", "doris_label")
                .with("sink.parallelism", "1")
                // A load begins with its first full buffer.
                .with("sink.buffer-size", "1kb")
                .create(sql, "student_sink");
        JobClient job =
                sql.executeSql("INSERT INTO student_sink SELECT * FROM student_source")
                        .getJobClient()
                        .get();
        Until.holds("a load has begun", () -> !states().isEmpty());
        // Newer versions of Flink take a checkpoint of their own when a job has started.
        FLINK.checkpoint(job);
        Until.holds("rows of the checkpoint are visible", () -> students() > 0);
        assertThat(states().firstEntry().getValue()).isEqualTo("VISIBLE");
        assertThat(states().firstKey()).matches("doris_label_test_student_0_[0-9a-f]{6}-0-0_0");

        Until.holds("nothing waits for its commit", () -> !states().containsValue("PRECOMMITTED"));
        long before = students();
        Until.holds("the next load is open", () -> states().containsValue("PREPARE"));
        assertThat(students()).isEqualTo(before);
        FLINK.checkpoint(job);
        Until.holds("rows of the next checkpoint are visible", () -> students() > before);
        assertThat(DORIS.value("SELECT MIN(CHAR_LENGTH(name)) FROM test.student")).isEqualTo("20");

        job.cancel().get();
        FlinkCluster.end(job);
        Until.holds("nothing is left open", () -> !states().containsValue("PREPARE"));
    }

    private static long students() {
        return Long.parseLong(DORIS.value("SELECT COUNT(*) FROM test.student"));
    }

    /** Label → state of the example's loads. */
    private static TreeMap<String, String> states() {
        return DORIS.transactions("doris_label").stream()
                .collect(
                        Collectors.toMap(
                                Transaction::label,
                                Transaction::state,
                                (one, two) -> two,
                                TreeMap::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void anUpsertStreamIsWhatTheQueryGivesAtEveryCheckpoint(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "c BIGINT, n BIGINT, s BIGINT");
        sql.getConfig().set("execution.checkpointing.interval", "200ms");
        // One source, so that what a checkpoint covers are the first so many numbers.
        sql.getConfig().set("table.exec.resource.default-parallelism", "1");
        sql.executeSql(
                "CREATE TABLE numbers (id BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' ="
                        + " 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '3000',"
                        + " 'rows-per-second' = '800')");
        table.declared()
                .columns("c BIGINT, n BIGINT, s BIGINT, PRIMARY KEY (c) NOT ENFORCED")
                .with("sink.properties.format", format)
                .create(sql, "counts");
        // Counts of counts: rows are inserted, updated and deleted all the time.
        JobClient job =
                sql.executeSql(
                                "INSERT INTO counts SELECT c, COUNT(*), SUM(k) FROM (SELECT"
                                        + " MOD(id, 7) AS k, COUNT(*) AS c FROM numbers GROUP BY"
                                        + " MOD(id, 7)) GROUP BY c")
                        .getJobClient()
                        .get();
        Set<Long> seen = new TreeSet<>();
        Until.holds(
                "the job has ended",
                () -> {
                    boolean ended = job.getJobStatus().get().isTerminalState();
                    List<List<String>> rows = table.rows();
                    long numbers = rows.stream().mapToLong(row -> at(row, 0) * at(row, 1)).sum();
                    assertThat(rows).as("%d numbers", numbers).isEqualTo(countsOfCounts(numbers));
                    seen.add(numbers);
                    return ended;
                });
        job.getJobExecutionResult().get();
        assertThat(seen).hasSizeGreaterThan(3).contains(3000L);
        // 3000 = 7 * 428 + 4: remainders 1 to 4 come once more.
        assertThat(table.rows())
                .containsExactly(List.of("428", "3", "11"), List.of("429", "4", "10"));
    }

    /** What the query gives for the numbers from 1 on. */
    private static List<List<String>> countsOfCounts(long numbers) {
        Map<Long, long[]> counts = new TreeMap<>();
        for (long k = 0; k < 7; k++) {
            long count = (numbers + 7 - k) / 7 - (k == 0 ? 1 : 0);
            if (count > 0) {
                long[] group = counts.computeIfAbsent(count, any -> new long[2]);
                group[0]++;
                group[1] += k;
            }
        }
        return counts.entrySet().stream()
                .map(e -> List.of("" + e.getKey(), "" + e.getValue()[0], "" + e.getValue()[1]))
                .collect(Collectors.toList());
    }

    private static long at(List<String> row, int column) {
        return Long.parseLong(row.get(column));
    }

    @Test
    void aBoundedJobInBatchExecutionCommitsAtItsEnd() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, name STRING");
        TableEnvironment batch = FLINK.batch("table.exec.resource.default-parallelism", "2");
        table.declared().columns("id INT, name STRING").create(batch, "target");
        batch.executeSql("INSERT INTO target VALUES (1, 'a'), (2, CAST(NULL AS STRING)), (3, '')")
                .await();
        assertThat(table.rows("id, IFNULL(name, 'null')"))
                .containsExactly(List.of("1", "a"), List.of("2", "null"), List.of("3", ""));
    }

    @Test
    void withoutTwoPhaseCommitRowsAreVisibleWhenTheLoadEnds() throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT");
        table.declared().columns("id INT").with("sink.enable-2pc", "false").create(sql, "target");
        insert("INSERT INTO target VALUES (1), (2)");
        assertThat(table.rows()).containsExactly(List.of("1"), List.of("2"));
        assertThat(table.loads(mark))
                .isNotEmpty()
                .noneMatch(headers -> "true".equals(headers.get("two_phase_commit")));
    }

    /** NET-8 */
    @Test
    void net8SubtasksSpreadOverTheBackEnds() throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id BIGINT");
        sql.executeSql(
                "CREATE TABLE numbers (id BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' ="
                        + " 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '600')");
        table.declared().columns("id BIGINT").with("sink.parallelism", "6").create(sql, "target");
        insert("INSERT INTO target SELECT id FROM numbers");
        assertThat(table.count()).isEqualTo(600);
        Map<Object, Long> perNode =
                table.requests(mark).stream()
                        .filter(entry -> String.valueOf(entry.get("channel")).startsWith("be"))
                        .collect(
                                Collectors.groupingBy(
                                        entry -> entry.get("node"), Collectors.counting()));
        assertThat(perNode)
                .hasSize(3)
                .allSatisfy((node, loads) -> assertThat(loads).isGreaterThanOrEqualTo(2));
    }
}
