package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.event.SlicesGoneEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The whole reader among its neighbours: enumerator, fetchers, watermarks, metrics, its end. */
@Timeout(120)
class ChangelogReaderLifeTest {

    private static final SliceScheme ONE = SliceScheme.hash(1);
    private static final SliceScheme TWO = SliceScheme.hash(2);

    private final FakeScan scan = new FakeScan();

    @Test
    void aStartTellsWhatIsHeld() throws Exception {
        DorisSplit open =
                DorisSplit.slice(
                        TWO.splitId(1),
                        new ChangelogProgress(
                                TWO,
                                1,
                                2_000,
                                new ChangelogWindow(
                                        2_000,
                                        8_000,
                                        "1970-01-01 00:00:02",
                                        "1970-01-01 00:00:08",
                                        IncrementType.DETAIL),
                                null,
                                0));
        try (ReaderHarness harness =
                harness(TestScans.changes()).start(List.of(slice(TWO, 0), open))) {
            assertThat(harness.events(HeldSlicesEvent.class).get(0).slices())
                    .containsExactlyInAnyOrder(
                            new HeldSlicesEvent.HeldSlice(
                                    "slice-hash-2-0", TWO, 0, 0, OptionalLong.empty()),
                            new HeldSlicesEvent.HeldSlice(
                                    "slice-hash-2-1", TWO, 1, 2_000, OptionalLong.of(8_000)));
            assertThat(harness.context.requests).as("the snapshot is over").isZero();
        }
        try (ReaderHarness fresh = harness(TestScans.changes()).start(List.of())) {
            assertThat(fresh.events(HeldSlicesEvent.class).get(0).slices()).isEmpty();
            assertThat(fresh.context.requests).isEqualTo(1);
        }
        try (ReaderHarness snapshot = harness(TestScans.snapshot()).start(List.of())) {
            assertThat(snapshot.events).isEmpty();
            assertThat(snapshot.context.requests).isEqualTo(1);
        }
    }

