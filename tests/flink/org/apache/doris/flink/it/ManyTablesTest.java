package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;

/** A sink that has seen many tables pays for those that get rows. */
@Timeout(180)
class ManyTablesTest {

    private static final int TABLES = 500;
    private static final int ACTIVE = 5;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int BUFFERS = 3;

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    @BeforeAll
    static void tables() {
        DORIS.run("CREATE DATABASE many");
        for (int i = 0; i < TABLES; i++) {
            DORIS.run(
                    "CREATE TABLE many.t"
                            + i
                            + " (k BIGINT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
                            + " PROPERTIES (\"replication_num\" = \"1\")");
        }
    }

    /** Every table gets one row, then a few of them all others. */
    private static final class ToTables implements MapFunction<Long, RecordWithMeta> {

        private static final long serialVersionUID = 1L;

        @Override
        public RecordWithMeta map(Long number) throws Exception {
            long table = number < TABLES ? number : number % ACTIVE;
            if (number >= TABLES) {
                // A thousand rows a second are enough to keep a few loads open.
                Thread.sleep(1);
            }
            return new RecordWithMeta("many", "t" + table, String.valueOf(number));
        }
    }

    @Test
    void mem2FiveHundredTablesSeenOnceAndFiveActiveCostFive() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("parallelism.default", "1");
        configuration.setString("restart-strategy.type", "none");
        configuration.setString("execution.checkpointing.interval", "1 s");
        StreamExecutionEnvironment flink =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        DorisSink<RecordWithMeta> sink =
                DorisSink.<RecordWithMeta>builder()
                        .setDorisOptions(
                                DorisOptions.builder()
                                        .setFenodes(DORIS.fenodes())
                                        .setUsername("root")
                                        .setPassword("")
                                        .build())
                        .setDorisExecutionOptions(
                                DorisExecutionOptions.builder()
                                        .setLabelPrefix("many")
                                        .enable2PC()
                                        .setBufferSize(BUFFER_BYTES)
                                        .setBufferCount(BUFFERS)
                                        .build())
                        .setSerializer(new RecordWithMetaSerializer())
                        .build();
        flink.fromSequence(0, Long.MAX_VALUE / 2).map(new ToTables()).sinkTo(sink);
        JobClient job = flink.executeAsync("many tables");

        Until.holds(
                "every table has got its row",
                () ->
                        DORIS.transactions("many_").stream()
                                        .filter(load -> load.state().equals("VISIBLE"))
                                        .count()
                                >= TABLES);
        long seen = DORIS.transactions().size();
        Until.holds(
                "further checkpoints have passed",
                () -> {
                    assertThat(DORIS.stat("loads_open")).isLessThanOrEqualTo(ACTIVE);
                    assertThat(FLINK.sum(job.getJobID(), "openTransactions"))
                            .isLessThanOrEqualTo(ACTIVE);
                    assertThat(FLINK.sum(job.getJobID(), "bufferedBytes"))
                            .isLessThanOrEqualTo((long) ACTIVE * BUFFERS * BUFFER_BYTES);
                    return DORIS.transactions().size() >= seen + 3 * ACTIVE;
                });
        List<Transaction> later = DORIS.transactions().subList((int) seen, (int) seen + ACTIVE);
        assertThat(later)
                .allSatisfy(
                        load ->
                                assertThat(load.label())
                                        .as("only tables that get rows have loads")
                                        .matches("many_many_t[0-4]_.*"));
        job.cancel().get();
        FlinkCluster.end(job);
    }
}
