package org.apache.doris.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.source.PlannedScans;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What the real planner makes of a table whose changes are followed. */
class ChangelogPlanTest {

    private static final String KEYED =
            "id INT NOT NULL, name STRING, age INT, n ROW<x INT, y STRING>,"
                    + " PRIMARY KEY (id) NOT ENFORCED";

    private final PlannedScans planner = new PlannedScans();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "source.scan.mode=snapshot | I",
                "source.scan.mode=snapshot,source.changelog.changelog-mode=upsert | I",
                "source.scan.mode=initial | I,UB,UA,D",
                "source.scan.mode=latest,source.changelog.increment-type=min_delta | I,UB,UA,D",
                "source.scan.mode=latest,source.changelog.increment-type=append_only | I",
                "source.scan.mode=latest,source.changelog.changelog-mode=audit | I",
            })
    void theChangelogIsDeclared(String options, String kinds) {
        declare("t", KEYED, options);
        assertThat(changes("SELECT * FROM t")).contains("changelogMode=[" + kinds + "]");
    }

    /** A normaliser takes the place of what an upsert lacks, and completes deletes. */
    @Test
    void anUpsertIsNormalisedByItsKey() {
        declare("t", KEYED, "source.scan.mode=latest,source.changelog.changelog-mode=upsert");
        String plan = changes("SELECT name, COUNT(*) FROM t GROUP BY name");
        assertThat(plan).contains("ChangelogNormalize(key=[id]");
        assertThat(plan.substring(plan.indexOf("TableSourceScan")))
                .contains("I,UA")
                .doesNotContain("UB");
    }

    @Test
    void duplicatesAreRemovedWhereFlinkIsAskedTo() {
        declare("t", KEYED, "source.scan.mode=latest");
        assertThat(changes("SELECT id, COUNT(*) FROM t GROUP BY id"))
                .doesNotContain("ChangelogNormalize");
        planner.tables().getConfig().set("table.exec.source.cdc-events-duplicate", "true");
        assertThat(changes("SELECT id, COUNT(*) FROM t GROUP BY id"))
                .contains("ChangelogNormalize(key=[id]");
    }

    @Test
    void projectionIsAlwaysPushed() {
        declare("t", KEYED, "source.scan.mode=latest");
        assertThat(one("SELECT n.y, id FROM t").columns())
                .asString()
                .contains("`n`.`y` STRING", "`id` INT NOT NULL")
                .doesNotContain("age", "name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "source.scan.mode=latest | id > 3 | `id` > 3",
                "source.scan.mode=initial | id > 3 AND age = 1 | `id` > 3",
                "source.scan.mode=initial | id > 3 OR age = 1 | none",
                "source.scan.mode=latest | age = 1 | none",
                "source.scan.mode=latest | id = age | none",
                "source.scan.mode=latest,source.changelog.changelog-mode=audit | age = 1 | none",
                "source.scan.mode=latest,source.changelog.changelog-mode=upsert | id = 1 | `id` ="
                        + " 1",
                "source.scan.mode=latest,source.changelog.increment-type=append_only"
                        + " | age = 1 AND id > 3 | `age` = 1;`id` > 3",
                "source.scan.mode=latest,source.changelog.increment-type=min_delta"
                        + " | age = 1 AND id > 3 | `id` > 3",
                "source.scan.mode=snapshot | age = 1 | `age` = 1",
            })
    void aFilterIsPushedWhereItCannotSplitAnUpdate(
            String options, String condition, String pushed) {
        declare("t", KEYED, options);
        String filter = one("SELECT name FROM t WHERE " + condition).filter();
        if (pushed == null) {
            assertThat(filter).isEmpty();
        } else {
            assertThat(filter).contains(pushed.split(";"));
        }
        if (!options.contains("append_only") && !options.contains("snapshot")) {
            assertThat(filter).doesNotContain("age");
        }
    }

    @Test
    void withoutAKeyAllFiltersStayInFlink() {
        declare("t", "id INT, age INT", "source.scan.mode=latest");
        assertThat(one("SELECT id FROM t WHERE id = 1").filter()).isEmpty();
        assertThat(planner.explain("SELECT id FROM t WHERE id = 1")).contains("where=[(id = 1)]");
    }

    @Test
    void aLimitStaysInFlink() {
        for (String type : List.of("detail", "append_only")) {
            declare(type, KEYED, "source.scan.mode=latest,source.changelog.increment-type=" + type);
            assertThat(one("SELECT id FROM " + type + " LIMIT 3").limit())
                    .isEqualTo(ScanConfig.NO_LIMIT);
        }
    }

    @Test
    void metadataFollowsTheColumnsInAFixedOrder() {
        declare(
                "t",
                "c STRING METADATA FROM 'op' VIRTUAL, commit_time TIMESTAMP_LTZ(3) METADATA, id"
                        + " INT, lsn BIGINT METADATA VIRTUAL, tso BIGINT METADATA, op INT",
                "source.scan.mode=latest,source.changelog.changelog-mode=audit");
        ScanConfig all = one("SELECT * FROM t");
        assertThat(all.metadata())
                .containsExactly(
                        MetadataColumn.OP,
                        MetadataColumn.TSO,
                        MetadataColumn.LSN,
                        MetadataColumn.COMMIT_TIME);
        assertThat(all.columns()).asString().isEqualTo("[`id` INT, `op` INT]");
        assertThat(one("SELECT commit_time, op, c FROM t").metadata())
                .containsExactly(MetadataColumn.OP, MetadataColumn.COMMIT_TIME);
        assertThat(one("SELECT id FROM t").metadata()).isEmpty();
        // Both are named op: what the planner asks of metadata never reaches the table's column.
        assertThat(one("SELECT id FROM t WHERE c = '-D'").filter()).isEmpty();
    }

    @Test
    void metadataNeverTakesPartInAPushedFilter() {
        declare(
                "t",
                "id INT, op STRING METADATA, tso BIGINT METADATA",
                "source.scan.mode=latest,source.changelog.increment-type=append_only");
        assertThat(one("SELECT id FROM t WHERE op = '+I' AND tso > 5").filter()).isEmpty();
        assertThat(one("SELECT id FROM t WHERE op = '+I' AND id > 5").filter())
                .isEqualTo("`id` > 5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "op INT METADATA | `op` INT; 'op' is STRING",
                "tso STRING METADATA | 'tso' is BIGINT",
                "lsn INT METADATA | 'lsn' is BIGINT",
                "commit_time TIMESTAMP(3) METADATA | 'commit_time' is TIMESTAMP_LTZ(3)",
                "x STRING METADATA | 'x' is no metadata of a change; op STRING; commit_time",
                "x STRING METADATA FROM 'OP' | 'OP' is no metadata",
                "tso BIGINT NOT NULL METADATA | remove NOT NULL",
            })
    void otherMetadataIsRefused(String column, String words) {
        declare("t", "id INT, " + column, "source.scan.mode=latest");
        assertThatThrownBy(() -> planner.explain("SELECT * FROM t"))
                .hasStackTraceContaining("METADATA columns that cannot be read")
                .satisfies(
                        e -> {
                            for (String word : words.split("; ")) {
                                assertThat(e).hasStackTraceContaining(word);
                            }
                        });
    }

    /** The planner's own assigner is gone, so that the source sees the strategy of the table. */
    @Test
    void watermarksArePushedDown() {
        declare(
                "t",
                "id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
                "source.scan.mode=latest,source.changelog.increment-type=append_only,"
                        + "scan.watermark.emit.strategy=on-event,"
                        + "scan.watermark.alignment.group=g,"
                        + "scan.watermark.alignment.max-drift=1min,"
                        + "scan.watermark.idle-timeout=1min");
        String plan = optimized(planner.explain("SELECT id, ts FROM t"));
        assertThat(plan)
                .contains("watermark=[-(ts, 5000:INTERVAL SECOND)]")
                .contains("watermarkEmitStrategy=[on-event]")
                .contains("idletimeout=[60000]")
                .doesNotContain("WatermarkAssigner");
        assertThat(planner.alignmentGroup("SELECT id, ts FROM t")).isEqualTo("g");
    }

    @ParameterizedTest
    @ValueSource(strings = {"initial", "latest", "from-timestamp"})
    void batchExecutionNamesTheScanMode(String mode) {
        PlannedScans batch = new PlannedScans(EnvironmentSettings.inBatchMode());
        batch.declare(
                "t",
                "id INT",
                "source.scan.mode",
                mode,
                mode.equals("from-timestamp") ? "source.scan.timestamp" : "doris.batch.size",
                mode.equals("from-timestamp") ? "2026-01-01 00:00:00" : "10");
        assertThatThrownBy(() -> batch.explain("SELECT id FROM t"))
                .hasStackTraceContaining("'source.scan.mode'")
                .hasStackTraceContaining("'" + mode + "'")
                .hasStackTraceContaining("'execution.runtime-mode' is 'batch'");
        String hint = " /*+ OPTIONS('source.scan.mode' = 'snapshot') */";
        if (!mode.equals("from-timestamp")) {
            assertThat(batch.explain("SELECT id FROM t" + hint)).contains("TableSourceScan");
        }
    }

    @Test
    void theCheckpointIntervalIsThatOfTheStatement() {
        declare("t", KEYED, "source.scan.mode=latest");
        assertThat(one("SELECT id FROM t").changelog().checkpointInterval()).hasValue(0);
        planner.environment().enableCheckpointing(7000);
        assertThat(one("SELECT id FROM t").changelog().checkpointInterval()).hasValue(7000);
        planner.tables().getConfig().set("execution.checkpointing.interval", "10s");
        assertThat(one("SELECT id FROM t").changelog().checkpointInterval()).hasValue(10_000);
    }

    @Test
    void hintsChangeTheMode() {
        declare("t", KEYED, "source.scan.mode=latest,source.changelog.slices=4");
        assertThat(changes("SELECT * FROM t /*+ OPTIONS('source.scan.mode'='snapshot') */"))
                .contains("changelogMode=[I]");
        ScanConfig scan = one("SELECT id FROM t /*+ OPTIONS('source.changelog.slices'='2') */");
        assertThat(scan.changelog().slices().count()).isEqualTo(2);
    }

    /** A hint cannot take a key out, so a blank value does. */
    @Test
    void hintsMakeASnapshotOfATableWithAStartAndOffsets() {
        declare(
                "t",
                KEYED,
                "source.scan.mode=from-timestamp,source.scan.timestamp=2026-01-01 00:00:00,"
                        + "jdbc-url=jdbc:mysql://h:9030,source.changelog.offset-table=ops.o,"
                        + "source.changelog.consumer-id=me");
        ScanConfig scan =
                one(
                        "SELECT id FROM t /*+ OPTIONS('source.scan.mode' = 'snapshot',"
                                + " 'source.scan.timestamp' = '', 'source.changelog.offset-table' ="
                                + " '', 'source.changelog.consumer-id' = '') */");
        assertThat(scan.changelog().scanMode()).isEqualTo(ScanMode.SNAPSHOT);
    }

    /** Flink then brings the changes of a key together again. */
    @Test
    void parallelismOfItsOwnIsTaken() {
        declare("t", KEYED, "source.scan.mode=latest,scan.parallelism=3");
        assertThat(planner.parallelism("SELECT id FROM t")).isEqualTo(3);
    }

    @Test
    void twoSourcesOfAStatementNeedTwoConsumerIds() {
        for (String name : List.of("a", "b")) {
            declare(
                    name,
                    KEYED,
                    "source.scan.mode=latest,jdbc-url=jdbc:mysql://h:9030,"
                        + "source.changelog.offset-table=ops.o,source.changelog.consumer-id=me");
        }
        planner.tables().executeSql("CREATE TABLE s (id INT) WITH ('connector' = 'blackhole')");
        // One source each time, however often.
        for (int i = 0; i < 3; i++) {
            planner.explain("SELECT id FROM a");
            planner.explain("SELECT id FROM b");
        }
        StatementSet one = planner.tables().createStatementSet();
        one.addInsertSql("INSERT INTO s SELECT id FROM a WHERE id = 1");
        one.addInsertSql(
                "INSERT INTO s SELECT id FROM b"
                        + " /*+ OPTIONS('source.changelog.consumer-id' = 'you') */");
        assertThat(one.explain()).contains("TableSourceScan");
        StatementSet two = planner.tables().createStatementSet();
        two.addInsertSql("INSERT INTO s SELECT id FROM a");
        two.addInsertSql("INSERT INTO s SELECT id FROM b");
        assertThatThrownBy(two::explain)
                .hasStackTraceContaining(ValidationException.class.getName())
                .hasStackTraceContaining("'source.changelog.consumer-id' = 'me'")
                .hasStackTraceContaining("test.a")
                .hasStackTraceContaining("test.b");
        assertThatThrownBy(() -> planner.of("SELECT a.id FROM a JOIN b ON a.id = b.id"))
                .hasStackTraceContaining("'me'");
    }

    private ScanConfig one(String query) {
        List<ScanConfig> scans = planner.of(query);
        assertThat(scans).hasSize(1);
        return scans.get(0);
    }

    private String changes(String query) {
        return optimized(planner.tables().explainSql(query, ExplainDetail.CHANGELOG_MODE));
    }

    private static String optimized(String plan) {
        return plan.substring(plan.indexOf("== Optimized Physical Plan =="));
    }

    private void declare(String name, String columns, String options) {
        planner.tables().executeSql("DROP TEMPORARY TABLE IF EXISTS " + name);
        planner.declare(name, columns, options.split("[=,]"));
    }
}