    /** Rule 10: what is told on completion is what was so when the checkpoint was taken. */
    @Test
    void aCompletedCheckpointTellsWhatItCovers() throws Exception {
        scan.tablet(7, new int[] {1, 2}).changes.insert(ms(100), 1, 1).insert(ms(200), 1, 2);
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of())) {
            harness.reader.addSplits(List.of(DorisSplit.snapshot("7", new long[] {7}, List.of())));
            harness.runUntil(() -> harness.rows.size() == 1);
            harness.reader.snapshotState(1);
            harness.runUntil(() -> harness.context.requests == 2);
            harness.reader.snapshotState(2);
            harness.reader.addSplits(List.of(slice(ONE, 0)));
            harness.reader.snapshotState(3);
            bound(harness, 1_000, ONE);
            harness.runUntil(() -> harness.rows.size() == 3);
            harness.reader.snapshotState(4);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 1_000);
            harness.reader.snapshotState(5);
            harness.reader.snapshotState(6);
            harness.reader.notifyCheckpointAborted(3);
            for (long id : new long[] {1, 2, 3, 4, 6, 5}) {
                harness.reader.notifyCheckpointComplete(id);
            }
            assertThat(
                            harness.events(CoveredEvent.class).stream()
                                    .map(
                                            event ->
                                                    event.checkpointId()
                                                            + " "
                                                            + event.openSnapshotSplits()
                                                            + " "
                                                            + event.coveredMillis()))
                    .containsExactly(
                            "1 1 {}",
                            "2 0 {}",
                            "4 0 {slice-hash-1-0=0}",
                            "6 0 {slice-hash-1-0=1000}");
        }
    }

    /** Rule 13, first as Flink's parts understand it: all outputs are idle, then the reader's. */
    @Test
    void aReaderWithoutSplitsIsIdleUntilItGetsOne() throws Exception {
        scan.tablet(7, new int[] {1});
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of())) {
            harness.step();
            harness.step();
            List<String> marked = List.of("create no-split", "idle", "idle", "release no-split");
            assertThat(harness.outputs).isEqualTo(marked);
            harness.outputs.clear();
            harness.reader.addSplits(List.of(DorisSplit.snapshot("7", new long[] {7}, List.of())));
            assertThat(harness.outputs).as("at once").containsExactly("active");
            harness.runUntil(() -> harness.context.requests == 2);
            harness.runUntil(() -> harness.outputs.containsAll(marked));
            assertThat(harness.outputs)
                    .containsExactly(
                            "active",
                            "create 7",
                            "release 7",
                            "create no-split",
                            "idle",
                            "idle",
                            "release no-split");
        }
        try (ReaderHarness snapshot = harness(TestScans.snapshot()).start(List.of())) {
            snapshot.step();
            assertThat(snapshot.outputs).as("a snapshot ends by itself").isEmpty();
        }
    }

    @Test
    void goneSlicesLeaveOnce() throws Exception {
        scan.changes.change(ms(100), 1, 0, 1, 5).change(ms(100), 2, 0, 2, 5);
        scan.changes.batchSize = 1;
        List<DorisSplit> both =
                List.of(slice(SliceScheme.PARTITIONS, 5), slice(SliceScheme.PARTITIONS, 6));
        try (ReaderHarness harness = harness(TestScans.changes()).start(both)) {
            scan.stallAfter(1);
            bound(harness, 1_000, SliceScheme.PARTITIONS);
            harness.runUntil(() -> harness.rows.size() == 1);
            SlicesGoneEvent gone =
                    new SlicesGoneEvent(List.of("slice-partition-5", "slice-partition-99"));
            harness.reader.handleSourceEvents(gone);
            harness.reader.handleSourceEvents(gone);
            scan.goOn();
            harness.runUntil(() -> harness.reader.getNumberOfCurrentlyAssignedSplits() == 1);
            harness.reader.handleSourceEvents(gone);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 1_000);
            assertThat(harness.reader.snapshotState(1))
                    .extracting(DorisSplit::splitId)
                    .containsExactly("slice-partition-6");
            assertThat(harness.metrics.count("snapshotSplitsDone")).isZero();
            assertThat(harness.context.requests).as("no snapshot split ended").isZero();
        }
        assertThat(scan.live()).isZero();
    }

    /** A pause that comes right behind its split, before the fetcher knows of the split. */
    @Test
    void aPauseIsNeverLost() throws Exception {
        scan.changes.insert(ms(100), 1, 1).insert(ms(100), 2, 2);
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(TWO, 1)))) {
            bound(harness, 1_000, TWO);
            harness.reader.addSplits(List.of(slice(TWO, 0)));
            harness.reader.pauseOrResumeSplits(List.of("slice-hash-2-0"), List.of());
            harness.runUntil(() -> harness.rows.size() == 1);
            harness.runUntil(() -> scan.windows.size() == 1);
            assertThat(harness.rows).containsExactly("+I1");
            harness.reader.pauseOrResumeSplits(List.of(), List.of("slice-hash-2-0"));
            harness.runUntil(() -> harness.rows.size() == 2);
        }
    }

    /** Flink ends a fetcher without splits; another one goes on with the scan. */
    @Test
    void slicesAfterAnIdleTimeGetANewFetcher() throws Exception {
        scan.tablet(7, new int[] {1}).changes.insert(ms(100), 1, 2);
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of())) {
            harness.reader.addSplits(List.of(DorisSplit.snapshot("7", new long[] {7}, List.of())));
            harness.runUntil(() -> harness.context.requests == 2);
            harness.runUntil(() -> Fetchers.alive() == 0);
            bound(harness, 1_000, ONE);
            harness.reader.addSplits(List.of(slice(ONE, 0)));
            harness.runUntil(() -> harness.rows.size() == 2);
            assertThat(scan.opened).isEqualTo(1);
        }
        assertThat(scan.closed).isEqualTo(1);
    }

    @Test
    void closingInsideAWindowEndsAtOnce() throws Exception {
        scan.changes.insert(ms(100), 1, 1).insert(ms(200), 1, 2).insert(ms(300), 1, 3);
        ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)));
        scan.stallAfter(1);
        bound(harness, 1_000, ONE);
        harness.runUntil(() -> harness.rows.size() == 1);
        long start = System.nanoTime();
        harness.close();
        assertThat(System.nanoTime() - start).isLessThan(1_000_000_000L);
        assertThat(scan.live()).isZero();
        assertThat(scan.closed).isEqualTo(1);
    }

    @Test
    void closingWhileWaitingForABoundEndsAtOnce() throws Exception {
        ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)));
        harness.step();
        long start = System.nanoTime();
        harness.close();
        assertThat(System.nanoTime() - start).isLessThan(1_000_000_000L);
    }

    @Test
    void metricsSayHowFarItIs() throws Exception {
        scan.changes.insert(ms(61_000), 1, 1).insert(ms(62_500), 1, 2).insert(ms(63_000), 1, 3);
        scan.changes.batchSize = 1;
        scan.changes.waits = 2;
        scan.changes.waited = 3_000;
        DorisSplit later = DorisSplit.slice("a", ChangelogProgress.starting(ONE, 0, 60_000));
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of())) {
            assertThat(harness.metrics.names())
                    .contains(
                            "changelogPositionTimestamp",
                            "changelogLagMs",
                            "changelogRetentionHeadroomMs",
                            "changelogExpiredWindows",
                            "changelogVisibleWaitRetries",
                            "changelogVisibleWaitMs",
                            "changelogWindowRows",
                            "changelogReplayedRowsDropped",
                            "changelogPositionMismatches",
                            "currentFetchEventTimeLag");
            assertThat(harness.metrics.value("changelogPositionTimestamp")).isEqualTo(-1);
            assertThat(harness.metrics.value("changelogLagMs")).isEqualTo(-1);
            assertThat(harness.metrics.value("currentFetchEventTimeLag")).isEqualTo(-1);
            assertThat(harness.metrics.value("changelogRetentionHeadroomMs"))
                    .isEqualTo(Long.MAX_VALUE);
            harness.reader.addSplits(List.of(later));
            harness.reader.handleSourceEvents(
                    new BoundEvent(
                            64_000, OptionalLong.empty(), ONE, 64_700, 0, Long.MIN_VALUE, true));
            assertThat(harness.metrics.value("changelogLagMs")).isEqualTo(4_700);
            assertThat(harness.metrics.value("changelogRetentionHeadroomMs"))
                    .as("nothing is known to expire")
                    .isEqualTo(Long.MAX_VALUE);
            harness.runUntil(() -> harness.rows.size() == 2);
            assertThat(harness.metrics.value("changelogPositionTimestamp")).isEqualTo(62_500);
            assertThat(harness.metrics.value("changelogLagMs")).isEqualTo(2_200);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 64_000);
            assertThat(harness.metrics.value("changelogLagMs")).isEqualTo(700);
            assertThat(harness.metrics.value("changelogWindowRows")).isEqualTo(3);
            assertThat(harness.metrics.value("changelogVisibleWaitRetries")).isEqualTo(2);
            assertThat(harness.metrics.value("changelogVisibleWaitMs")).isEqualTo(3_000);
            assertThat(harness.metrics.count("numRecordsIn")).as("rows alone").isEqualTo(3);
            long age = System.currentTimeMillis() - 63_000;
            assertThat(harness.metrics.value("currentFetchEventTimeLag"))
                    .isBetween(age - 60_000, age);
            harness.reader.handleSourceEvents(
                    new BoundEvent(
                            64_000, OptionalLong.empty(), ONE, 64_700, 10, Long.MIN_VALUE, true));
            assertThat(harness.metrics.value("changelogRetentionHeadroomMs"))
                    .as("64.000 against 64.700 - 10 s and what has passed since")
                    .isBetween(-50_700L, 9_300L);
        }
    }

    @Test
    void changesThatHaveExpiredAreCountedOrFail() throws Exception {
        scan.changes.insert(ms(95_000), 1, 1);
        BoundEvent bound =
                new BoundEvent(
                        100_000, OptionalLong.empty(), ONE, 100_000, 60, Long.MIN_VALUE, true);
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            harness.reader.handleSourceEvents(bound);
            harness.runUntil(() -> harness.rows.size() == 1);
            assertThat(harness.metrics.count("changelogExpiredWindows")).isEqualTo(1);
        }
        ScanConfig config = TestScans.changes("source.changelog.on-expired", "fail");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            harness.reader.handleSourceEvents(bound);
            assertThatThrownBy(() -> harness.runUntil(() -> false))
                    .rootCause()
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(
                            "1970-01-01 00:00:00.000Z until before 1970-01-01 00:00:4")
                    .hasMessageContaining("'source.scan.mode' = 'initial'");
        }
    }

    /** A day of polls with nothing new: no window, and nothing that grows. */
    @Test
    void aDayWithNothingNewLeavesNothingBehind() throws Exception {
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            bound(harness, 10_000, ONE);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 10_000);
            int windows = scan.windows.size();
            List<DorisSplit> before = harness.reader.snapshotState(1);
            harness.reader.notifyCheckpointComplete(1);
            for (int poll = 2; poll <= 8640; poll++) {
                bound(harness, 10_000, ONE);
                assertThat(harness.reader.snapshotState(poll)).isEqualTo(before);
                harness.reader.notifyCheckpointComplete(poll);
            }
            assertThat(scan.windows).hasSize(windows);
            assertThat(scan.live()).isZero();
            assertThat(harness.events(CoveredEvent.class))
                    .hasSize(8640)
                    .allSatisfy(
                            event ->
                                    assertThat(event.coveredMillis())
                                            .containsExactly(Map.entry("slice-hash-1-0", 10_000L)));
        }
    }

    private ReaderHarness harness(ScanConfig config) {
        return new ReaderHarness(scan, config);
    }

    private static void bound(ReaderHarness harness, long millis, SliceScheme scheme) {
        harness.reader.handleSourceEvents(
                new BoundEvent(
                        millis, OptionalLong.empty(), scheme, millis + 5, 0, Long.MIN_VALUE, true));
    }

    private static DorisSplit slice(SliceScheme scheme, long slice) {
        return DorisSplit.slice(
                scheme.splitId(slice), ChangelogProgress.starting(scheme, slice, 0));
    }

    private static long ms(long millis) {
        return FakeChanges.tso(millis, 0);
    }

    /** Threads of Flink's fetchers. */
    private static final class Fetchers {

        static long alive() {
            return Thread.getAllStackTraces().entrySet().stream()
                    .filter(thread -> thread.getKey().getName().startsWith("Source Data Fetcher"))
                    .filter(
                            thread ->
                                    Arrays.stream(thread.getValue())
                                            .anyMatch(
                                                    frame ->
                                                            frame.getClassName()
                                                                    .endsWith("SplitFetcher")))
                    .count();
        }
    }
}
