package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/** A refusal waits until the tasks are up, or Flink's sink of a SELECT takes its process down. */
class RefusedStartTest {

    private final IllegalStateException refusal = new IllegalStateException("refused");

    /** A context whose background calls the test runs one by one, without their waiting. */
    private static final class Steps extends FakeEnumeratorContext {

        final Queue<BiConsumer<Object, Throwable>> calls = new ArrayDeque<>();

        Steps(int parallelism) {
            super(parallelism);
        }

        @SuppressWarnings("unchecked")
        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            calls.add((BiConsumer<Object, Throwable>) handler);
        }

        void step() {
            calls.remove().accept(null, null);
        }
    }

    @Test
    void waitsForAllReaders() {
        Steps context = new Steps(2);
        RefusedStart.fail(context, () -> false, refusal);
        context.step();
        context.register(1);
        context.step();
        context.register(0);
        assertThatThrownBy(context::step).isSameAs(refusal);
        assertThat(context.calls).isEmpty();
    }

    @Test
    void failsAtOnceWhereTheyAreThere() {
        Steps context = new Steps(1);
        context.register(0);
        assertThatThrownBy(() -> RefusedStart.fail(context, () -> false, refusal))
                .isSameAs(refusal);
    }

    @Test
    void doesNotWaitForEver() {
        Steps context = new Steps(1);
        RefusedStart.fail(context, () -> false, refusal);
        for (int step = 1; step < RefusedStart.STEPS; step++) {
            context.step();
        }
        assertThatThrownBy(context::step).isSameAs(refusal);
    }

    @Test
    void aClosedEnumeratorHasNothingToSay() {
        Steps context = new Steps(1);
        RefusedStart.fail(context, () -> true, refusal);
        assertThat(context.calls).isEmpty();
    }

    @Test
    void thePlanAndTheStartAreRefusedThatWay() {
        for (String mode : List.of("snapshot", "latest")) {
            Steps context = new Steps(1);
            DorisEnumerator enumerator = enumerator(context, mode);
            enumerator.start();
            context.calls
                    .remove()
                    .accept(null, new NativeException(ErrorCode.NOT_FOUND, "no such table"));
            context.register(0);
            assertThatThrownBy(context::step)
                    .isInstanceOf(PlanRefusedException.class)
                    .hasMessageContaining("no such table");
        }
    }

    private static DorisEnumerator enumerator(Steps context, String mode) {
        ScanConfig scan = ChangelogScans.scan("source.scan.mode", mode);
        return new DorisEnumerator(
                context,
                scan,
                cancelled -> {
                    throw new AssertionError("never run");
                },
                new FakeChangelogService(0),
                () -> 0);
    }
}
