package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.flink.metrics.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The writer in batch mode: loads end by themselves, and a checkpoint waits for all of them. */
@Timeout(30)
class BatchModeTest {

    private final FakeDoris doris = new FakeDoris();
    private TestSink job;
    private FakeLoadClient client;
    private FakeSinkContext context;

    @BeforeEach
    void start() throws Exception {
        start(options());
    }

    private void start(TestSink.Start options) throws Exception {
        job = options.start();
        client = job.clients.get(0);
        context = job.contexts.get(0);
    }

    private TestSink.Start options() {
        return TestSink.on(doris).option("sink.write-mode", "STREAM_LOAD_BATCH");
    }

    @AfterEach
    void end() throws Exception {
        job.close();
    }

    private void tick() throws Exception {
        doris.advance(Duration.ofSeconds(1));
        context.fireTimers();
    }

    @Test
    void batch7ACheckpointWaitsForTheRowsBeforeItAndHasNothingToCommit() throws Exception {
        job.write(0, "a", "u/1");
        TestSink.Checkpoint checkpoint = job.snapshot(1);
        assertThat(doris.rows("test", "t")).containsExactly("a");
        assertThat(doris.rows("test", "u")).containsExactly("1");
        assertThat(checkpoint.committables).isEmpty();
        assertThat(job.pending(1)).isEmpty();

        client.faults.put("test.t", FakeLoadClient.LoadFault.NO_ANSWER);
        job.write(0, "b");
        Thread task = Thread.currentThread();
        context.mails.add(() -> new Thread(task::interrupt).start());
        assertThatThrownBy(() -> job.snapshot(2)).isInstanceOf(InterruptedException.class);
        client.faults.clear();
    }

    @Test
    void labelsGoOnOverLoadsAndCheckpoints() throws Exception {
        job.write(0, "a").checkpoint(1);
        job.write(0, "b").checkpoint(2);
        assertThat(client.opened).hasSize(2);
        List<String> labels =
                doris.labels(org.apache.doris.flink.sink.transaction.LabelState.VISIBLE);
        assertThat(labels).hasSize(2);
        assertThat(labels.get(0)).matches("job_test_t_0_[0-9a-f]{16}_0");
        assertThat(labels.get(1)).isEqualTo(labels.get(0).replaceAll("0$", "1"));
    }

    @Test
    void loadsThatEndInBetweenAreCountedOnce() throws Exception {
        client.figures = Map.of("total.rows", "2", "loaded.rows", "2", "load.time.ms", "5");
        job.write(0, "a", "b");
        tick();
        client.opened.get(0).finish();
        RecordedMetrics metrics = context.metrics;
        tick();
        assertThat(metrics.count("numRecordsSend")).isEqualTo(2);
        job.write(0, "c", "d").checkpoint(1);
        tick();
        assertThat(metrics.count("numRecordsSend")).isEqualTo(4);
        assertThat(metrics.count("numRecordsSendErrors")).isZero();
        assertThat(metrics.count("test.t_totalFlushSucceededNumber")).isEqualTo(2);
        assertThat(metrics.count("test.t_flushTotalNumberRows")).isEqualTo(4);
        assertThat(((Histogram) metrics.metric("test.t_loadTimeMs")).getCount()).isEqualTo(2);
        assertThat(metrics.value("bufferedBytes")).as("what is held until sent").isEqualTo(12L);
    }

    @Test
    void aFailureInTheBackgroundComesOutAtTheNextTick() throws Exception {
        job.write(0, "a");
        tick();
        client.opened.get(0).finish();
        job.write(0, "b", "c");
        tick();
        client.opened.get(0).fail(new IOException("too many filtered rows"));
        assertThatThrownBy(this::tick)
                .isInstanceOf(IOException.class)
                .hasMessage("too many filtered rows");
        assertThatThrownBy(() -> job.snapshot(1)).hasMessage("too many filtered rows");
        assertThat(context.metrics.count("numRecordsSend")).isEqualTo(1);
        assertThat(context.metrics.count("numRecordsSendErrors"))
                .as("rows that were not taken")
                .isEqualTo(2);
        assertThat(context.metrics.count("test.t_totalFlushFailedNumber")).isEqualTo(1);
    }

    @Test
    void aFailureOfAnotherTableEndsAWait() throws Exception {
        job.write(0, "a", "u/1");
        tick();
        client.faults.put("test.t", FakeLoadClient.LoadFault.NO_PLACE);
        client.opened.get(1).fail(new IOException("no such column"));
        context.mails.add(
                () -> {
                    try {
                        tick();
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
        String large = "x".repeat(1 << 20);
        assertThatThrownBy(() -> job.write(0, large, large)).hasMessageContaining("no such column");
        client.faults.clear();
    }

    @Test
    void aBufferEndsWhereALoadMayEnd() throws Exception {
        job.close();
        start(options().option("sink.buffer-flush.max-rows", "3"));
        job.write(0, "1", "2", "3", "4", "5", "6", "7");
        tick();
        assertThat(client.opened.get(0).batches)
                .extracting(batch -> batch.rows)
                .containsExactly(3L, 3L, 1L);
        job.checkpoint(1);
        job.write(0, "8", "9", "10", "11").checkpoint(2);
        assertThat(client.opened.get(1).batches)
                .as("a checkpoint begins anew")
                .extracting(batch -> batch.rows)
                .containsExactly(3L, 1L);
    }

    /** The native core puts delimiters between buffers: it alone knows where a load ends. */
    @Test
    void aBufferHoldsWholeRows() throws Exception {
        job.close();
        start(options().option("sink.buffer-flush.max-bytes", "64kb"));
        String[] rows = new String[40];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = String.valueOf((char) ('a' + i % 26)).repeat(i == 20 ? 50_000 : 1000 + i);
        }
        job.write(0, rows);
        tick();
        StringBuilder joined = new StringBuilder();
        for (FakeLoadClient.Submitted batch : client.opened.get(0).batches) {
            String text = new String(batch.body.array(), 0, (int) batch.layout[0]);
            assertThat(text.split("\n")).hasSize((int) batch.rows);
            assertThat(batch.rows == 1 || text.length() <= 16 << 10).isTrue();
            joined.append(joined.length() == 0 ? "" : "\n").append(text);
        }
        assertThat(joined.toString()).isEqualTo(String.join("\n", rows));
    }

    @Test
    void rowsOfAShortIntervalAreHandedOverSoon() throws Exception {
        job.write(0, "a");
        assertThat(client.opened).isEmpty();
        context.fireTimers();
        assertThat(client.opened.get(0).body).hasToString("a");
    }

    @Test
    void stateIsThatOfASinkWithoutTwoPhaseCommit() throws Exception {
        job.write(0, "a");
        TestSink.Checkpoint checkpoint = job.checkpoint(1);
        job.close();
        start(options().from(checkpoint).attempt(1));
        job.write(0, "b").checkpoint(2);
        assertThat(doris.rows("test", "t")).containsExactly("a", "b");
    }
}
