package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Pauses of a slice whose partition one front end does not know. */
class PartitionRetriesTest {

    private final NativeException gone = new NativeException(ErrorCode.PARTITION_GONE, "gone");
    private final SliceRead slice =
            new SliceRead(
                    DorisSplit.slice("s", ChangelogProgress.starting(SliceScheme.PARTITIONS, 5, 0)),
                    1);

    // Close to where the clock overflows.
    private long now = Long.MAX_VALUE - 5;
    private final PartitionRetries retries =
            new PartitionRetries(Duration.ofSeconds(20), () -> now);

    @Test
    void pausesGrowFromOneToFiveSecondsUntilTheTimeIsOver() throws Exception {
        assertThat(retries.isWaiting("s")).isFalse();
        for (int seconds : new int[] {1, 2, 4, 5, 5}) {
            retries.failed(slice, gone);
            pass(seconds * 1000 - 1);
            assertThat(retries.isWaiting("s")).isTrue();
            pass(1);
            assertThat(retries.isWaiting("s")).isFalse();
        }
        retries.failed(slice, gone);
        pass(2_999);
        assertThat(retries.isWaiting("s")).as("no longer than the time that is left").isTrue();
        pass(1);
        assertThat(retries.isWaiting("s")).isFalse();
        assertThatThrownBy(() -> retries.failed(slice, gone)).isSameAs(gone);
    }

    @Test
    void aWindowThatGoesWellBeginsAnew() throws Exception {
        retries.failed(slice, gone);
        pass(19_000);
        retries.forget("s");
        assertThat(retries.isWaiting("s")).isFalse();
        retries.failed(slice, gone);
        pass(1_000);
        assertThat(retries.isWaiting("s")).isFalse();
        retries.failed(slice, gone);
    }

    @Test
    void onlyThisFailureIsOfThisKind() {
        assertThat(PartitionRetries.isPartitionGone(gone)).isTrue();
        assertThat(
                        PartitionRetries.isPartitionGone(
                                new NativeException(ErrorCode.NOT_FOUND, "table")))
                .isFalse();
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
