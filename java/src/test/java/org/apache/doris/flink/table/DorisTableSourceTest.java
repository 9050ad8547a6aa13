package org.apache.doris.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.PlannedScans;
import org.apache.flink.table.api.EnvironmentSettings;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the real planner pushes into a scan, and what of it EXPLAIN shows. */
class DorisTableSourceTest {

    private static final String COLUMNS =
            "id INT NOT NULL, name STRING, age INT, d DOUBLE,"
                    + " s ROW<a INT NOT NULL, n ROW<x STRING, y DATE> NOT NULL>";

    private final PlannedScans planner = new PlannedScans().declare("t", COLUMNS);

    @Test
    void projectionFollowsTheQuery() {
        ScanConfig scan = one("SELECT age, id FROM t");
        assertThat(scan.columns()).asString().isEqualTo("[`age` INT, `id` INT NOT NULL]");
        assertThat(scan.declared().getFieldNames()).containsExactly("id", "name", "age", "d", "s");
        assertThat(planner.explain("SELECT age, id FROM t")).contains("project=[age, id]");
    }

    /** A field of a row that may be NULL may be NULL, whatever its own type says. */
    @Test
    void nestedFieldsAreProjectedAndNullable() {
        ScanConfig scan = one("SELECT s.n.x, s.a, id FROM t");
        assertThat(scan.columns())
                .asString()
                .contains("`s`.`n`.`x` STRING", "`s`.`a` INT", "`id` INT NOT NULL")
                .doesNotContain("`s`.`a` INT NOT NULL");
    }

    @Test
    void countingReadsOneColumnAtMost() {
        assertThat(one("SELECT COUNT(*) FROM t").columns().size()).isLessThanOrEqualTo(1);
    }

    @Test
    void eachScanKeepsItsOwnFilter() {
        List<ScanConfig> scans =
                planner.of("SELECT id FROM t WHERE id = 1 UNION ALL SELECT id FROM t WHERE id = 2");
        assertThat(scans).extracting(ScanConfig::filter).containsExactly("`id` = 1", "`id` = 2");
        scans =
                planner.of(
                        "SELECT a.id FROM t a JOIN t b ON a.id = b.id"
                                + " WHERE a.age = 3 AND b.name = 'x'");
        assertThat(scans)
                .extracting(ScanConfig::filter)
                .containsExactly("CAST(`name` AS STRING) = 'x'", "`age` = 3");
    }

    @Test
    void theUsersOwnFilterTravelsBesideThePushedOne() {
        planner.declare("own", "a INT, c INT", "doris.filter.query", "a = 1 OR b = 2");
        ScanConfig scan = one("SELECT a FROM own WHERE c = 3");
        assertThat(scan.read().sent()).containsEntry("doris.filter.query", "a = 1 OR b = 2");
        assertThat(scan.filter()).isEqualTo("`c` = 3");
    }

    @Test
    void aLimitIsPushedWhenNoFilterStaysBehind() {
        assertThat(one("SELECT id FROM t LIMIT 10").limit()).isEqualTo(10);
        assertThat(one("SELECT id FROM t WHERE id > 1 LIMIT 10").limit()).isEqualTo(10);
        assertThat(one("SELECT id FROM t LIMIT 10 OFFSET 5").limit()).isEqualTo(15);
        assertThat(planner.explain("SELECT id FROM t LIMIT 10")).contains("limit=[10]");
    }

    @Test
    void aLimitStaysInFlinkBehindAFilterOrASort() {
        for (String query :
                List.of(
                        "SELECT id FROM t WHERE UPPER(name) = 'A' LIMIT 10",
                        "SELECT id FROM t WHERE id = 1 AND UPPER(name) = 'A' LIMIT 10",
                        "SELECT id FROM t WHERE d > 1.5 LIMIT 10",
                        "SELECT id FROM t ORDER BY id LIMIT 10")) {
            assertThat(one(query).limit()).as(query).isEqualTo(ScanConfig.NO_LIMIT);
        }
    }

    @Test
    void aFilterAboveALimitIsNotPushedBelowIt() {
        ScanConfig scan = one("SELECT * FROM (SELECT id FROM t LIMIT 10) WHERE id > 3");
        assertThat(scan.limit()).isEqualTo(10);
        assertThat(scan.filter()).isEmpty();
    }

