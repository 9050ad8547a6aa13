package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.jni.NativeCounters;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Every type of Doris through Flink, compared with what the MySQL port shows; servers old and new,
 * and zones of server, JVM and session that differ.
 */
@Timeout(120)
class TypesTest {

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** Profile and zone → server. */
    private static final Map<String, Standin> SERVERS = new TreeMap<>();

    private static final TimeZone JVM_ZONE = TimeZone.getDefault();

    @BeforeAll
    static void startServers() throws Exception {
        for (String profile : List.of("doris-5.0", "doris-2.1")) {
            for (String zone : List.of("+00:00", "+08:00")) {
                Standin standin = Standin.with("--profile", profile, "--time-zone", zone).start();
                SERVERS.put(profile + zone, standin);
                standin.run("CREATE DATABASE test");
                TypeTables.fill(standin);
            }
        }
    }

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(JVM_ZONE);
    }

    @AfterAll
    static void stopServers() throws Exception {
        for (Map.Entry<String, Standin> server : SERVERS.entrySet()) {
            // An old server keeps its tokens: no client can end their sessions.
            if (server.getKey().startsWith("doris-5")) {
                NothingLeft.check(server.getValue());
            }
            server.getValue().close();
        }
    }

    @ParameterizedTest(name = "{0}, server {1}, JVM {2}, session {3}, object reuse {4}, {5}")
    @CsvSource({
        "doris-5.0, +00:00, UTC, Asia/Shanghai, true, batch",
        "doris-5.0, +08:00, Asia/Shanghai, UTC, false, streaming",
        "doris-5.0, +08:00, America/New_York, America/New_York, true, streaming",
        "doris-2.1, +00:00, America/New_York, Asia/Shanghai, false, batch",
        "doris-2.1, +08:00, UTC, UTC, true, batch",
        "doris-2.1, +00:00, Asia/Shanghai, America/New_York, false, streaming"
    })
    void valuesAreThoseOfTheMysqlPort(
            String profile,
            String serverZone,
            String jvmZone,
            String sessionZone,
            String reuse,
            String mode)
            throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone(jvmZone));
        Standin standin = SERVERS.get(profile + serverZone);
        String[] settings = {
            "table.local-time-zone", sessionZone,
            "pipeline.object-reuse", reuse,
            "table.exec.resource.default-parallelism", "2"
        };
        // In streaming execution without object re-use, rows come in Flink's binary format.
        TableEnvironment sql =
                mode.equals("batch") ? FLINK.batch(settings) : FLINK.streaming(settings);
        for (TypeTables.Declared table : TypeTables.ALL) {
            assertEqualToMysqlPort(standin, sql, table, ZoneId.of(sessionZone));
        }
    }

    private static void assertEqualToMysqlPort(
            Standin standin, TableEnvironment sql, TypeTables.Declared declared, ZoneId local)
            throws Exception {
        DorisTable.of(standin, "test." + declared.table).columns(declared.columns).create(sql, "t");
        TableResult result = sql.executeSql("SELECT * FROM t");
        List<DataType> types = result.getResolvedSchema().getColumnDataTypes();
        List<String> names = result.getResolvedSchema().getColumnNames();
        Map<Object, Row> rows =
                FlinkCluster.rows(result).stream()
                        .collect(Collectors.toMap(row -> row.getField(0), row -> row));
        String quoted =
                names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
        List<List<String>> shown = standin.sql("SELECT " + quoted + " FROM test." + declared.table);

        assertThat(rows).hasSize(shown.size()).isNotEmpty();
        for (List<String> line : shown) {
            Row row = rows.get(Integer.valueOf(line.get(0)));
            for (int i = 0; i < types.size(); i++) {
                String where = declared + ", row " + line.get(0) + ", column " + names.get(i);
                assertEqual(
                        where, line.get(i), row.getField(i), types.get(i).getLogicalType(), local);
            }
        }
    }

    private static void assertEqual(
            String where, String shown, Object value, LogicalType type, ZoneId local) {
        boolean nested =
                type.is(LogicalTypeRoot.ARRAY)
                        || type.is(LogicalTypeRoot.MAP)
                        || type.is(LogicalTypeRoot.ROW);
        if (!nested || shown == null) {
            assertThat(value).as(where).isEqualTo(DorisText.value(shown, type, local));
        } else {
            assertThat(DorisText.nested(value, type)).as(where).isEqualTo(shown);
        }
    }

    private static TableEnvironment environment(String sessionZone) {
        return FLINK.batch(
                "table.local-time-zone",
                sessionZone,
                "table.exec.resource.default-parallelism",
                "1");
    }

    @ParameterizedTest
    @CsvSource({"doris-5.0+08:00", "doris-2.1+00:00"})
    void filtersOnColumnsThatAreDeclaredOtherwiseKeepTheRowsThatFlinkWouldKeep(String server)
            throws Exception {
        TableEnvironment sql = environment("America/New_York");
        DorisTable.of(SERVERS.get(server), "test.times")
                .columns(
                        "id INT, tz6 TIMESTAMP(6), dt6 TIMESTAMP_LTZ(6), tm DOUBLE, d STRING, dt0"
                                + " STRING")
                .create(sql, "times");
        DorisTable.of(SERVERS.get(server), "test.plain")
                .columns("id INT, ip4 BIGINT, li DECIMAL(38, 0), f DOUBLE, dec76 STRING, b BOOLEAN")
                .with("doris.filter.query", "id IN (1, 4, 5)")
                .create(sql, "plain");
        for (String condition :
                List.of(
                        "dt6 > TO_TIMESTAMP_LTZ(1719800000000, 3)",
                        "d = '2024-07-01'",
                        "dt0 LIKE '2024-%'")) {
            assertSameAsInFlink(sql, "times", condition);
        }
        for (String condition :
                List.of("li = 0", "li > 1", "f = 0.5", "dec76 = '0.0000000000'", "b", "NOT b")) {
            assertSameAsInFlink(sql, "plain", condition);
        }
        // What the two compare differently is refused before a row is lost.
        assertRefused(sql, "times", "tz6 >= TIMESTAMP '2024-07-01 00:00:00'", "'tz6'");
        assertRefused(sql, "times", "tm > 3600000000", "'tm'");
        assertRefused(sql, "plain", "ip4 > 3000000000", "'ip4'");
    }

    private static void assertRefused(
            TableEnvironment sql, String table, String condition, String column) {
        String query = "SELECT id FROM " + table + " WHERE " + condition;
        assertThat(Failure.of(() -> FlinkCluster.rows(sql, query)).text())
                .contains(column)
                .contains("declare it");
    }

    /**
     * A filter gives the same rows when it is kept in Flink, behind a limit that nothing passes.
     */
    private static void assertSameAsInFlink(TableEnvironment sql, String table, String condition)
            throws Exception {
        List<String> inFlink =
                FlinkCluster.texts(
                        sql,
                        String.format(
                                "SELECT id FROM (SELECT * FROM %s LIMIT 1000000) WHERE %s",
                                table, condition));
        assertThat(FlinkCluster.texts(sql, "SELECT id FROM " + table + " WHERE " + condition))
                .as(condition)
                .isEqualTo(inFlink);
    }

    @Test
    void widerTypesAreFilledWithTheSameValues() throws Exception {
        Standin standin = SERVERS.get("doris-5.0+08:00");
        TableEnvironment sql = environment("UTC");
        DorisTable.of(standin, "test.plain")
                .columns(
                        "id BIGINT, t BIGINT, s INT, i BIGINT, f DOUBLE, dc DECIMAL(20, 5), li"
                                + " DECIMAL(38, 0), ip4 BIGINT, st BYTES, dec76 DECIMAL(38, 10)")
                .with("doris.filter.query", "id = 1")
                .create(sql, "t");
        Row row = FlinkCluster.rows(sql, "SELECT t, s, i, f, dc, li, ip4, st, dec76 FROM t").get(0);
        assertThat(row)
                .isEqualTo(
                        Row.of(
                                7L,
                                300,
                                70000L,
                                0.5,
                                new BigDecimal("12345.67000"),
                                new BigDecimal("12345678901234567890"),
                                16909060L,
                                "a text".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                new BigDecimal("1234567890123456789.0123456789")));
    }

    @Test
    void aValueThatDoesNotFitNamesItsColumn() {
        Standin standin = SERVERS.get("doris-5.0+08:00");
        TableEnvironment sql = environment("UTC");
        DorisTable.of(standin, "test.plain").columns("li DECIMAL(38, 0)").create(sql, "t1");
        assertThat(Failure.of(() -> FlinkCluster.rows(sql, "SELECT * FROM t1")).text())
                .contains("column li");
        DorisTable.of(standin, "test.plain").columns("dec76 DECIMAL(38, 10)").create(sql, "t2");
        assertThat(Failure.of(() -> FlinkCluster.rows(sql, "SELECT * FROM t2")).text())
                .contains("column dec76");
    }

    /** Older versions of Flink take TIME(3) in a statement for TIME(0), which would lose digits. */
    @Test
    void aTimeOfDayWithFractionsIsReadOrRefused() throws Exception {
        TableEnvironment sql = environment("UTC");
        DorisTable.of(SERVERS.get("doris-5.0+08:00"), "test.daytimes")
                .columns("id INT, tm TIME(3)")
                .create(sql, "t");
        DataType declared = sql.from("t").getResolvedSchema().getColumnDataTypes().get(1);
        if (((TimeType) declared.getLogicalType()).getPrecision() == 3) {
            assertThat(FlinkCluster.rows(sql, "SELECT tm FROM t WHERE id IN (1, 3)"))
                    .containsExactlyInAnyOrder(
                            Row.of(LocalTime.parse("12:34:56.789")),
                            Row.of(LocalTime.parse("23:59:59.999")));
        } else {
            assertThat(Failure.of(() -> FlinkCluster.rows(sql, "SELECT tm FROM t")).text())
                    .contains("'tm' is TIME(3) in Doris but declared TIME(0)");
        }
    }

    @Test
    void aStructIsReadAsAMapOfTexts() throws Exception {
        TableEnvironment sql = environment("UTC");
        DorisTable.of(SERVERS.get("doris-5.0+00:00"), "test.nested")
                .columns("id INT, s MAP<STRING, STRING>")
                .create(sql, "t");
        assertThat(FlinkCluster.rows(sql, "SELECT s['a'], s['t'] FROM t WHERE id = 1"))
                .containsExactly(Row.of("1", "2024-07-01 12:00:00.123456"));
    }

    @Test
    void instantsDoNotDependOnAnyZone() throws Exception {
        for (Standin standin : SERVERS.values()) {
            for (String session : List.of("UTC", "Asia/Shanghai")) {
                TableEnvironment sql = environment(session);
                DorisTable.of(standin, "test.times")
                        .columns("id INT, tz6 TIMESTAMP_LTZ(6)")
                        .create(sql, "t");
                assertThat(FlinkCluster.rows(sql, "SELECT tz6 FROM t WHERE id = 1"))
                        .containsExactly(Row.of(Instant.parse("2024-07-01T04:00:00.123456Z")));
            }
        }
    }

    @Test
    void plainColumnsOfANewServerAreHandedOnWithoutConversion() throws Exception {
        TableEnvironment sql = environment("UTC");
        DorisTable.of(SERVERS.get("doris-5.0+00:00"), "test.plain")
                .columns("id INT, t TINYINT, l BIGINT, d DOUBLE, dc DECIMAL(10, 2), st STRING")
                .create(sql, "t");
        long identity = NativeCounters.identityBatches();
        long converted = NativeCounters.convertedBatches();
        FlinkCluster.rows(sql, "SELECT * FROM t");
        assertThat(NativeCounters.identityBatches()).isGreaterThan(identity);
        assertThat(NativeCounters.convertedBatches()).isEqualTo(converted);
    }

    @Test
    void namesAreFoundInAnyCaseAndFieldsByName() throws Exception {
        TableEnvironment sql = environment("UTC");
        DorisTable.of(SERVERS.get("doris-5.0+00:00"), "test.nested")
                .columns("ID INT, S ROW<`inner` ROW<`y` ARRAY<STRING>, `x` BIGINT>, `a` INT>")
                .create(sql, "t");
        assertThat(
                        FlinkCluster.rows(sql, "SELECT S FROM t WHERE ID = 1")
                                .get(0)
                                .getField(0)
                                .toString())
                .isEqualTo(Row.of(Row.of(new String[] {"p", "q"}, 5L), 1).toString());
        assertThat(
                        Arrays.asList(
                                FlinkCluster.rows(sql, "SELECT S.`inner`.x FROM t WHERE ID = 1")
                                        .get(0)
                                        .getField(0)))
                .containsExactly(5L);
    }
}
