package org.apache.doris.flink.source.offset;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** Publishing progress: one write at a time, back-off, newest first, never backwards, the end. */
class OffsetPublisherTest {

    private static final long T = 1_791_540_000_000L;

    private final Table table = new Table();
    private long clock = 5000;
    private final OffsetPublisher publisher = new OffsetPublisher(table, () -> clock);

    @Test
    void aPositionIsWrittenOnceAndRoundedDown() {
        publisher.publish(T + 999);
        assertThat(table.begun).containsExactly(T);
        table.end(null);
        for (int i = 0; i < 100; i++) {
            tick();
        }
        assertThat(table.begun).hasSize(1);
        assertThat(publisher.publishedMillis()).isEqualTo(T);
        assertThat(publisher.lagMillis()).isZero();
        publisher.publish(T);
        assertThat(table.begun).hasSize(1);
    }

    @Test
    void itNeverGoesBackwards() {
        publisher.publish(T + 5000);
        publisher.publish(T);
        table.end(null);
        tick();
        publisher.publish(T + 4000);
        tick();
        assertThat(table.begun).containsExactly(T + 5000);
    }

    @Test
    void oneWriteAtATimeAndTheNewestNext() {
        publisher.publish(T);
        publisher.publish(T + 1000);
        publisher.publish(T + 2000);
        publisher.publish(T + 3000);
        tick();
        assertThat(table.begun).containsExactly(T);
        assertThat(table.open).isEqualTo(1);
        table.end(null);
        tick();
        assertThat(table.begun).containsExactly(T, T + 3000);
        assertThat(publisher.lagMillis()).isEqualTo(3000);
    }

    @Test
    void failuresAreTriedAgainAfter1To60Seconds() {
        publisher.publish(T);
        List<Long> pauses = new ArrayList<>();
        for (int attempt = 0; attempt < 9; attempt++) {
            table.end(new IOException("refused"));
            tick(0);
            long failed = clock;
            int begun = table.begun.size();
            while (table.begun.size() == begun) {
                tick(500);
            }
            pauses.add(clock - failed);
        }
        assertThat(pauses)
                .containsExactly(
                        1000L, 2000L, 4000L, 8000L, 16_000L, 32_000L, 60_000L, 60_000L, 60_000L);
        assertThat(publisher.failures()).isEqualTo(9);
        table.end(null);
        tick();
        assertThat(publisher.publishedMillis()).isEqualTo(T);
        publisher.publish(T + 1000);
        table.end(new IOException("refused"));
        tick(0);
        tick(1000);
        assertThat(table.begun).as("the pause begins at 1 s again").hasSize(12);
    }

    @Test
    void aFailureAtTheVeryBeginningIsTriedAgainToo() {
        table.refusal = new IOException("closed");
        publisher.publish(T);
        assertThat(publisher.failures()).isEqualTo(1);
        table.refusal = null;
        tick(1000);
        table.end(null);
        tick();
        assertThat(publisher.publishedMillis()).isEqualTo(T);
    }

    @Test
    void aNewerPositionReplacesOneThatFails() {
        publisher.publish(T);
        table.end(new IOException("refused"));
        tick(0);
        publisher.publish(T + 7000);
        tick(1000);
        assertThat(table.begun).containsExactly(T, T + 7000);
    }

    @Test
    void closingWaitsForTheWriteUnderWayAndWritesTheRest() {
        publisher.publish(T);
        publisher.publish(T + 1000);
        table.endAll = true;
        publisher.close();
        assertThat(table.begun).containsExactly(T, T + 1000);
        assertThat(publisher.publishedMillis()).isEqualTo(T + 1000);
        assertThat(table.open).isZero();
    }

    @Test
    void closingTriesOnceMoreDespiteThePause() {
        publisher.publish(T);
        table.end(new IOException("refused"));
        tick(0);
        table.endAll = true;
        publisher.close();
        assertThat(table.begun).containsExactly(T, T);
        assertThat(publisher.publishedMillis()).isEqualTo(T);
    }

    @Test
    void closingTakesFiveSecondsAtMost() {
        publisher.publish(T);
        publisher.publish(T + 1000);
        long before = clock;
        publisher.close();
        assertThat(clock - before).isEqualTo(5000);
        assertThat(table.begun).containsExactly(T);
        assertThat(table.open).isZero();
        publisher.publish(T + 9000);
        publisher.advance();
        publisher.close();
        assertThat(table.begun).hasSize(1);
    }

    @Test
    void closingWithNothingToWriteDoesNothing() {
        publisher.close();
        assertThat(table.begun).isEmpty();
        assertThat(publisher.publishedMillis()).isZero();
    }

    private void tick() {
        tick(1000);
    }

    private void tick(long millis) {
        clock += millis;
        publisher.advance();
    }

    /** Writes end when the test says so; a wait lets the time pass. */
    private final class Table implements OffsetTable {

        private final List<Long> begun = new ArrayList<>();
        private int open;
        private boolean ended;
        private boolean endAll;
        private IOException failure;
        private IOException refusal;

        private void end(IOException cause) {
            ended = true;
            failure = cause;
        }

        @Override
        public OptionalLong read(BooleanSupplier cancelled) {
            throw new AssertionError("a publisher does not read");
        }

        @Override
        public Write write(long millis) throws IOException {
            if (refusal != null) {
                throw refusal;
            }
            begun.add(millis);
            open++;
            assertThat(open).isEqualTo(1);
            ended = false;
            return new Write() {
                @Override
                public boolean await(long waitMillis) {
                    if (!ended && !endAll) {
                        clock += waitMillis;
                    }
                    return ended || endAll;
                }

                @Override
                public void result() throws IOException {
                    if (failure != null && !endAll) {
                        throw failure;
                    }
                }

                @Override
                public void close() {
                    open--;
                }
            };
        }

        @Override
        public String describe() {
            return "consumer 'c' in ops.t";
        }
    }
}