    @Test
    void aggregatesStayInFlink() {
        assertThat(planner.explain("SELECT age, MAX(id) FROM t GROUP BY age"))
                .contains("GroupAggregate")
                .doesNotContain("aggregates=[");
    }

    @Test
    void batchModePlansTheSame() {
        PlannedScans batch =
                new PlannedScans(EnvironmentSettings.inBatchMode()).declare("t", COLUMNS);
        String plan = batch.explain("SELECT id FROM t WHERE age = 1 LIMIT 3");
        assertThat(plan).contains("filter=[=(age, 1)]", "project=[id]", "limit=[3]");
    }

    @Test
    void parallelismIsThatOfTheOption() {
        planner.declare("wide", "id INT", "scan.parallelism", "3");
        assertThat(planner.parallelism("SELECT id FROM wide")).isEqualTo(3);
    }

    @Test
    void theLocalTimeZoneIsCaptured() {
        planner.tables().getConfig().set("table.local-time-zone", "Asia/Shanghai");
        assertThat(one("SELECT id FROM t").localTimeZone()).isEqualTo("Asia/Shanghai");
        planner.tables().getConfig().set("table.local-time-zone", "GMT+08:00");
        assertThat(one("SELECT id FROM t").localTimeZone()).isEqualTo("GMT+08:00");
    }

    @Test
    void hintsPassTheSameChecks() {
        assertThat(one("SELECT id FROM t /*+ OPTIONS('doris.batch.size' = '7') */").read().sent())
                .containsEntry("doris.batch.size", "7");
        assertThatThrownBy(
                        () -> one("SELECT id FROM t /*+ OPTIONS('source.scan.mode' = 'newest') */"))
                .hasStackTraceContaining("'newest'")
                .hasStackTraceContaining("source.scan.mode");
    }

    @Test
    void aLookupJoinIsRefusedByName() {
        planner.tables()
                .executeSql(
                        "CREATE TEMPORARY TABLE o (id INT, p AS PROCTIME()) WITH ('connector' ="
                                + " 'datagen')");
        assertThatThrownBy(
                        () ->
                                planner.explain(
                                        "SELECT o.id FROM o JOIN t FOR SYSTEM_TIME AS OF o.p"
                                                + " ON o.id = t.id"))
                .hasStackTraceContaining("lookup join with Doris is not supported yet")
                .hasStackTraceContaining("jdbc-url");
    }

    @Test
    void aCatalogIsRefusedByName() {
        assertThatThrownBy(
                        () ->
                                planner.tables()
                                        .executeSql(
                                                "CREATE CATALOG d WITH ('type' = 'doris',"
                                                        + " 'jdbc-url' = 'jdbc:mysql://h:9030')"))
                .hasStackTraceContaining("Doris catalog is not supported yet");
    }

    /** No native code, and no server: the address in use here does not answer. */
    @Test
    void planningHasNoSideEffects() {
        assertThat(planner.explain("SELECT * FROM t WHERE id = 1")).contains("TableSourceScan");
    }

    private ScanConfig one(String query) {
        List<ScanConfig> scans = planner.of(query);
        assertThat(scans).hasSize(1);
        return scans.get(0);
    }

    /** Rows that Flink copies come in the form that it copies fastest. */
    @Test
    void rowsAreCopiedInStreamingExecutionWithoutObjectReuse() {
        assertThat(planner.of("SELECT id FROM t").get(0).copiedRows()).isTrue();
        planner.environment().getConfig().enableObjectReuse();
        assertThat(planner.of("SELECT id FROM t").get(0).copiedRows()).isFalse();
        planner.environment().getConfig().disableObjectReuse();
        assertThat(planner.of("SELECT id FROM t").get(0).copiedRows()).isTrue();
        planner.tables().getConfig().set("pipeline.object-reuse", "true");
        assertThat(planner.of("SELECT id FROM t").get(0).copiedRows()).isFalse();
        PlannedScans batch =
                new PlannedScans(EnvironmentSettings.inBatchMode()).declare("t", COLUMNS);
        assertThat(batch.of("SELECT id FROM t").get(0).copiedRows()).isFalse();
        PlannedScans changes =
                new PlannedScans().declare("t", COLUMNS, "source.scan.mode", "latest");
        assertThat(changes.of("SELECT id FROM t").get(0).copiedRows()).isTrue();
    }
}
