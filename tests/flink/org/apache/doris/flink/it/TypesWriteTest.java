package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Stream;

/**
 * Every type of Flink in every format: the table holds what the same values give that come through
 * the MySQL port.
 */
@Timeout(120)
class TypesWriteTest {

    @RegisterExtension static final Standin DORIS = Standin.with("--time-zone", "+08:00");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private static final TimeZone JVM_ZONE = TimeZone.getDefault();

    private TableEnvironment sql;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql = environment(WrittenTypes.SESSION_ZONE);
    }

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(JVM_ZONE);
    }

    private static TableEnvironment environment(String zone) {
        return FLINK.batch(
                "table.local-time-zone",
                zone,
                "table.exec.resource.default-parallelism",
                "1",
                "restart-strategy.type",
                "none");
    }

    /** CSV is enclosed, so that texts may hold anything. */
    private static DorisTable declared(TargetTable table, String format) {
        DorisTable declared = table.declared().with("sink.properties.format", format);
        return format.equals("csv")
                ? declared.with("sink.properties.enclose", "\"")
                        .with("sink.properties.escape", "\\")
                : declared;
    }

    static Stream<Arguments> columns() {
        return WrittenTypes.ALL.stream()
                .flatMap(
                        column ->
                                Stream.of("csv", "json", "arrow")
                                        .map(format -> Arguments.of(column, format)));
    }

    @ParameterizedTest(name = "{0} as {1}")
    @MethodSource("columns")
    void aColumnHoldsWhatTheMysqlPortGives(WrittenTypes.Column column, String format)
            throws Exception {
        assertLoadedAsInserted(List.of(column), format);
    }

    /** All columns in one row, since columns stand next to each other in a body. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aRowOfAllTypesHoldsWhatTheMysqlPortGives(String format) throws Exception {
        // The zone of the JVM plays no part.
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        assertLoadedAsInserted(WrittenTypes.ALL, format);
    }

    private void assertLoadedAsInserted(List<WrittenTypes.Column> columns, String format)
            throws Exception {
        String model = WrittenTypes.dorisColumns(columns);
        TargetTable loaded = TargetTable.duplicate(DORIS, model);
        TargetTable inserted = TargetTable.duplicate(DORIS, model);
        DORIS.run("INSERT INTO " + inserted + " VALUES " + WrittenTypes.dorisRows(columns));
        declared(loaded, format).columns(WrittenTypes.flinkColumns(columns)).create(sql, "target");
        sql.executeSql("INSERT INTO target " + WrittenTypes.flinkRows(columns)).await();
        List<List<String>> rows = loaded.rows();
        List<List<String>> expected = inserted.rows();
        assertThat(rows).hasSameSizeAs(expected).hasSize(3);
        for (int row = 0; row < expected.size(); row++) {
            for (int i = 0; i < columns.size(); i++) {
                assertThat(rows.get(row).get(i + 1))
                        .as("%s, row %d", columns.get(i), row + 1)
                        .isEqualTo(expected.get(row).get(i + 1));
            }
        }
    }

    /** Flink's SQL cannot declare such columns, its API can. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void intervalsAreMonthsAndMilliseconds(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, m INT, s BIGINT");
        TableDescriptor.Builder declared =
                TableDescriptor.forConnector("doris")
                        .schema(
                                Schema.newBuilder()
                                        .column("id", DataTypes.INT())
                                        .column("m", DataTypes.INTERVAL(DataTypes.MONTH()))
                                        .column("s", DataTypes.INTERVAL(DataTypes.SECOND(3)))
                                        .build());
        declared.option("fenodes", DORIS.fenodes())
                .option("table.identifier", table.identifier())
                .option("username", "root")
                .option("sink.properties.format", format);
        sql.createTemporaryTable("target", declared.build());
        sql.executeSql(
                        "INSERT INTO target SELECT 1, INTERVAL '-1-2' YEAR TO MONTH, INTERVAL '1"
                                + " 00:00:00.5' DAY TO SECOND(3)")
                .await();
        assertThat(table.rows()).containsExactly(List.of("1", "-14", "86400500"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void countsOfValuesAreAMap(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, m MAP<STRING, INT>, j JSON");
        declared(table, format)
                .columns("id INT, m MULTISET<STRING>, j MULTISET<STRING>")
                .create(sql, "target");
        sql.executeSql(
                        "INSERT INTO target SELECT 1, COLLECT(v), COLLECT(w) FROM (VALUES ('a',"
                                + " 'x'), ('a', 'x')) AS t(v, w)")
                .await();
        assertThat(table.rows()).containsExactly(List.of("1", "{\"a\":2}", "{\"x\":2}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void numbersThatAreNoneKeepTheirMeaning(String format) throws Exception {
        TargetTable loaded = TargetTable.duplicate(DORIS, "id INT, d DOUBLE");
        TargetTable inserted = TargetTable.duplicate(DORIS, "id INT, d DOUBLE");
        DORIS.run(
                "INSERT INTO "
                        + inserted
                        + " VALUES (1, CAST('NaN' AS DOUBLE)), (2, CAST('inf' AS DOUBLE)), (3,"
                        + " CAST('-inf' AS DOUBLE))");
        declared(loaded, format).columns("id INT, d DOUBLE").create(sql, "target");
        sql.executeSql(
                        "INSERT INTO target VALUES (1, CAST('NaN' AS DOUBLE)), (2, CAST('Infinity'"
                                + " AS DOUBLE)), (3, CAST('-Infinity' AS DOUBLE))")
                .await();
        assertThat(loaded.rows()).isEqualTo(inserted.rows());
    }

    /** JSON-7: bytes in a text column are base64, by which a function of Doris gets them back. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json"})
    void json7BytesInATextColumnAreBase64(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, s STRING");
        declared(table, format).columns("id INT, s BYTES").create(sql, "target");
        sql.executeSql("INSERT INTO target VALUES (1, X'E4BDA0')").await();
        assertThat(table.rows("id, s, FROM_BASE64(s)")).containsExactly(List.of("1", "5L2g", "你"));
    }

    /** JSON-3 */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void json3NestedColumnsMayBeNull(String format) throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, m MAP<STRING, INT>");
        declared(table, format).columns("id INT, m MAP<STRING, INT>").create(sql, "target");
        sql.executeSql(
                        "INSERT INTO target VALUES (1, CAST(NULL AS MAP<STRING, INT>)), (2,"
                                + " MAP['a', 1])")
                .await();
        assertThat(table.rows())
                .containsExactly(Arrays.asList("1", null), List.of("2", "{\"a\":1}"));
    }

    /** TIME-1: the wall clock of the session, whatever the zones of server and JVM. */
    @ParameterizedTest
    @CsvSource({
        "csv, Asia/Shanghai, 2024-01-01 08:00:00",
        "json, Asia/Shanghai, 2024-01-01 08:00:00",
        "arrow, Asia/Shanghai, 2024-01-01 08:00:00",
        "csv, UTC, 2024-01-01 00:00:00",
        "arrow, America/New_York, 2023-12-31 19:00:00"
    })
    void time1InstantsAreShownInTheZoneOfTheSession(String format, String zone, String shown)
            throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, t DATETIME");
        TableEnvironment session = environment(zone);
        declared(table, format).columns("id INT, t TIMESTAMP_LTZ(3)").create(session, "target");
        session.executeSql("INSERT INTO target VALUES (1, TO_TIMESTAMP_LTZ(1704067200000, 3))")
                .await();
        assertThat(table.rows()).containsExactly(List.of("1", shown));
    }

    /** TIME-4 */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void time4AWallClockInAGapIsKept(String format) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, t DATETIME");
        declared(table, format).columns("id INT, t TIMESTAMP(0)").create(sql, "target");
        sql.executeSql("INSERT INTO target VALUES (1, TIMESTAMP '2024-03-10 02:30:00')").await();
        assertThat(table.rows()).containsExactly(List.of("1", "2024-03-10 02:30:00"));
    }

    @Test
    void functionsOfTheServerSeeTheZoneOfTheSession() throws Exception {
        TargetTable table = TargetTable.duplicate(DORIS, "id INT, t DATETIME");
        table.declared()
                .columns("id INT, t BIGINT")
                .with("sink.properties.columns", "id,seconds,t=from_unixtime(seconds)")
                .create(sql, "target");
        sql.executeSql("INSERT INTO target VALUES (1, 1704067200)").await();
        assertThat(table.rows()).containsExactly(List.of("1", "2023-12-31 19:00:00"));
    }
}
