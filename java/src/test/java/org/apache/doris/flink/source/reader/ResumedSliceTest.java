package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.sink.writer.CapturedLogs;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What a changed configuration makes of a slice that was left inside a window. */
class ResumedSliceTest {

    private static final IncrementType DETAIL = IncrementType.DETAIL;
    private static final ChangelogPosition POSITION = new ChangelogPosition(9, 8, 0, 1, 2, 3);

    private final CapturedLogs logs = CapturedLogs.of(ResumedSlice.class);

    @AfterEach
    void releaseLogs() {
        logs.close();
    }

    @Test
    void withTheSameConfigurationItIsWhatItWas() {
        DorisSplit split = slice(DETAIL, POSITION);
        assertThat(ResumedSlice.adapt(split, DETAIL, 1)).isEqualTo(split);
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void betweenWindowsAnythingMayChange() {
        DorisSplit split =
                DorisSplit.slice("s", ChangelogProgress.starting(SliceScheme.hash(1), 0, 7_000));
        assertThat(ResumedSlice.adapt(split, IncrementType.MIN_DELTA, 2)).isSameAs(split);
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void anotherTypeKeepsTheBordersAndLosesThePosition() {
        DorisSplit resumed =
                ResumedSlice.adapt(slice(DETAIL, POSITION), IncrementType.APPEND_ONLY, 1);
        assertThat(resumed).isEqualTo(slice(IncrementType.APPEND_ONLY, null));
        assertThat(logs.lines()).hasSize(1);
        assertThat(logs.lines().get(0))
                .startsWith("WARN")
                .contains("'detail'")
                .contains("'append_only'")
                .contains("from its start");
    }

    /** As behind the content, where net changes would not be enough. */
    @Test
    void aWindowOfEveryChangeIsReadOnAsThatWhereNetChangesAreWanted() {
        DorisSplit split = slice(DETAIL, POSITION);
        assertThat(ResumedSlice.adapt(split, IncrementType.MIN_DELTA, 1)).isEqualTo(split);
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void aTypeThatFormat1DidNotKeepIsTheConfiguredOne() {
        assertThat(ResumedSlice.adapt(slice(null, POSITION), DETAIL, 1))
                .isEqualTo(slice(DETAIL, POSITION));
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void otherColumnsKeepThePositionAndSayWhatComesAgain() {
        DorisSplit split = slice(DETAIL, POSITION);
        assertThat(ResumedSlice.adapt(split, DETAIL, 2)).isEqualTo(split);
        assertThat(logs.lines()).hasSize(1);
        assertThat(logs.lines().get(0)).startsWith("WARN").contains("TSO 9");
    }

    @Test
    void aSnapshotSplitIsNotTouched() {
        DorisSplit split = DorisSplit.snapshot("s", new long[] {1}, List.of());
        assertThat(ResumedSlice.adapt(split, DETAIL, 1)).isSameAs(split);
    }

    private static DorisSplit slice(IncrementType type, ChangelogPosition position) {
        return DorisSplit.slice(
                "s",
                new ChangelogProgress(
                        SliceScheme.hash(1),
                        0,
                        7_000,
                        new ChangelogWindow(
                                7_000, 9_000, "1970-01-01 00:00:07", "1970-01-01 00:00:09", type),
                        position,
                        1));
    }
}
