package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Collectors;

/** Updates and deletes that Flink's planner sends, over two subtasks, by the default options. */
@EachWriteMode
@Timeout(120)
class SqlChangesTest {

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** What newer versions of Flink ask for when the query's key is not the table's. */
    private static final String ON_CONFLICT =
            System.getProperty("flink.version").compareTo("2.3") >= 0
                    ? " ON CONFLICT DO DEDUPLICATE"
                    : "";

    private static final String COUNTS =
            "SELECT id, n FROM (SELECT MOD(k, 2) AS id, COUNT(*) AS n FROM (VALUES (1), (2), (3),"
                    + " (4), (5)) AS g(k) GROUP BY MOD(k, 2)) ";

    private static final String OWNERS =
            "SELECT LAST_VALUE(CAST(name AS STRING)), id FROM (VALUES (5, 'e'), (5, 'f'), (6, 'e'))"
                    + " AS s(id, name) GROUP BY id";

    private final WriteMode mode;
    private StreamTableEnvironment sql;

    SqlChangesTest(WriteMode mode) {
        this.mode = mode;
    }

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql =
                FLINK.streaming(
                        "execution.checkpointing.interval", "1h",
                        "restart-strategy.type", "none",
                        "table.exec.resource.default-parallelism", "2");
    }

    private void insert(String statement) throws Exception {
        FLINK.finish(sql.executeSql(statement));
    }

    /** The row before is the only word that the row is gone. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void cdc8ARowThatAFilterTakesOutIsDeleted(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id INT, n BIGINT");
        table.declared(mode)
                .columns("id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED")
                .with("sink.properties.format", format)
                .create(sql, "target");
        insert("INSERT INTO target " + COUNTS + "WHERE n < 2");
        assertThat(table.rows()).isEmpty();
        insert("INSERT INTO target " + COUNTS + "WHERE n <> 2");
        assertThat(table.rows()).containsExactly(List.of("1", "3"));
        insert("INSERT INTO target " + COUNTS + "WHERE n < 3");
        assertThat(table.rows()).containsExactly(List.of("0", "2"));
    }

    /** Rows that stay keep what the statement does not write; rows that go are deleted. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sink.properties.partial_columns | true | json",
                "sink.properties.partial_columns | true | csv",
                "sink.properties.unique_key_update_mode | UPDATE_FLEXIBLE_COLUMNS | json",
            })
    void aPartialUpdateBehindAFilterKeepsTheOtherColumns(String key, String value, String format)
            throws Exception {
        TargetTable table =
                TargetTable.of(
                        DORIS,
                        "id INT, n BIGINT, note STRING",
                        "UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2");
        DORIS.run("INSERT INTO " + table + " VALUES (0, 0, 'zero'), (1, 0, 'one')");
        DorisTable declared =
                table.declared(mode)
                        .columns("id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED")
                        .with("sink.properties.format", format)
                        .with(key, value);
        if (key.endsWith("partial_columns")) {
            declared.with("sink.properties.columns", "id,n");
        }
        declared.create(sql, "target");
        insert("INSERT INTO target " + COUNTS + "WHERE n < 3");
        assertThat(table.rows()).containsExactly(List.of("0", "2", "zero"));
    }

    /** USE-3: as many subtasks as the table says, and each key's changes in order. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void use3AKeyKeepsItsOrderOverTheSubtasksOfTheSink(String format) throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "id BIGINT, n BIGINT, last BIGINT");
        sql.executeSql(
                "CREATE TABLE numbers (k BIGINT) WITH ('connector' = 'datagen', 'fields.k.kind' ="
                        + " 'sequence', 'fields.k.start' = '1', 'fields.k.end' = '4000')");
        table.declared(mode)
                .columns("id BIGINT, n BIGINT, `last` BIGINT, PRIMARY KEY (id) NOT ENFORCED")
                .with("sink.properties.format", format)
                .with("sink.parallelism", "4")
                .create(sql, "target");
        long mark = DORIS.mark();
        insert(
                "INSERT INTO target SELECT MOD(k, 40), COUNT(*), MAX(k) FROM numbers GROUP BY"
                    + " MOD(k, 40)");
        assertThat(table.rows())
                .hasSize(40)
                .allSatisfy(row -> assertThat(row.get(1)).isEqualTo("100"))
                .allSatisfy(
                        row ->
                                assertThat(Long.parseLong(row.get(2)))
                                        .isEqualTo(
                                                row.get(0).equals("0")
                                                        ? 4000
                                                        : 3960 + Long.parseLong(row.get(0))));
        assertThat(
                        table.loads(mark).stream()
                                .map(
                                        headers ->
                                                headers.get("label")
                                                        .toString()
                                                        .split("_" + table.name() + "_")[1]
                                                        .charAt(0)))
                .contains('0', '1', '2', '3');
    }

    /** Flink orders by the key what comes from different subtasks. */
    @Test
    void aPrimaryKeyGivesTheRightRowsWhereAnotherKeyIsUpdated() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "name VARCHAR(20), id INT");
        table.declared(mode)
                .columns("name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED")
                .create(sql, "owners");
        for (int run = 0; run < 4; run++) {
            DORIS.run("TRUNCATE TABLE " + table);
            insert("INSERT INTO owners " + OWNERS + ON_CONFLICT);
            assertThat(table.rows()).containsExactly(List.of("e", "6"), List.of("f", "5"));
        }
        assertThat(unordered(table)).isEmpty();
    }

    @Test
    void changesWithoutAPrimaryKeyAreWarnedOfAtPlanningAndAtTheStart() throws Exception {
        TargetTable table = TargetTable.unique(DORIS, "name VARCHAR(20), id INT");
        table.declared(mode).columns("name STRING, id INT").create(sql, "owners");
        insert("INSERT INTO owners " + OWNERS);
        assertThat(unordered(table))
                .hasSize(2)
                .allMatch(line -> line.startsWith("WARN"))
                .allMatch(line -> line.contains("Declare PRIMARY KEY"))
                .anyMatch(line -> line.contains("Sink to Doris:"))
                .anyMatch(line -> line.contains("Table test." + table.name() + ":"));
    }

    /** What was said of a table and the order of its changes. */
    private static List<String> unordered(TargetTable table) {
        return LOG.lines().stream()
                .filter(line -> line.contains("declared without a primary key"))
                .filter(line -> line.contains(table.identifier()))
                .collect(Collectors.toList());
    }
}
