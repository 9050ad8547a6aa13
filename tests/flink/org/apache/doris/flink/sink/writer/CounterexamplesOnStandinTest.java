package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.it.Fault;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.jni.NoLeaks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The counterexamples across all layers: the native core writes, a server of its own per test. */
@ExtendWith(NoLeaks.class)
@Timeout(120)
class CounterexamplesOnStandinTest extends Counterexamples {

    private Standin standin;
    private StandinWorld world;

    @BeforeEach
    void begin() throws Exception {
        standin = Standin.with("--backends", "2").start();
        standin.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.t (v VARCHAR(100)) DUPLICATE KEY(v) DISTRIBUTED BY HASH(v)"
                        + " BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")",
                "CREATE TABLE test.u (v VARCHAR(100)) DUPLICATE KEY(v) DISTRIBUTED BY HASH(v)"
                        + " BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")");
        world = new StandinWorld(standin);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
        standin.close();
    }

    @Override
    World world() {
        return world;
    }

    @Test
    void aBackEndThatNeverAnswers() throws Exception {
        long rule = standin.fault(Fault.at("be.load.answer").hold());
        try (TestSink job = TestSink.on(world).start()) {
            job.write(0, "a");
            Thread task = Thread.currentThread();
            job.writer(0).flush(false);
            job.contexts.get(0).mails.add(task::interrupt);
            assertThatThrownBy(() -> job.writer(0).prepareCommit())
                    .as("a cancelled task does not wait for it")
                    .isInstanceOf(InterruptedException.class);
        }
        standin.clearFault(rule);
        try (TestSink job = TestSink.on(world).attempt(1).start()) {
            job.write(0, "a").checkpoint(1);
        }
        assertThat(world.rows("t")).containsExactly("a");
    }
}
