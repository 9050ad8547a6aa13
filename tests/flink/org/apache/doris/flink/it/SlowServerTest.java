package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;

/**
 * A server that takes 10 MB/s from a source that is faster: the memory of the sink stays within its
 * buffers and what it keeps to send again, and a cancelled job is gone within a second.
 */
@Timeout(180)
class SlowServerTest {

    private static final int SUBTASKS = 2;
    private static final long MB = 1024 * 1024;
    private static final long BUFFER_BYTES = MB;
    private static final int BUFFERS = 3;
    private static final long KEPT_BYTES = 8 * MB;
    private static final long TAKEN_A_SECOND = 10_000_000 / SUBTASKS;
    private static final Duration BOUND = Duration.ofSeconds(1);

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void table() {
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.wide (k BIGINT, v STRING) DUPLICATE KEY(k) DISTRIBUTED BY"
                        + " HASH(k) BUCKETS 2 PROPERTIES (\"replication_num\" = \"1\")");
        DORIS.discard("test", "wide");
    }

    private static JobClient start(String checkpoints) {
        DORIS.fault(Fault.at("be.load.body").bytesPerSecond(TAKEN_A_SECOND));
        StreamTableEnvironment sql =
                FLINK.streaming(
                        "parallelism.default",
                        String.valueOf(SUBTASKS),
                        "restart-strategy.type",
                        "none",
                        "execution.checkpointing.interval",
                        checkpoints);
        sql.executeSql(
                "CREATE TEMPORARY TABLE fast (k BIGINT) WITH ('connector' = 'datagen',"
                        + " 'rows-per-second' = '1000000000')");
        DorisTable.of(DORIS, "test.wide")
                .columns("k BIGINT, v STRING")
                .with("sink.buffer-size", BUFFER_BYTES + "b")
                .with("sink.buffer-count", String.valueOf(BUFFERS))
                .with("sink.replay-buffer-size", KEPT_BYTES + "b")
                .with("sink.properties.compress_type", "")
                .create(sql, "wide");
        return sql.executeSql("INSERT INTO wide SELECT k, REPEAT(CAST(k AS STRING), 100) FROM fast")
                .getJobClient()
                .get();
    }

    @Test
    void mem3MemoryStaysWithinBuffersAndWhatIsKept() throws Exception {
        JobClient client = start("1 h");
        JobID job = client.getJobID();
        // One more than there are places: without compression a buffer encodes to more than its
        // size.
        long ring = SUBTASKS * (BUFFERS + 1) * BUFFER_BYTES;
        long limit = ring + SUBTASKS * KEPT_BYTES;
        long start = DORIS.stat("bytes_taken");
        long[] most = new long[2];
        Until.holds(
                "60 MB have gone through",
                Duration.ofSeconds(120),
                () -> {
                    most[0] = Math.max(most[0], FLINK.sum(job, "nativeMemoryBytes"));
                    most[1] = Math.max(most[1], FLINK.sum(job, "bufferedBytes"));
                    return DORIS.stat("bytes_taken") - start > 60 * MB;
                });
        assertThat(most[0]).as("bytes in buffers and kept").isLessThanOrEqualTo(limit);
        assertThat(most[1])
                .as("bytes in buffers: the source is faster, so they are full")
                .isBetween(SUBTASKS * BUFFER_BYTES, ring);
        assertThat(DORIS.stat("loads_open")).isEqualTo(SUBTASKS);
        cancelledWithinTheBound(client);
    }

    @Test
    void mem3ACheckpointWaitsWithTheJobAndBothAreCancelledAtOnce() throws Exception {
        JobClient client = start("200 ms");
        // The load is finished by a checkpoint and its last bytes are on their slow way.
        Until.holds("a load is there", () -> DORIS.stat("loads_open") == SUBTASKS);
        cancelledWithinTheBound(client);
    }

    private static void cancelledWithinTheBound(JobClient job) throws Exception {
        long start = System.nanoTime();
        job.cancel().get();
        Until.holds("the job is gone", BOUND, () -> FlinkCluster.status(job) == JobStatus.CANCELED);
        Duration left = BOUND.minusNanos(System.nanoTime() - start);
        NothingLeft.check(DORIS, left);
    }
}
