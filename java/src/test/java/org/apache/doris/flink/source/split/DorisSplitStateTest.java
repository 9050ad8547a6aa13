package org.apache.doris.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;

/** What a checkpoint holds of a slice between any two records. */
class DorisSplitStateTest {

    private static final long FINGERPRINT = 77;
    private static final SliceScheme SCHEME = SliceScheme.hash(4);
    private static final ChangelogWindow WINDOW =
            new ChangelogWindow(
                    10_000,
                    20_000,
                    "1970-01-01 00:00:10",
                    "1970-01-01 00:00:20",
                    IncrementType.DETAIL);

    @Test
    void followsWindowsAndRows() {
        DorisSplitState state = state(ChangelogProgress.starting(SCHEME, 3, 10_000), FINGERPRINT);
        assertThat(state.toSplit()).isEqualTo(split(10_000, null, null, 0));
        assertThat(state.coveredMillis()).isEqualTo(10_000);
        assertThat(state.emittedMillis()).isEqualTo(10_000);
        assertThat(state.openEndMillis()).isEmpty();

        state.open(WINDOW);
        assertThat(state.toSplit()).isEqualTo(split(10_000, WINDOW, null, FINGERPRINT));
        assertThat(state.openEndMillis()).isEqualTo(OptionalLong.of(20_000));

        long tso = 12_345L << 18 | 7;
        state.advance(tso, 5, 2, 11);
        state.advance(tso, 5, 3, 12);
        assertThat(state.toSplit())
                .isEqualTo(
                        split(
                                10_000,
                                WINDOW,
                                new ChangelogPosition(tso, 5, 3, 1, 2, 23),
                                FINGERPRINT));
        assertThat(state.coveredMillis()).as("start of the open window").isEqualTo(10_000);
        assertThat(state.emittedMillis()).isEqualTo(12_345);

        state.close();
        assertThat(state.toSplit()).isEqualTo(split(20_000, null, null, 0));
        assertThat(state.coveredMillis()).isEqualTo(20_000);
        assertThat(state.emittedMillis()).isEqualTo(20_000);
    }

    @Test
    void goesOnWhereItWasRestored() {
        long tso = 12_345L << 18;
        ChangelogPosition position = new ChangelogPosition(tso, 5, 0, 1, 4, 40);
        DorisSplitState state = state(progress(WINDOW, position, FINGERPRINT), FINGERPRINT);
        assertThat(state.toSplit()).isEqualTo(split(10_000, WINDOW, position, FINGERPRINT));
        assertThat(state.emittedMillis()).isEqualTo(12_345);
        state.advance(tso, 6, 0, 2);
        assertThat(state.toSplit())
                .isEqualTo(
                        split(
                                10_000,
                                WINDOW,
                                new ChangelogPosition(tso, 6, 0, 1, 5, 42),
                                FINGERPRINT));
    }

    @Test
    void sumsOfOtherColumnsStayWhatTheyAreUntilTheTsoIsReadAgain() {
        long tso = 12_345L << 18;
        ChangelogPosition position = new ChangelogPosition(tso, 5, 0, 1, 4, 40);
        DorisSplitState state = state(progress(WINDOW, position, 1), FINGERPRINT);
        assertThat(state.toSplit()).isEqualTo(split(10_000, WINDOW, position, 1));
        state.advance(tso, 5, 0, 2);
        assertThat(state.toSplit())
                .isEqualTo(
                        split(
                                10_000,
                                WINDOW,
                                new ChangelogPosition(tso, 5, 0, 1, 1, 2),
                                FINGERPRINT));
    }

    @Test
    void aSnapshotSplitStaysAsItIs() {
        DorisSplit split =
                DorisSplit.snapshot("s", new long[] {1}, List.of("b:1"), OptionalLong.of(3000));
        DorisSplitState state = new DorisSplitState(split, FINGERPRINT);
        assertThat(state.isSnapshot()).isTrue();
        assertThat(state.toSplit()).isSameAs(split);
    }

    @Test
    void idsOfSlicesAreStable() {
        assertThat(SliceScheme.hash(1).splitId(0)).isEqualTo("slice-hash-1-0");
        assertThat(SliceScheme.hash(16).splitId(15)).isEqualTo("slice-hash-16-15");
        assertThat(SliceScheme.PARTITIONS.splitId(10045)).isEqualTo("slice-partition-10045");
    }

    private static DorisSplitState state(ChangelogProgress progress, long fingerprint) {
        return new DorisSplitState(DorisSplit.slice("slice-hash-4-3", progress), fingerprint);
    }

    private static DorisSplit split(
            long next, ChangelogWindow window, ChangelogPosition position, long fingerprint) {
        return DorisSplit.slice(
                "slice-hash-4-3",
                new ChangelogProgress(SCHEME, 3, next, window, position, fingerprint));
    }

    private static ChangelogProgress progress(
            ChangelogWindow window, ChangelogPosition position, long fingerprint) {
        return new ChangelogProgress(SCHEME, 3, 10_000, window, position, fingerprint);
    }
}
