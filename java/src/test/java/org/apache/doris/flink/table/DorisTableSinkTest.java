package org.apache.doris.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.writer.CapturedLogs;
import org.apache.doris.flink.source.PlannedScans;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** What the real planner makes of an INSERT into a Doris table. */
class DorisTableSinkTest {

    private final PlannedScans planner =
            new PlannedScans()
                    .declare("t", "id INT NOT NULL, n BIGINT, PRIMARY KEY (id) NOT ENFORCED");

    DorisTableSinkTest() {
        planner.tables()
                .executeSql(
                        "CREATE TEMPORARY TABLE src (id INT NOT NULL, n BIGINT) WITH ('connector' ="
                                + " 'datagen', 'number-of-rows' = '1')");
    }

    @Test
    void anUpsertStreamLeavesOutTheRowsBefore() {
        ChangelogMode mode = Tables.sink().getChangelogMode(ChangelogMode.all());
        assertThat(mode.getContainedKinds())
                .containsExactlyInAnyOrder(RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE);
        assertThat(explain("INSERT INTO t SELECT id, COUNT(*) FROM src GROUP BY id"))
                .contains("changelogMode=[I,UA]")
                .doesNotContain("UB");
    }

    /** Newer versions of Flink ask for more when such a stream is declared an upsert. */
    @Test
    void insertsIntoATableWithAKeyAreJustThat() {
        assertThat(Tables.sink().getChangelogMode(ChangelogMode.insertOnly()))
                .isEqualTo(ChangelogMode.insertOnly());
        assertThat(explain("INSERT INTO t SELECT id, n FROM src")).contains("changelogMode=[I]");
    }

    @Test
    void allKindsComeWhereTheKeyMayChange() {
        ChangelogMode mode =
                Tables.sink("sink.ignore.update-before", "false")
                        .getChangelogMode(ChangelogMode.all());
        assertThat(mode).isEqualTo(ChangelogMode.all());
        planner.declare("changes", "id INT, n BIGINT", "sink.ignore.update-before", "false");
        assertThat(explain("INSERT INTO changes SELECT id, COUNT(*) FROM src GROUP BY id"))
                .contains("changelogMode=[I,UB,UA]");
    }

