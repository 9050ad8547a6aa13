package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a read asks the cluster for follows its parallelism and its limit, not the tablets. */
@Timeout(240)
class ManyTabletsTest {

    private static final int TABLETS = 2048;
    private static final int PARALLELISM = 2;

    /** Splits of a subtask, and one more where a back end's share does not come out even. */
    private static final int MOST_SPLITS = 8 * PARALLELISM + 1;

    @RegisterExtension
    static final Standin DORIS = Standin.with("--set", "unknown_tablets_ignored=true");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private long mark;

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.many (id INT, name VARCHAR(20)) DUPLICATE KEY(id) DISTRIBUTED BY"
                        + " HASH(id) BUCKETS "
                        + TABLETS
                        + " PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.many SELECT number, concat('n', number) FROM numbers(\"number\" ="
                        + " \"4000\")");
    }

    @BeforeEach
    void declare() {
        sql = FLINK.batch("table.exec.resource.default-parallelism", String.valueOf(PARALLELISM));
        DorisTable.of(DORIS, "test.many").columns("id INT, name STRING").create(sql, "many");
        mark = DORIS.mark();
    }

    @Test
    void aFilterThatLeavesOneRowIsAFewQueriesAndAFewLooks() throws Exception {
        assertThat(FlinkCluster.rows(sql, "SELECT COUNT(*) FROM many WHERE name = 'n7'"))
                .containsExactly(Row.of(1L));
        assertThat(DORIS.queries(mark, "many").size()).isLessThanOrEqualTo(MOST_SPLITS);
        // The plan, and a look behind the last split of each reader at most.
        assertThat(plans(mark)).isLessThanOrEqualTo(1 + PARALLELISM);
    }

    @Test
    void aLimitStopsAskingWhenItHasEnough() throws Exception {
        DorisTable.of(DORIS, "test.many")
                .columns("id INT, name STRING")
                .with("doris.request.tablet.size", "1")
                .create(sql, "many");
        assertThat(FlinkCluster.rows(sql, "SELECT * FROM many LIMIT 5")).hasSize(5);
        // Each tablet has about two rows, so a reader has enough after a few.
        assertThat(DORIS.queries(mark, "many").size()).isLessThan(TABLETS / 10);
    }

    @Test
    void tabletsThatGoInMidReadFailTheJobInsteadOfLosingTheirRows() throws Exception {
        DORIS.run(fourHundredRows("rewritten"));
        DORIS.run(fourHundredRows("successor"));
        DorisTable.of(DORIS, "test.rewritten").columns("id INT").create(sql, "rewritten");
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").hold());
        TableResult result = sql.executeSql("SELECT * FROM rewritten");
        Until.holds("splits are being read", () -> DORIS.holding(rule) > 0);
        // In one step: a query in between would meet no table at all.
        DORIS.run(
                "ALTER TABLE test.rewritten REPLACE WITH TABLE successor"
                        + " PROPERTIES (\"swap\" = \"false\")");
        DORIS.clearFault(rule);
        Failure failure = Failure.of(() -> FlinkCluster.rows(result));
        assertThat(failure.text())
                .contains("test.rewritten has no tablet [")
                .contains("start the job anew");
    }

    private static String[] fourHundredRows(String table) {
        return new String[] {
            "CREATE TABLE test."
                    + table
                    + " (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id)"
                    + " BUCKETS 40 PROPERTIES (\"replication_num\" = \"1\")",
            "INSERT INTO test." + table + " SELECT number FROM numbers(\"number\" = \"400\")"
        };
    }

    private static long plans(long since) {
        return DORIS.journal(since).stream()
                .filter(entry -> String.valueOf(entry.get("path")).contains("/_query_plan"))
                .count();
    }
}
