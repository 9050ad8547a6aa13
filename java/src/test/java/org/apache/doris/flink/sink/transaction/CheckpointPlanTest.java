package org.apache.doris.flink.sink.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Time limits that follow from the checkpoints of a job, and what is said at the start. */
class CheckpointPlanTest {

    private static final OptionalLong NONE = OptionalLong.empty();

    private static CheckpointPlan plan(Duration interval, Duration timeout) {
        return new CheckpointPlan(true, true, true, interval, timeout);
    }

    private static SinkConfig sink(String... options) {
        Map<String, String> all = new TreeMap<>();
        all.put("fenodes", "127.0.0.1:8030");
        all.put("table.identifier", "test.t");
        for (int i = 0; i < options.length; i += 2) {
            all.put(options[i], options[i + 1]);
        }
        return SinkPlan.ofBytes(all, "UTC").config();
    }

    @Test
    void aLoadMayRunForSeveralCheckpoints() {
        assertThat(plan(Duration.ofMinutes(1), Duration.ofMinutes(10)).loadTimeoutSeconds(NONE))
                .as("not less than an hour")
                .isEqualTo(3600);
        assertThat(plan(Duration.ofMinutes(30), Duration.ofMinutes(10)).loadTimeoutSeconds(NONE))
                .isEqualTo(4 * 40 * 60);
        assertThat(plan(Duration.ofHours(20), Duration.ofMinutes(10)).loadTimeoutSeconds(NONE))
                .as("not more than a front end grants")
                .isEqualTo(259_200);
        assertThat(CheckpointPlan.UNKNOWN.loadTimeoutSeconds(NONE)).isEqualTo(259_200);
        assertThat(
                        plan(Duration.ofMinutes(30), Duration.ofMinutes(10))
                                .loadTimeoutSeconds(OptionalLong.of(77)))
                .as("what the user set is sent")
                .isEqualTo(77);
    }

    @Test
    void anAnswerIsAwaitedForLessThanACheckpointTakes() {
        CheckpointPlan plan = plan(Duration.ofMinutes(1), Duration.ofMinutes(10));
        assertThat(plan.answerTimeout(NONE)).isEqualTo(Duration.ofMinutes(5));
        assertThat(plan.answerTimeout(OptionalLong.of(30))).isEqualTo(Duration.ofSeconds(90));
        assertThat(CheckpointPlan.UNKNOWN.answerTimeout(NONE)).isEqualTo(Duration.ofMinutes(5));
        assertThat(CheckpointPlan.UNKNOWN.answerTimeout(OptionalLong.of(10)))
                .isEqualTo(Duration.ofSeconds(70));
    }

    @Test
    void use9StreamingWithoutCheckpointsIsAnError() {
        CheckpointPlan off = new CheckpointPlan(true, false, true, Duration.ZERO, Duration.ZERO);
        assertThat(off.errors(sink()))
                .singleElement()
                .asString()
                .contains("'execution.checkpointing.interval'")
                .contains("visible only when the job is stopped with a savepoint")
                .doesNotContain("never be visible")
                .doesNotContain("STREAM_LOAD_BATCH")
                .contains("bounded input is committed at its end");
        assertThat(off.errors(sink("sink.enable-2pc", "false")))
                .as("without two-phase commit a load ends with a checkpoint as well")
                .hasSize(1);
        assertThat(CheckpointPlan.UNKNOWN.errors(sink())).isEmpty();
        assertThat(off.errors(sink("sink.enable.batch-mode", "true")))
                .as("in batch mode rows become visible by themselves")
                .isEmpty();
        assertThat(plan(Duration.ofSeconds(1), Duration.ofSeconds(1)).errors(sink())).isEmpty();
    }

    @Test
    void checkpointsThatEndWithTheFirstTaskAreAnError() {
        CheckpointPlan plan =
                new CheckpointPlan(
                        true, true, false, Duration.ofSeconds(10), Duration.ofSeconds(10));
        assertThat(plan.errors(sink()))
                .singleElement()
                .asString()
                .contains("'execution.checkpointing.checkpoints-after-tasks-finish' is off");
    }