    /** Servers refuse a delete that lacks a column that is not nullable. */
    @Test
    void deletesComeWithAllColumns() throws ReflectiveOperationException {
        ChangelogMode mode = Tables.sink().getChangelogMode(ChangelogMode.all());
        try {
            assertThat(ChangelogMode.class.getMethod("keyOnlyDeletes").invoke(mode))
                    .isEqualTo(false);
        } catch (NoSuchMethodException e) {
            // Older versions of Flink have no other deletes.
            assertThat(mode.contains(RowKind.DELETE)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"streaming", "batch"})
    void planningContactsNothing(String mode) throws IOException {
        try (ServerSocket server = new ServerSocket(0)) {
            EnvironmentSettings settings =
                    mode.equals("batch")
                            ? EnvironmentSettings.inBatchMode()
                            : EnvironmentSettings.inStreamingMode();
            PlannedScans fresh = new PlannedScans(settings);
            fresh.declare(
                    "w",
                    "id INT, name STRING",
                    "doris.native.library-path",
                    "/no/such/library",
                    "benodes",
                    "127.0.0.1:" + server.getLocalPort());
            assertThatCode(
                            () ->
                                    fresh.tables()
                                            .explainSql(
                                                    "INSERT INTO w /*+ OPTIONS('fenodes' ="
                                                            + " '127.0.0.1:"
                                                            + server.getLocalPort()
                                                            + "') */ VALUES (1, 'x')"))
                    .doesNotThrowAnyException();
            server.setSoTimeout(1);
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void theParallelismIsTheUsers() {
        planner.declare("wide", "id INT, n BIGINT", "sink.parallelism", "3");
        assertThat(
                        planner.tables()
                                .explainSql(
                                        "INSERT INTO wide SELECT id, n FROM src",
                                        ExplainDetail.JSON_EXECUTION_PLAN))
                .containsPattern("(?s)wide.*?\"parallelism\" : 3");
    }

    /** USE-3 */
    @Test
    void aChangelogInParallelNeedsAKey() {
        planner.declare("keyless", "id INT, n BIGINT", "sink.parallelism", "3");
        assertThatThrownBy(
                        () ->
                                explain(
                                        "INSERT INTO keyless SELECT id, COUNT(*) FROM src GROUP BY"
                                                + " id"))
                .hasMessageContaining("primary key is required");
    }

    /** CDC-8: behind a filter the row before is the only word that a row is gone. */
    @Test
    void cdc8TheRowBeforeComesFromAFilterWhateverIsAskedFor() {
        assertThat(
                        explain(
                                "INSERT INTO t SELECT id, n FROM (SELECT id, COUNT(*) AS n FROM src"
                                        + " GROUP BY id) WHERE n < 2"))
                .containsPattern("Calc\\(.*changelogMode=\\[I,UB,UA(,D)?\\]");
    }

    private List<String> unorderedWarnings(String statement) {
        try (CapturedLogs logs = CapturedLogs.of(DorisTableSink.class)) {
            explain(statement);
            return logs.lines();
        }
    }

    @Test
    void changesWithoutAKeyInParallelAreWarnedOf() {
        String counts = " SELECT id, COUNT(*) FROM src GROUP BY id";
        planner.declare("keyless", "id INT, n BIGINT");
        assertThat(unorderedWarnings("INSERT INTO keyless" + counts)).as("one subtask").isEmpty();
        planner.tables().getConfig().set("table.exec.resource.default-parallelism", "2");
        assertThat(unorderedWarnings("INSERT INTO keyless" + counts))
                .singleElement()
                .asString()
                .startsWith("WARN")
                .contains("test.keyless")
                .contains("Declare PRIMARY KEY");
        assertThat(unorderedWarnings("INSERT INTO t" + counts)).as("a key").isEmpty();
        assertThat(unorderedWarnings("INSERT INTO keyless SELECT id, n FROM src"))
                .as("inserts only")
                .isEmpty();
    }

    @Test
    void columnsThatAnInsertLeavesOutAreWarnedOfUnlessTheyAreKept() {
        planner.declare("wider", "id INT, a INT, b INT");
        assertThat(unorderedWarnings("INSERT INTO wider (id, b) SELECT id, 1 FROM src"))
                .singleElement()
                .asString()
                .startsWith("WARN")
                .contains("names the columns `id`, `b` of table test.wider")
                .contains("NULL for the others (`a`)")
                .contains("'sink.properties.partial_columns'");
        assertThat(unorderedWarnings("INSERT INTO wider (b, a, id) SELECT 1, 2, id FROM src"))
                .isEmpty();
        planner.declare(
                "flexible",
                "id INT, a INT, b INT",
                "sink.properties.format",
                "json",
                "sink.properties.unique_key_update_mode",
                "UPDATE_FLEXIBLE_COLUMNS");
        assertThat(unorderedWarnings("INSERT INTO flexible (id, b) SELECT id, 1 FROM src"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "json | id,a | id, b | 'sink.properties.columns' does not list [b]",
                "json | id,x,a=x+1 | id, b | holds more than names: a=x+1",
                "csv | id,a | id, b | lists fewer columns than the table declares",
            })
    void aPartialUpdateThatCannotSayWhatItWritesIsRefused(
            String format, String columns, String named, String words) {
        planner.declare(
                "part",
                "id INT NOT NULL, a INT, b INT, PRIMARY KEY (id) NOT ENFORCED",
                "sink.properties.partial_columns",
                "true",
                "sink.properties.format",
                format,
                "sink.properties.columns",
                columns);
        assertThatThrownBy(() -> explain("INSERT INTO part (" + named + ") SELECT 1, 2"))
                .hasMessageContaining("test.part")
                .hasMessageContaining(words);
    }

    /** USE-5, USE-6 */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "streaming | jdbc-url | jdbc:mysql://fe:9030 | 'execution.runtime-mode' = 'batch'",
                "batch | - | - | needs option 'jdbc-url'",
                "batch | sink.properties.group_commit | sync_mode | 'sink.properties.group_commit'",
                "batch | sink.properties.partitions | p1 | 'sink.properties.partitions'",
                "batch | sink.properties.temporary_partitions | p1 | replaces the whole table",
            })
    void use5AnOverwriteThatCannotBeIsRefused(String mode, String key, String value, String words) {
        PlannedScans planned =
                new PlannedScans(
                        mode.equals("batch")
                                ? EnvironmentSettings.inBatchMode()
                                : EnvironmentSettings.inStreamingMode());
        List<String> options = new ArrayList<>();
        if (key != null) {
            options.addAll(List.of(key, value));
        }
        if (key != null && !key.equals("jdbc-url")) {
            options.addAll(List.of("jdbc-url", "jdbc:mysql://fe:9030"));
        }
        planned.declare("o", "id INT", options.toArray(new String[0]));
        assertThatThrownBy(() -> planned.tables().explainSql("INSERT OVERWRITE o VALUES (1)"))
                .satisfies(
                        failure ->
                                assertThat(ExceptionUtils.stringifyException(failure))
                                        .contains("INSERT OVERWRITE of table test.o")
                                        .contains(words));
    }

    /** Single partitions cannot be overwritten: Flink refuses the table as a target. */
    @Test
    void aTableThatFlinkPartitionsIsNoTarget() {
        PlannedScans batch = new PlannedScans(EnvironmentSettings.inBatchMode());
        batch.tables()
                .executeSql(
                        "CREATE TABLE parted (id INT, d STRING) PARTITIONED BY (d) WITH"
                                + " ('connector' = 'doris', 'fenodes' = 'fe:8030',"
                                + " 'table.identifier' = 'test.parted', 'username' = 'root',"
                                + " 'jdbc-url' = 'jdbc:mysql://fe:9030')");
        assertThatThrownBy(
                        () ->
                                batch.tables()
                                        .explainSql(
                                                "INSERT OVERWRITE parted PARTITION (d ="
                                                        + " '2026-12-01') SELECT 1"))
                .hasMessageContaining("parted")
                .hasMessageContaining("SupportsPartitioning");
    }

    @Test
    void aCopyIsTheSameTable() {
        DorisTableSink sink = Tables.sink();
        assertThat(((DorisTableSink) sink.copy()).plan()).isSameAs(sink.plan());
    }

    private String explain(String statement) {
        return planner.tables().explainSql(statement, ExplainDetail.CHANGELOG_MODE);
    }
}
