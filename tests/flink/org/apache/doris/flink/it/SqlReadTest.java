package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What users write in Flink SQL gives the rows that Doris has, and asks Doris for no more than
 * needed.
 */
@Timeout(60)
class SqlReadTest {

    @RegisterExtension
    static final Standin DORIS = Standin.with("--backends", "3", "--time-zone", "+08:00");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private long mark;

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.student (id INT NOT NULL, name VARCHAR(50), age INT, score"
                    + " DECIMAL(5,1), x DOUBLE, enrolled DATETIME(3)) UNIQUE KEY(id) DISTRIBUTED BY"
                    + " HASH(id) BUCKETS 4 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.student VALUES"
                        + " (1, 'Alice', 18, 91.5, 1.5, '2024-12-01 00:00:00'),"
                        + " (2, 'Bob', 21, 78.0, 2.5, '2024-12-01 10:00:00.123'),"
                        + " (3, 'Chen', 19, 88.2, -0.5, '2024-11-30 23:59:59.999'),"
                        + " (4, 'it''s', 24, NULL, NULL, '2020-02-29 10:00:00'),"
                        + " (5, NULL, NULL, 64.9, 0, NULL)",
                "CREATE TABLE test.parts (k BIGINT, part INT) DUPLICATE KEY(k) PARTITION BY"
                    + " RANGE(k) (PARTITION p0 VALUES LESS THAN (\"1000\"), PARTITION p1 VALUES"
                    + " LESS THAN (\"2000\"), PARTITION p2 VALUES LESS THAN (\"3000\")) DISTRIBUTED"
                    + " BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.parts SELECT number, FLOOR(number / 1000) FROM numbers(\"number\""
                        + " = \"3000\")",
                "CREATE TABLE test.nothing (id INT, name STRING) DUPLICATE KEY(id) DISTRIBUTED BY"
                        + " HASH(id) BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")",
                "CREATE TABLE test.scattered (k INT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY"
                        + " RANDOM BUCKETS 5 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.scattered SELECT number, concat('v', number) FROM"
                        + " numbers(\"number\" = \"500\")",
                "CREATE TABLE test.deep (id INT, s STRUCT<a:INT,b:STRUCT<c:STRING,d:ARRAY<INT>>>, m"
                        + " MAP<STRING,INT>) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1"
                        + " PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.deep VALUES (1, named_struct('a', 10, 'b', named_struct('c', 'x',"
                        + " 'd', [1, 2])), {'k': 1}), (2, NULL, NULL)");
    }

    @BeforeEach
    void declare() {
        sql = FLINK.batch("table.exec.resource.default-parallelism", "2");
        student().create(sql, "student");
        DorisTable.of(DORIS, "test.parts").columns("k BIGINT, part INT").create(sql, "parts");
        mark = DORIS.mark();
    }

    private static DorisTable student() {
        return DorisTable.of(DORIS, "test.student")
                .columns(
                        "id INT NOT NULL, name STRING, age INT, score DECIMAL(5, 1), x DOUBLE,"
                                + " enrolled TIMESTAMP(3)");
    }

    @Test
    void aSelectGivesAllRowsAndAllColumns() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT * FROM student"))
                .containsExactly(
                        "+I[1, Alice, 18, 91.5, 1.5, 2024-12-01T00:00]",
                        "+I[2, Bob, 21, 78.0, 2.5, 2024-12-01T10:00:00.123]",
                        "+I[3, Chen, 19, 88.2, -0.5, 2024-11-30T23:59:59.999]",
                        "+I[4, it's, 24, null, null, 2020-02-29T10:00]",
                        "+I[5, null, null, 64.9, 0.0, null]");
        assertThat(DORIS.queries(mark, "student"))
                .hasSize(4)
                .allMatch(query -> query.contains("TABLET("));
    }

    @Test
    void aStreamingJobReadsTheSameAndFinishes() throws Exception {
        TableEnvironment streaming = FLINK.streaming();
        student().create(streaming, "student");
        assertThat(FlinkCluster.texts(streaming, "SELECT id FROM student"))
                .containsExactly("+I[1]", "+I[2]", "+I[3]", "+I[4]", "+I[5]");
    }

    @Test
    void aProjectionInAnotherOrderKeepsValuesWithTheirColumns() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT age, id, name FROM student WHERE id < 3"))
                .containsExactly("+I[18, 1, Alice]", "+I[21, 2, Bob]");
        assertThat(DORIS.queries(mark, "student"))
                .allMatch(query -> !query.contains("score") && !query.contains("enrolled"));
    }

    @Test
    void countingReadsOneColumnAtMost() throws Exception {
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(*) FROM student"))
                .containsExactly(Row.of(5L));
        assertThat(DORIS.queries(mark, "student"))
                .isNotEmpty()
                .allMatch(query -> query.matches("SELECT (`id`|COUNT\\(\\*\\)) FROM .*"));
    }

    @Test
    void countingWithAFilterCountsInDoris() throws Exception {
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(*) FROM parts WHERE k >= 990 AND k < 2010"))
                .containsExactly(Row.of(1020L));
        assertThat(DORIS.rowsSent(mark, "parts")).isLessThanOrEqualTo(1020);
    }

    @Test
    void nestedFieldsAreCutOutByDoris() throws Exception {
        DorisTable.of(DORIS, "test.deep")
                .columns("id INT, s ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>")
                .create(sql, "deep");
        assertThat(FlinkCluster.texts(sql, "SELECT s.b.c, id, s.a FROM deep"))
                .containsExactly("+I[null, 2, null]", "+I[x, 1, 10]");
        assertThat(DORIS.queries(mark, "deep"))
                .allMatch(query -> query.contains("struct_element("));
        assertThat(FlinkCluster.texts(sql, "SELECT * FROM deep"))
                .containsExactly("+I[1, +I[10, +I[x, [1, 2]]], {k=1}]", "+I[2, null, null]");
        assertThat(FlinkCluster.texts(sql, "SELECT id, s.b.d[2], m['k'] FROM deep WHERE s.a = 10"))
                .containsExactly("+I[1, 2, 1]");
    }

    @Test
    void filtersGoToDorisAndWhatCannotGoStaysInFlink() throws Exception {
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT id FROM student WHERE age >= 19 AND score IS NOT NULL AND"
                                        + " UPPER(name) = 'BOB'"))
                .containsExactly("+I[2]");
        assertThat(DORIS.queries(mark, "student"))
                .allMatch(
                        query ->
                                query.contains("`age` >= 19")
                                        && query.contains("`score` IS NOT NULL"))
                .noneMatch(query -> query.toUpperCase().contains("UPPER"));
    }

    @Test
    void aFilterWithAFunctionIsNotSent() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE CHAR_LENGTH(name) = 4"))
                .containsExactly("+I[3]", "+I[4]");
        assertThat(DORIS.queries(mark, "student")).noneMatch(query -> query.contains("WHERE"));
    }

    @Test
    void aFilterWithACastThatChangesValuesIsNotSent() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE CAST(x AS INT) = 1"))
                .containsExactly("+I[1]");
        assertThat(DORIS.queries(mark, "student")).noneMatch(query -> query.contains("WHERE"));
    }

    @Test
    void timeStampsAreSentAsQuotedText() throws Exception {
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT id FROM student WHERE enrolled >= TIMESTAMP '2024-12-01"
                                        + " 00:00:00'"))
                .containsExactly("+I[1]", "+I[2]");
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT id FROM student WHERE enrolled = TIMESTAMP '2024-12-01"
                                        + " 10:00:00.123'"))
                .containsExactly("+I[2]");
        assertThat(String.join("\n", DORIS.queries(mark, "student")))
                .contains("'2024-12-01 00:00:00'")
                .contains("'2024-12-01 10:00:00.123");
    }

    @Test
    void quotesAndBackslashesInLiteralsKeepTheirMeaning() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE name = 'it''s'"))
                .containsExactly("+I[4]");
        assertThat(
                        FlinkCluster.texts(
                                sql, "SELECT id FROM student WHERE name IN ('Bob', '\\', 'a&b=c')"))
                .containsExactly("+I[2]");
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT id FROM student WHERE name LIKE '%e%' AND name LIKE"
                                        + " 'C_en'"))
                .containsExactly("+I[3]");
    }

    @Test
    void nullsAreFilteredAsFlinkDoes() throws Exception {
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE age <> 18"))
                .containsExactly("+I[2]", "+I[3]", "+I[4]");
        assertThat(
                        FlinkCluster.texts(
                                sql, "SELECT id FROM student WHERE NOT (age = 18 OR score > 80)"))
                .containsExactly("+I[2]");
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE (age > 20) IS NOT TRUE"))
                .containsExactly("+I[1]", "+I[3]", "+I[5]");
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM student WHERE age NOT IN (18, 21)"))
                .containsExactly("+I[3]", "+I[4]");
    }

    @Test
    void twoScansOfOneTableKeepTheirOwnFilters() throws Exception {
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT * FROM student WHERE id = 1 UNION ALL SELECT * FROM student"
                                        + " WHERE id = 2"))
                .hasSize(2)
                .satisfiesExactly(
                        row -> assertThat(row).startsWith("+I[1, Alice"),
                        row -> assertThat(row).startsWith("+I[2, Bob"));
    }

    @Test
    void theUsersOwnFilterIsJoinedToThePushedOne() throws Exception {
        student().with("doris.filter.query", "id = 1 OR id = 2").create(sql, "filtered");
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM filtered WHERE age = 21"))
                .containsExactly("+I[2]");
        assertThat(DORIS.queries(mark, "student"))
                .allMatch(
                        query ->
                                query.contains("(id = 1 OR id = 2) AND (")
                                        && query.contains("`age` = 21"));
    }

    @Test
    void aLimitIsExactAndReadsNoMoreThanItOfEachSplit() throws Exception {
        assertThat(FlinkCluster.rows(sql, "SELECT * FROM parts LIMIT 10")).hasSize(10);
        assertThat(DORIS.queries(mark, "parts"))
                .isNotEmpty()
                .allMatch(query -> query.endsWith("LIMIT 10"));
        assertThat(DORIS.rowsSent(mark, "parts")).isBetween(10L, 30L);
    }

    @Test
    void aLimitOverAFilterThatStaysBehindIsNotSent() throws Exception {
        assertThat(FlinkCluster.rows(sql, "SELECT k FROM parts WHERE MOD(k, 100) = 7 LIMIT 12"))
                .hasSize(12);
        assertThat(DORIS.queries(mark, "parts")).noneMatch(query -> query.contains("LIMIT"));
    }

    @Test
    void allPartitionsAndAllTabletsAreRead() throws Exception {
        assertThat(
                        FlinkCluster.rows(
                                sql,
                                "SELECT COUNT(*), COUNT(DISTINCT k), SUM(k), MAX(part) FROM parts"))
                .containsExactly(Row.of(3000L, 3000L, 4498500L, 2));
        DorisTable.of(DORIS, "test.scattered").columns("k INT, v STRING").create(sql, "scattered");
        assertThat(
                        FlinkCluster.rows(
                                sql, "SELECT COUNT(v), COUNT(DISTINCT v), SUM(k) FROM scattered"))
                .containsExactly(Row.of(500L, 500L, 124750));
        assertThat(DORIS.queries(mark, "scattered")).hasSize(5);
    }

    @Test
    void severalTabletsGoIntoASplit() throws Exception {
        DorisTable.of(DORIS, "test.scattered")
                .columns("k INT, v STRING")
                .with("doris.request.tablet.size", "10")
                .create(sql, "scattered");
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(v), SUM(k) FROM scattered"))
                .containsExactly(Row.of(500L, 124750));
        // Tablets of one split share a back end.
        assertThat(DORIS.queries(mark, "scattered")).hasSizeBetween(1, 3);
    }

    @Test
    void anEmptyTableGivesNoRow() throws Exception {
        DorisTable.of(DORIS, "test.nothing").columns("id INT, name STRING").create(sql, "nothing");
        assertThat(FlinkCluster.rows(sql, "SELECT * FROM nothing")).isEmpty();
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(*) FROM nothing"))
                .containsExactly(Row.of(0L));
    }

    @Test
    void readersWithoutASplitFinish() throws Exception {
        DorisTable.of(DORIS, "test.deep")
                .columns("id INT")
                .with("scan.parallelism", "4")
                .create(sql, "deep");
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM deep"))
                .containsExactly("+I[1]", "+I[2]");
        assertThat(DORIS.queries(mark, "deep")).hasSize(1);
    }

    @Test
    void aViewIsReadInOneQueryWithoutTablets() throws Exception {
        DORIS.run("CREATE VIEW test.adults AS SELECT id, name FROM test.student WHERE age > 18");
        DorisTable.of(DORIS, "test.adults").columns("id INT, name STRING").create(sql, "adults");
        assertThat(FlinkCluster.texts(sql, "SELECT name FROM adults WHERE id <> 3"))
                .containsExactly("+I[Bob]", "+I[it's]");
        assertThat(DORIS.queries(mark, "adults"))
                .hasSize(1)
                .noneMatch(query -> query.contains("TABLET"));
    }

    @Test
    void namesOfAnyKindAreQuoted() throws Exception {
        DORIS.run(
                "CREATE DATABASE `my db-1`",
                "CREATE TABLE `my db-1`.`select from-表` (`key` INT, `a b` STRING, `c-d` INT, `e.f`"
                        + " INT, `日本` STRING, `MixedCase` INT) DUPLICATE KEY(`key`) DISTRIBUTED BY"
                        + " HASH(`key`) BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO `my db-1`.`select from-表` VALUES (1, 'x', 2, 3, '値', 4), (2, NULL,"
                        + " 5, 6, '😱', 7)");
        DorisTable.of(DORIS, "`my db-1`.`select from-表`")
                .columns(
                        "`日本` STRING, `e.f` INT, `key` INT, `a b` STRING, `c-d` INT, `MixedCase`"
                                + " INT")
                .create(sql, "select from");
        assertThat(FlinkCluster.texts(sql, "SELECT * FROM `select from`"))
                .containsExactly("+I[値, 3, 1, x, 2, 4]", "+I[😱, 6, 2, null, 5, 7]");
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT `e.f` FROM `select from` WHERE `日本` = '😱' AND `a b` IS"
                                        + " NULL AND `c-d` = 5"))
                .containsExactly("+I[6]");
    }

    @Test
    void aJoinWithAnotherConnectorGivesMatches() throws Exception {
        sql.executeSql(
                "CREATE TEMPORARY TABLE course (course_id INT) WITH ('connector' = 'datagen',"
                        + " 'number-of-rows' = '4', 'fields.course_id.kind' = 'sequence',"
                        + " 'fields.course_id.start' = '2', 'fields.course_id.end' = '5')");
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT c.course_id, s.name FROM course c JOIN student s ON s.id ="
                                        + " c.course_id"))
                .containsExactly("+I[2, Bob]", "+I[3, Chen]", "+I[4, it's]", "+I[5, null]");
    }

    @Test
    void aJoinOfATableWithItselfGivesMatches() throws Exception {
        assertThat(
                        FlinkCluster.texts(
                                sql,
                                "SELECT a.id, b.id FROM student a JOIN student b ON a.age = b.age +"
                                        + " 3 AND a.score IS NULL"))
                .containsExactly("+I[4, 2]");
    }

    @Test
    void explainShowsWhatWasPushed() {
        String plan =
                sql.explainSql(
                        "SELECT name, age FROM student WHERE age >= 19 AND CHAR_LENGTH(name) = 3"
                                + " AND id IN (2, 3)");
        assertThat(plan)
                .contains("project=[name, age")
                .contains(">=(age, 19)")
                .contains("CHAR_LENGTH");
        assertThat(sql.explainSql("SELECT id FROM student LIMIT 7")).contains("limit=[7]");
        assertThat(DORIS.journal(mark)).as("explaining needs no server").isEmpty();
    }

    @Test
    void hintsChangeOptionsOfOneQuery() throws Exception {
        long before = DORIS.stat("batches_served");
        FlinkCluster.rows(sql, "SELECT k FROM parts /*+ OPTIONS('doris.batch.size' = '100') */");
        assertThat(DORIS.stat("batches_served") - before).isGreaterThanOrEqualTo(30);
    }

    @Test
    void aTableOfTwoThousandColumnsIsRead() throws Exception {
        String columns =
                IntStream.range(0, 2000)
                        .mapToObj(i -> "a_rather_long_column_name_" + i + " INT")
                        .collect(Collectors.joining(", "));
        DORIS.run(
                "CREATE TABLE test.wide ("
                        + columns
                        + ") DUPLICATE KEY(a_rather_long_column_name_0)"
                        + " DISTRIBUTED BY HASH(a_rather_long_column_name_0) BUCKETS 2"
                        + " PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.wide VALUES ("
                        + IntStream.range(0, 2000)
                                .mapToObj(String::valueOf)
                                .collect(Collectors.joining(","))
                        + ")");
        DorisTable.of(DORIS, "test.wide").columns(columns).create(sql, "wide");
        List<Row> rows = FlinkCluster.rows(sql, "SELECT * FROM wide");
        assertThat(rows).hasSize(1);
        assertThat(IntStream.range(0, 2000).allMatch(i -> rows.get(0).getField(i).equals(i)))
                .isTrue();
    }

    @Test
    void oneSessionPerReaderServesAllSplits() throws Exception {
        long logins = DORIS.stat("flight_logins");
        DorisTable.of(DORIS, "test.scattered")
                .columns("k INT, v STRING")
                .with("scan.parallelism", "1")
                .create(sql, "scattered");
        FlinkCluster.rows(sql, "SELECT v FROM scattered");
        assertThat(DORIS.stat("flight_logins") - logins)
                .as("one to plan, one to read")
                .isLessThanOrEqualTo(2);
        NothingLeft.check(DORIS);
    }
}
