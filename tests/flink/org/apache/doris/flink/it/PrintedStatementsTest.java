package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

/**
 * The statements that Doris' documentation prints for writing, as they stand there: names, types,
 * options, letter case and login, with the addresses of this server in place of theirs.
 */
@EachWriteMode
@Timeout(120)
class PrintedStatementsTest {

    @RegisterExtension
    static final Standin DORIS = Standin.with("--user", "root:", "--user", "writer:password");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final WriteMode mode;
    private StreamTableEnvironment sql;

    PrintedStatementsTest(WriteMode mode) {
        this.mode = mode;
    }

    @BeforeEach
    void begin() {
        sql = FLINK.streaming("restart-strategy.type", "none", "parallelism.default", "1");
        // The intervals that are printed are 10 and 30 seconds.
        set("execution.checkpointing.interval", "1s");
    }

    private void set(String key, String value) {
        sql.getConfig().set(key, value);
    }

    /** The printed statement; in batch mode with the one option more that it prints for it. */
    private void create(String printed) {
        String here =
                printed.replace("127.0.0.1:8030", DORIS.fenodes())
                        .replace("10.16.10.6:28737", DORIS.fenodes());
        if (mode == WriteMode.STREAM_LOAD_BATCH) {
            here =
                    here.replace(
                            "'connector' = 'doris'",
                            "'connector' = 'doris', 'sink.enable.batch-mode' = 'true'");
        }
        sql.executeSql(here);
    }

    private void insert(String statement) throws Exception {
        FLINK.finish(sql.executeSql(statement));
    }

    private static void table(String name, String columns, String model) {
        String database = name.substring(0, name.indexOf('.'));
        DORIS.run(
                "CREATE DATABASE IF NOT EXISTS " + database,
                "DROP TABLE IF EXISTS " + name,
                "CREATE TABLE "
                        + name
                        + " ("
                        + columns
                        + ") "
                        + model
                        + " DISTRIBUTED BY HASH("
                        + columns.split(" ")[0]
                        + ") BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")");
    }

    @Test
    void aStreamIsWritten() throws Exception {
        table("test.student", "id INT, name VARCHAR(50), age INT", "UNIQUE KEY(id)");
        sql.executeSql(
                "CREATE TABLE student_source (id INT, name STRING, age INT) WITH ('connector' ="
                    + " 'datagen', 'rows-per-second' = '1', 'fields.name.length' = '20',"
                    + " 'fields.id.min' = '1', 'fields.id.max' = '100000', 'fields.age.min' = '3',"
                    + " 'fields.age.max' = '30')");
        create(
                "CREATE TABLE student_sink (id INT, name STRING, age INT) WITH ('connector' ="
                        + " 'doris', 'fenodes' = '10.16.10.6:28737', 'table.identifier' ="
                        + " 'test.student', 'username' = 'writer', 'password' = 'password',"
                        + " 'sink.label-prefix' = 'doris_label')");
        JobClient job =
                sql.executeSql("INSERT INTO student_sink SELECT * FROM student_source")
                        .getJobClient()
                        .orElseThrow();
        Until.holds(
                "rows are there",
                () -> !DORIS.value("SELECT COUNT(*) FROM test.student").equals("0"));
        assertThat(
                        DORIS.sql(
                                "SELECT MIN(CHAR_LENGTH(name)), MIN(age) >= 3, MAX(age) <= 30 FROM"
                                        + " test.student"))
                .containsExactly(List.of("20", "1", "1"));
        job.cancel().get();
        FlinkCluster.end(job);
    }

    /** Database and table have the names of the page, which are words of SQL. */
    @Test
    void someColumnsAreUpdated() throws Exception {
        table(
                "`database`.`table`",
                "id INT, name STRING, bank STRING, age INT, city STRING",
                "UNIQUE KEY(id)");
        DORIS.run("INSERT INTO `database`.`table` VALUES (1, 'a', 'b', 3, 'Ulm')");
        create(
                "CREATE TABLE doris_sink (id INT, name STRING, bank STRING, age int) WITH"
                    + " ('connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' ="
                    + " 'database.table', 'username' = 'root', 'password' = '',"
                    + " 'sink.properties.format' = 'json', 'sink.properties.read_json_by_line' ="
                    + " 'true', 'sink.properties.columns' = 'id,name,bank,age',"
                    + " 'sink.properties.partial_columns' = 'true')");
        insert("INSERT INTO doris_sink VALUES (1, 'x', 'y', 4), (2, 'z', 'w', 5)");
        assertThat(DORIS.sql("SELECT * FROM `database`.`table` ORDER BY id"))
                .containsExactly(
                        List.of("1", "x", "y", "4", "Ulm"),
                        Arrays.asList("2", "z", "w", "5", null));
    }