    @Test
    void twoPc15AnIntervalBeyondTheUsersTimeoutIsAWarning() {
        CheckpointPlan plan = plan(Duration.ofMinutes(10), Duration.ofMinutes(1));
        assertThat(plan.warnings(sink("sink.properties.timeout", "300")))
                .singleElement()
                .asString()
                .contains("interval is 600 s")
                .contains("'sink.properties.timeout' ends a load after 300 s");
        assertThat(plan.warnings(sink("sink.properties.timeout", "1200"))).isEmpty();
    }

    @Test
    void timesBeyondAQuarterOfThePreCommitTimeoutAreAWarning() {
        CheckpointPlan plan = plan(Duration.ofMinutes(6), Duration.ofMinutes(10));
        assertThat(plan.warnings(sink()))
                .singleElement()
                .asString()
                .contains("960 s together")
                .contains("'sink.precommit-timeout' (3600 s)");
        assertThat(plan.warnings(sink("sink.precommit-timeout", "2 h"))).isEmpty();
        assertThat(plan.warnings(sink("sink.enable-2pc", "false"))).isEmpty();
    }

    @Test
    void everythingIsReadFromTheJob() {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "7 s");
        configuration.setString("execution.checkpointing.timeout", "20 min");
        configuration.setString("execution.runtime-mode", "STREAMING");
        CheckpointPlan plan = read(configuration);
        assertThat(plan.answerTimeout(NONE)).isEqualTo(Duration.ofMinutes(10));
        assertThat(plan.loadTimeoutSeconds(NONE)).isEqualTo(4 * 1207);
        assertThat(plan.errors(sink())).isEmpty();

        assertThat(read(new Configuration()).errors(sink())).hasSize(1);

        Configuration batch = new Configuration();
        batch.setString("execution.runtime-mode", "BATCH");
        assertThat(read(batch).errors(sink())).isEmpty();

        configuration.setString(
                "execution.checkpointing.checkpoints-after-tasks-finish.enabled", "false");
        assertThat(read(configuration).errors(sink())).hasSize(1);
    }

    /** Aligned ones never part the two rows of an update that one operator sends. */
    @Test
    void unalignedCheckpointsAreWarnedOfWhereColumnsCouldBeLost() {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.interval", "1 s");
        configuration.setString("execution.checkpointing.timeout", "1 min");
        CheckpointPlan aligned = read(configuration);
        configuration.setString("execution.checkpointing.unaligned.enabled", "true");
        CheckpointPlan unaligned = read(configuration);
        SinkConfig partial =
                sink("sink.properties.partial_columns", "true", "sink.properties.columns", "a");
        assertThat(aligned.warnings(partial)).isEmpty();
        assertThat(unaligned.warnings(sink())).isEmpty();
        assertThat(unaligned.warnings(partial))
                .singleElement()
                .asString()
                .startsWith("Unaligned checkpoints may come between a -U and the +U")
                .contains("'execution.checkpointing.unaligned.enabled'");
    }

    @Test
    void whereFlinkChoosesTheModeTheSourcesDecide() {
        Configuration configuration = new Configuration();
        configuration.setString("execution.runtime-mode", "AUTOMATIC");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        assertThat(CheckpointPlan.of(environment.fromSequence(1, 2)).errors(sink())).isEmpty();
        NumberSequenceSource endless =
                new NumberSequenceSource(1, 2) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public Boundedness getBoundedness() {
                        return Boundedness.CONTINUOUS_UNBOUNDED;
                    }
                };
        assertThat(
                        CheckpointPlan.of(
                                        environment
                                                .fromSource(
                                                        endless,
                                                        WatermarkStrategy.noWatermarks(),
                                                        "endless")
                                                .map(number -> number))
                                .errors(sink()))
                .hasSize(1);
    }

    @Test
    void programsMaySetThemInCode() {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.enableCheckpointing(5000);
        environment.getCheckpointConfig().setCheckpointTimeout(60_000);
        assertThat(CheckpointPlan.of(environment.fromSequence(1, 2)).answerTimeout(NONE))
                .isEqualTo(Duration.ofSeconds(30));
    }

    private static CheckpointPlan read(Configuration configuration) {
        return CheckpointPlan.of(
                StreamExecutionEnvironment.getExecutionEnvironment(configuration)
                        .fromSequence(1, 2));
    }
}
