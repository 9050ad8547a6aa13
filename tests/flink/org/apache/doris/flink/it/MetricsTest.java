package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.jni.NativeCounters;
import org.apache.flink.api.common.JobID;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The metrics that a job registers, and what they say. */
@Timeout(60)
class MetricsTest {

    private static final int ROWS = 20_000;
    private static final int TABLETS = 6;

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void fill() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.t (k BIGINT NOT NULL, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY"
                        + " HASH(k) BUCKETS "
                        + TABLETS
                        + " PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.t SELECT number, IF(number = 19999, NULL, concat('v', number))"
                        + " FROM numbers(\"number\" = \""
                        + ROWS
                        + "\")");
    }

    private static TableResult count(String columns, String... options) {
        return query("SELECT COUNT(v), MAX(k) FROM t", columns, options);
    }

    private static TableResult query(String query, String columns, String... options) {
        TableEnvironment sql =
                FLINK.batch(
                        "table.exec.resource.default-parallelism", "3",
                        "parallelism.default", "3",
                        "restart-strategy.type", "none");
        DorisTable table = DorisTable.of(DORIS, "test.t").columns(columns);
        for (int i = 0; i < options.length; i += 2) {
            table.with(options[i], options[i + 1]);
        }
        table.create(sql, "t");
        return sql.executeSql(query);
    }

    @Test
    void rowsBytesAndSplitsAreCounted() throws Exception {
        long bytes = DORIS.stat("bytes_served");
        TableResult result = count("k BIGINT NOT NULL, v STRING");
        assertThat(FlinkCluster.rows(result)).containsExactly(Row.of(ROWS - 1L, ROWS - 1L));
        JobID job = result.getJobClient().get().getJobID();

        assertThat(FLINK.readBySource(job)).isEqualTo(ROWS);
        assertThat(FLINK.sum(job, "snapshotSplitsDone")).isEqualTo(TABLETS);
        assertThat(FLINK.sum(job, "snapshotSplitsTotal")).isEqualTo(TABLETS);
        assertThat(FLINK.sum(job, "snapshotSplitRetries")).isZero();
        assertThat(FLINK.values(job, "unassignedSplits")).containsExactly(0L);
        assertThat(FLINK.values(job, "nativeMemoryBytes")).hasSize(3);
        // What planning and the look at the columns took is no part of it.
        assertThat(FLINK.besideSplits(job, "numBytesIn"))
                .isPositive()
                .isLessThanOrEqualTo(DORIS.stat("bytes_served") - bytes);
        assertThat(FLINK.besideSplits(job, "numRecordsInErrors")).isZero();
    }

    @Test
    void memoryIsShownWhileItIsHeld() throws Exception {
        long rule = DORIS.fault(Fault.at("flight.do_get").statement("TABLET").after(2).hold());
        TableResult result = count("k BIGINT NOT NULL, v STRING", "doris.batch.size", "100");
        JobID job = result.getJobClient().get().getJobID();
        Until.holds("all readers are held", () -> DORIS.holding(rule) == 3);
        Until.holds(
                "the metric equals the counter",
                () -> FLINK.sum(job, "nativeMemoryBytes") == NativeCounters.nativeBytes());
        DORIS.clearFault(rule);
        assertThat(FlinkCluster.rows(result)).hasSize(1);
        Until.holds("all is given back", () -> FLINK.sum(job, "nativeMemoryBytes") == 0);
    }

    @Test
    void retriesOfSplitsAreCounted() throws Exception {
        DORIS.fault(Fault.at("flight.do_get").statement("TABLET").times(3).close());
        TableResult result = count("k BIGINT NOT NULL, v STRING");
        assertThat(FlinkCluster.rows(result)).hasSize(1);
        assertThat(FLINK.sum(result.getJobClient().get().getJobID(), "snapshotSplitRetries"))
                .isEqualTo(3);
    }

    @Test
    void aRowThatCannotBeTakenOverIsCountedAsAnError() throws Exception {
        TableResult result = query("SELECT MAX(v) FROM t", "k BIGINT, v STRING NOT NULL");
        JobID job = result.getJobClient().get().getJobID();
        assertThat(Failure.of(() -> FlinkCluster.rows(result)).text())
                .contains("column v")
                .contains("NOT NULL");
        Until.holds(
                "the error is counted", () -> FLINK.besideSplits(job, "numRecordsInErrors") > 0);
    }
}