    @Test
    void aBitmapIsMadeOfANumber() throws Exception {
        table(
                "test.bitmap_test",
                "dt INT, page VARCHAR(256), user_id BITMAP BITMAP_UNION",
                "AGGREGATE KEY(dt, page)");
        create(
                "CREATE TABLE bitmap_sink (dt int, page string, user_id int) WITH ('connector' ="
                        + " 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' ="
                        + " 'test.bitmap_test', 'username' = 'root', 'password' = '',"
                        + " 'sink.label-prefix' = 'doris_label', 'sink.properties.columns' ="
                        + " 'dt,page,user_id,user_id=to_bitmap(user_id)')");
        insert("INSERT INTO bitmap_sink VALUES (1, 'p', 7), (1, 'p', 8), (2, 'q', 7)");
        assertThat(
                        DORIS.sql(
                                "SELECT dt, page, bitmap_to_string(user_id) FROM test.bitmap_test"
                                        + " ORDER BY dt"))
                .containsExactly(List.of("1", "p", "7,8"), List.of("2", "q", "7"));
    }

    /** The insert with the {@code CAST} that Flink asks for; without it nothing is planned. */
    @Test
    void aFieldOfTheMessageDeletes() throws Exception {
        table("db.`table`", "id INT, name VARCHAR(50)", "UNIQUE KEY(id)");
        DORIS.run("INSERT INTO db.`table` VALUES (1, 'zhangsan'), (2, 'lisi')");
        sql.executeSql(
                "CREATE TEMPORARY VIEW KAFKA_SOURCE AS SELECT * FROM (VALUES"
                    + " ('{\"id\":1,\"name\":\"zhangsan\"}', 'delete'),"
                    + " ('{\"id\":3,\"name\":\"wangwu\"}', 'insert')) AS messages(data, op_type)");
        create(
                "CREATE TABLE DORIS_SINK (id INT, name STRING, __DORIS_DELETE_SIGN__ INT) WITH"
                    + " ('connector' = 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' ="
                    + " 'db.table', 'username' = 'root', 'password' = '', 'sink.enable-delete' ="
                    + " 'false', 'sink.properties.columns' = 'id, name, __DORIS_DELETE_SIGN__')");
        String printed =
                "INSERT INTO DORIS_SINK SELECT json_value(data, '$.id') as id, json_value(data,"
                    + " '$.name') as name, if(op_type = 'delete', 1, 0) as __DORIS_DELETE_SIGN__"
                    + " FROM KAFKA_SOURCE";
        assertThat(Failure.of(() -> sql.explainSql(printed)).text())
                .contains("Incompatible types for sink column 'id' at position");
        insert(
                printed.replace(
                        "json_value(data, '$.id')", "CAST(json_value(data, '$.id') AS INT)"));
        assertThat(DORIS.sql("SELECT id, name FROM db.`table` ORDER BY id"))
                .containsExactly(List.of("2", "lisi"), List.of("3", "wangwu"));
        insert(
                printed.replace(
                        "json_value(data, '$.id')", "json_value(data, '$.id' RETURNING INT)"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'sink.properties.column_separator' = ', '",
                "'sink.properties.column_separator' = '\\x01',"
                        + " 'sink.properties.escape_delimiters' = 'true'",
                "'sink.properties.group_commit' = 'sync_mode'",
                "'sink.properties.compress_type' = ''",
            },
            quoteCharacter = '"')
    void anOptionThatIsShownInPassingWorks(String options) throws Exception {
        table("test.student", "id INT, name VARCHAR(50), age INT", "UNIQUE KEY(id)");
        create(
                "CREATE TABLE student_sink (id INT, name STRING, age INT) WITH ('connector' ="
                        + " 'doris', 'fenodes' = '127.0.0.1:8030', 'table.identifier' ="
                        + " 'test.student', 'username' = 'root', 'password' = '', "
                        + options
                        + ")");
        insert("INSERT INTO student_sink VALUES (1, 'a', 18), (2, CAST(NULL AS STRING), 21)");
        Until.holds(
                "both rows are there",
                () -> DORIS.value("SELECT COUNT(*) FROM test.student").equals("2"));
        assertThat(DORIS.sql("SELECT * FROM test.student ORDER BY id"))
                .containsExactly(List.of("1", "a", "18"), Arrays.asList("2", null, "21"));
    }
}
