package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.writer.FakeLoadClient.LoadFault;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;

/** What a task does while it waits: it can be cancelled, and mails are taken. */
@Timeout(30)
class WaitingTest {

    private static final String BUFFER = "x".repeat(1024);

    private final FakeDoris doris = new FakeDoris();
    private TestSink job;
    private FakeLoadClient client;
    private FakeSinkContext context;

    @BeforeEach
    void start() throws Exception {
        job = TestSink.on(doris).option("sink.buffer-size", "1kb").start();
        client = job.clients.get(0);
        context = job.contexts.get(0);
    }

    @Test
    void aWriteThatWaitsForAPlaceCanBeCancelled() throws Exception {
        client.faults.put("test.t", LoadFault.NO_PLACE);
        interruptedWithin(() -> job.write(0, BUFFER));
        job.close();
    }

    @Test
    void aCheckpointThatWaitsForAnAnswerCanBeCancelled() throws Exception {
        job.write(0, BUFFER);
        client.faults.put("test.t", LoadFault.NO_ANSWER);
        interruptedWithin(() -> job.snapshot(1));
        job.close();
    }

    @Test
    void aStartThatWaitsForAStateCanBeCancelled() throws Exception {
        doris.fault((kind, label) -> kind.equals("state")).held(true);
        Thread task = Thread.currentThread();
        new Thread(task::interrupt).start();
        assertThatThrownBy(() -> TestSink.on(doris).start())
                .isInstanceOf(java.io.InterruptedIOException.class);
        assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
        assertThat(FakeLoadClient.last().closed).isTrue();
        job.close();
    }

    @Test
    void aCommitIsDoneWhileTheWriterWaits() throws Exception {
        job.write(0, "a").snapshot(1);
        client.faults.put("test.t", LoadFault.NO_PLACE);
        context.mails.add(
                () -> {
                    try {
                        job.complete(1);
                        client.faults.clear();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
        job.write(0, BUFFER);
        assertThat(doris.rows("test", "t")).containsExactly("a");
        job.close();
    }

    @Test
    void theWatchLooksWhileTheWriterWaits() throws Exception {
        job.write(0, "a").snapshot(1);
        client.faults.put("test.t", LoadFault.NO_PLACE);
        context.mails.add(() -> doris.advance(Duration.ofMinutes(31)));
        assertThatThrownBy(() -> job.write(0, BUFFER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no checkpoint has completed");
        job.close();
    }

    @Test
    void rowsOfASlowStreamAreSentAfterAWhile() throws Exception {
        job.write(0, "a", "u/1");
        assertThat(client.opened).isEmpty();
        context.fireTimers();
        assertThat(doris.labels(LabelState.PREPARE)).hasSize(2);
        job.write(0, "b");
        client.faults.put("test.t", LoadFault.NO_PLACE);
        context.fireTimers();
        assertThat(client.opened.get(0).body).as("nothing waits in a timer").hasToString("a");
        client.faults.clear();
        context.fireTimers();
        job.checkpoint(1);
        assertThat(doris.rows("test", "t")).containsExactly("a", "b");
        job.close();
    }

    @Test
    void aTimerAmongTheMailsOfAWaitLeavesTheBufferAlone() throws Exception {
        job.write(0, "a");
        client.faults.put("test.t", LoadFault.NO_PLACE);
        context.mails.add(
                () -> {
                    client.faults.clear();
                    try {
                        context.fireTimers();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
        job.write(0, BUFFER).checkpoint(1);
        assertThat(doris.rows("test", "t")).containsExactly("a", BUFFER);
        job.close();
    }

    @Test
    void theTimerEndsWithTheWriter() throws Exception {
        context.fireTimers();
        job.close();
        job.close();
        doris.advance(Duration.ofHours(2));
        context.fireTimers();
        context.fireTimers();
        assertThat(client.closed).isTrue();
    }

    private void interruptedWithin(org.junit.jupiter.api.function.Executable wait) {
        Thread task = Thread.currentThread();
        context.mails.add(() -> new Thread(task::interrupt).start());
        long start = System.nanoTime();
        assertThatThrownBy(wait::execute).isInstanceOf(InterruptedException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }
}
