package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.junit.jupiter.api.Test;

/** The counterexamples against transactions in memory. */
class CounterexamplesTest extends Counterexamples {

    private final FakeDoris doris = new FakeDoris();
    private final World world = new FakeWorld(doris);

    @Override
    World world() {
        return world;
    }

    @Test
    void aBackEndThatNeverAnswers() throws Exception {
        try (TestSink job = TestSink.on(world).start()) {
            job.write(0, "a");
            job.clients.get(0).faults.put("test.t", FakeLoadClient.LoadFault.NO_ANSWER);
            Thread task = Thread.currentThread();
            job.contexts.get(0).mails.add(task::interrupt);
            job.writer(0).flush(false);
            assertThatThrownBy(() -> job.writer(0).prepareCommit())
                    .as("a cancelled task does not wait for it")
                    .isInstanceOf(InterruptedException.class);
        }
        try (TestSink job = TestSink.on(world).attempt(1).start()) {
            job.write(0, "a").checkpoint(1);
            assertThat(doris.openLabels()).isEmpty();
        }
        assertThat(doris.rows("test", "t")).containsExactly("a");
    }
}
