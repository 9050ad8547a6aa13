package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The fetcher's side of slices: which window is read when, and what is handed out of it. */
@Timeout(60)
class SlicesFetchTest {

    private static final SliceScheme TWO = SliceScheme.hash(2);
    private static final SliceScheme ONE = SliceScheme.hash(1);

    private final FakeScan scan = new FakeScan();
    private ReaderParts parts = parts();
    private DorisSplitReader reader = parts.splitReader();

    @Test
    void aSliceReadsWindowAfterWindow() throws IOException {
        scan.changes.insert(ms(1_500), 1, 10).insert(ms(2_000), 1, 12).insert(ms(9_999), 1, 14);
        add(slice(ONE, 0, 1_000));
        bound(3_000, ONE);
        assertThat(fetch()).containsExactly("slice-hash-1-0 opened 1-3", "10", "12");
        assertThat(fetch()).containsExactly("slice-hash-1-0 closed");
        bound(10_000, ONE);
        assertThat(fetch()).containsExactly("slice-hash-1-0 opened 3-10", "14");
        assertThat(fetch()).containsExactly("slice-hash-1-0 closed");
        assertThat(windows()).containsExactly("0 1-3", "0 3-10");
        ChangelogWindow sent = scan.windows.get(0).window();
        assertThat(sent.startText()).isEqualTo("1970-01-01 00:00:01");
        assertThat(sent.endText()).isEqualTo("1970-01-01 00:00:03");
        assertThat(sent.incrementType()).contains(IncrementType.DETAIL);
    }

    @Test
    void anEmptyWindowIsOneFetch() throws IOException {
        add(slice(ONE, 0, 1_000));
        bound(3_000, ONE);
        assertThat(fetch()).containsExactly("slice-hash-1-0 opened 1-3", "slice-hash-1-0 closed");
        assertThat(scan.live()).isZero();
    }

    @Test
    void nothingIsReadBeforeTheFirstBoundNorWithoutANewOne() throws Exception {
        add(slice(ONE, 0, 1_000), opened(ONE, 0, "restored", null));
        CompletableFuture<List<String>> fetch = fetching();
        assertThat(scan.windows).isEmpty();
        bound(1_000, ONE);
        assertThat(fetch.get()).as("only the open one").contains("restored closed");
        CompletableFuture<List<String>> next = fetching();
        bound(1_000, ONE);
        reader.wakeUp();
        assertThat(next.get()).isEmpty();
        assertThat(scan.windows).hasSize(1);
    }

    @Test
    void aNewBoundEndsTheWaitAtOnce() throws Exception {
        add(slice(ONE, 0, 1_000));
        CompletableFuture<List<String>> fetch = fetching();
        bound(2_000, ONE);
        assertThat(fetch.get()).hasSize(2);
    }

    @Test
    void aWindowIsNoLongerThanAllowed() throws IOException {
        parts = parts("source.changelog.max-window", "2500ms");
        reader = parts.splitReader();
        add(slice(ONE, 0, 0));
        bound(5_000, ONE);
        fetch();
        fetch();
        fetch();
        assertThat(windows()).containsExactly("0 0-2", "0 2-4", "0 4-5");
    }

    /** Behind the content: what comes and goes before its end would net to nothing and stay. */
    @Test
    void netChangesAreReadFromWhereTheyMayBeAndEveryChangeBefore() throws IOException {
        beginBehindContentUntil4("min_delta");
        fetch();
        fetch();
        assertThat(windows()).containsExactly("0 1-4", "0 4-10");
        assertThat(types()).containsExactly(IncrementType.DETAIL, IncrementType.MIN_DELTA);
    }

    @Test
    void otherTypesAreReadAsTheyAreFromTheStart() throws IOException {
        beginBehindContentUntil4("append_only");
        fetch();
        assertThat(windows()).containsExactly("0 1-10");
        assertThat(types()).containsExactly(IncrementType.APPEND_ONLY);
    }

    /** Changes expire while a window waits for another slice, or for the server. */
    @Test
    void aWindowThatGaveWayIsJudgedAgain() throws Exception {
        parts = parts("source.changelog.on-expired", "fail");
        reader = parts.splitReader();
        scan.changes.batchSize = 1;
        scan.changes.insert(ms(500), 1, 10).insert(ms(700), 1, 12).insert(ms(500), 3, 11);
        add(slice(TWO, 0, 0), slice(TWO, 1, 0));
        bound(1_000, TWO);
        assertThat(fetch()).containsExactly("slice-hash-2-0 opened 0-1", "10");
        pause("slice-hash-2-0");
        assertThat(fetch()).containsExactly("slice-hash-2-1 opened 0-1", "11");
        assertThat(fetch()).containsExactly("slice-hash-2-1 closed");
        keeps(600);
        resume("slice-hash-2-0");
        assertThatThrownBy(this::fetch)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("slice-hash-2-0")
                .hasMessageContaining("have expired");
    }

    @Test
    void aWindowThatTheScanAskedForAgainIsJudgedBeforeItsRowsAreHandedOut() throws Exception {
        parts = parts("source.changelog.on-expired", "fail");
        reader = parts.splitReader();
        scan.changes.insert(ms(500), 1, 10);
        scan.stalled = true;
        add(slice(ONE, 0, 0));
        bound(1_000, ONE);
        CompletableFuture<List<String>> fetch = fetching();
        reader.wakeUp();
        assertThat(fetch.get()).isEmpty();
        keeps(600);
        scan.changes.waits++;
        scan.goOn();
        assertThatThrownBy(this::fetch)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("have expired");
        assertThat(scan.live()).isZero();
    }

    @Test
    void slicesTakeTurns() throws IOException {
        parts = parts("source.changelog.max-window", "1s");
        reader = parts.splitReader();
        add(slice(TWO, 0, 0), slice(TWO, 1, 0));
        bound(2_000, TWO);
        for (int i = 0; i < 4; i++) {
            fetch();
        }
        assertThat(windows()).containsExactly("0 0-1", "1 0-1", "0 1-2", "1 1-2");
    }

    @Test
    void snapshotSplitsComeFirst() throws IOException {
        scan.tablet(7, new int[] {1});
        bound(1_000, ONE);
        add(slice(ONE, 0, 0), snapshot(7, OptionalLong.of(5_000)));
        assertThat(fetch()).containsExactly("1");
        assertThat(fetch()).containsExactly("end of 7");
        assertThat(fetch()).containsExactly("slice-hash-1-0 opened 0-1", "slice-hash-1-0 closed");
        assertThat(scan.fences).containsExactly(OptionalLong.of(5_000));
        assertThat(scan.opened).isEqualTo(1);
    }

    @Test
    void aRestoredWindowIsReadOnBehindItsPositionWithItsOwnBorders() throws IOException {
        scan.changes.insert(ms(1_500), 1, 10).insert(ms(1_500), 2, 11).insert(ms(1_500), 3, 12);
        FakeChanges.Row first = new FakeChanges.Row(ms(1_500), 1, 0, 10, 1);
        add(opened(ONE, 0, "s", new ChangelogPosition(ms(1_500), 1, 0, 1, 1, first.hash())));
        bound(100_000, ONE);
        assertThat(fetch()).as("the state knows the window").containsExactly("11", "12");
        assertThat(fetch()).containsExactly("s closed");
        assertThat(scan.changes.replayed).isEqualTo(1);
        assertThat(windows()).containsExactly("0 1-3");
        assertThat(fetch()).containsExactly("s opened 3-63", "s closed");
    }

    @Test
    void aPositionOfOtherColumnsIsNotVerified() throws IOException {
        scan.changes.insert(ms(1_500), 1, 10).insert(ms(1_500), 2, 11);
        add(
                DorisSplit.slice(
                        "s",
                        new ChangelogProgress(
                                ONE,
                                0,
                                1_000,
                                window(),
                                new ChangelogPosition(ms(1_500), 1, 0, 1, 1, 5),
                                4711)));
        bound(3_000, ONE);
        assertThat(fetch()).containsExactly("10", "11");
        assertThat(scan.windows.get(0).verify()).isFalse();
        assertThat(scan.changes.mismatches).isEqualTo(1);
    }

    @Test
    void aWakeUpInMidWindowLosesNothing() throws Exception {
        scan.changes.insert(ms(500), 1, 10).insert(ms(600), 1, 12).insert(ms(700), 1, 14);
        add(slice(ONE, 0, 0));
        bound(1_000, ONE);
        assertThat(fetch()).containsExactly("slice-hash-1-0 opened 0-1", "10", "12");
        scan.stalled = true;
        CompletableFuture<List<String>> fetch = fetching();
        reader.wakeUp();
        assertThat(fetch.get()).isEmpty();
        scan.goOn();
        assertThat(fetch()).containsExactly("14");
        assertThat(fetch()).containsExactly("slice-hash-1-0 closed");
        assertThat(scan.windows).hasSize(1);
    }

    @Test
    void aPausedSliceOpensNoWindow() throws Exception {
        add(slice(TWO, 0, 0), slice(TWO, 1, 0));
        pause("slice-hash-2-0");
        bound(1_000, TWO);
        assertThat(fetch()).containsExactly("slice-hash-2-1 opened 0-1", "slice-hash-2-1 closed");
        CompletableFuture<List<String>> fetch = fetching();
        assertThat(windows()).containsExactly("1 0-1");
        resume("slice-hash-2-0");
        assertThat(fetch.get())
                .containsExactly("slice-hash-2-0 opened 0-1", "slice-hash-2-0 closed");
    }

    @Test
    void aSliceThatIsPausedInsideAWindowKeepsItsBatchesBack() throws Exception {
        scan.changes.insert(ms(500), 1, 10).insert(ms(600), 1, 12).insert(ms(700), 1, 14);
        add(slice(ONE, 0, 0));
        bound(1_000, ONE);
        assertThat(fetch()).hasSize(3);
        pause("slice-hash-1-0");
        CompletableFuture<List<String>> fetch = fetching();
        reader.wakeUp();
        assertThat(fetch.get()).isEmpty();
        resume("slice-hash-1-0");
        assertThat(fetch()).containsExactly("14");
        assertThat(scan.windows).as("the query goes on").hasSize(1);
    }

    /**
     * Slice 0 is ahead and paused inside a window; slice 1 holds the watermark back that slice 0
     * waits for. With the scan kept for slice 0, neither would ever go on.
     */
    @Test
    void aPausedWindowGivesWayToAnotherSliceAndGoesOnBehindItsRows() throws Exception {
        scan.changes.batchSize = 1;
        scan.changes.insert(ms(500), 1, 10).insert(ms(500), 2, 12).insert(ms(700), 1, 14);
        scan.changes.insert(ms(500), 3, 11);
        add(slice(TWO, 0, 0), slice(TWO, 1, 0));
        bound(1_000, TWO);
        assertThat(fetch()).containsExactly("slice-hash-2-0 opened 0-1", "10");
        pause("slice-hash-2-0");
        assertThat(fetch()).containsExactly("slice-hash-2-1 opened 0-1", "11");
        assertThat(fetch()).containsExactly("slice-hash-2-1 closed");
        resume("slice-hash-2-0");
        assertThat(fetch()).as("nothing twice, nothing lost").containsExactly("12");
        assertThat(fetch()).containsExactly("14");
        assertThat(fetch()).containsExactly("slice-hash-2-0 closed");
        assertThat(windows()).containsExactly("0 0-1", "1 0-1", "0 0-1");
        assertThat(scan.windows.get(2).verify()).isTrue();
        assertThat(scan.changes.mismatches).isZero();
        assertThat(parts.scan().metrics().replayedRows()).isEqualTo(1);
    }

    @Test
    void aSliceThatIsGoneIsDroppedWithItsWindowAndReportedOnce() throws Exception {
        scan.changes.change(ms(500), 1, 0, 10, 5).change(ms(600), 1, 0, 12, 5);
        scan.changes.batchSize = 1;
        add(slice(SliceScheme.PARTITIONS, 5, 0), slice(SliceScheme.PARTITIONS, 6, 0));
        bound(1_000, SliceScheme.PARTITIONS);
        assertThat(fetch()).containsExactly("slice-partition-5 opened 0-1", "10");
        parts.control().gone(List.of("slice-partition-5"));
        assertThat(fetch()).containsExactly("end of slice-partition-5");
        assertThat(fetch())
                .as("the scan is free")
                .containsExactly("slice-partition-6 opened 0-1", "slice-partition-6 closed");
        parts.control().gone(List.of("slice-partition-5"));
        CompletableFuture<List<String>> fetch = fetching();
        reader.wakeUp();
        assertThat(fetch.get()).isEmpty();
    }

    @Test
    void theLastSliceGoneLeavesAScanForTheNextFetcher() throws IOException {
        scan.changes.change(ms(500), 1, 0, 10, 5);
        add(slice(SliceScheme.PARTITIONS, 5, 0));
        bound(1_000, SliceScheme.PARTITIONS);
        assertThat(fetch()).hasSize(2);
        parts.control().gone(List.of("slice-partition-5"));
        assertThat(fetch()).containsExactly("end of slice-partition-5");
        assertThat(fetch()).isEmpty();
        reader.close();
        reader = parts.splitReader();
        add(slice(SliceScheme.PARTITIONS, 6, 0));
        assertThat(fetch())
                .containsExactly("slice-partition-6 opened 0-1", "slice-partition-6 closed");
    }

    /** Rule 9: slices of the former scheme read up to B and no further, then leave. */
    @Test
    void slicesOfAnotherSchemeLeaveWhereTheyAreTold() throws Exception {
        add(slice(ONE, 0, 1_000), opened(ONE, 0, "ahead", null), slice(TWO, 1, 3_000));
        parts.control()
                .bound(
                        new BoundEvent(
                                9_000,
                                OptionalLong.of(3_000),
                                TWO,
                                9_500,
                                0,
                                Long.MIN_VALUE,
                                true));
        List<String> all = new ArrayList<>();
        while (!all.contains("slice-hash-2-1 closed")) {
            all.addAll(fetch());
        }
        assertThat(windows()).contains("0 1-3", "1 3-9").doesNotContain("0 3-9");
        assertThat(all)
                .contains("end of slice-hash-1-0", "end of ahead")
                .doesNotContain("end of slice-hash-2-1");
    }

    @Test
    void aSliceOfAnotherSchemeWaitsUntilItIsKnownWhereItLeaves() throws Exception {
        add(slice(ONE, 0, 1_000));
        bound(9_000, TWO);
        CompletableFuture<List<String>> fetch = fetching();
        assertThat(scan.windows).isEmpty();
        parts.control()
                .bound(
                        new BoundEvent(
                                9_000,
                                OptionalLong.of(2_000),
                                TWO,
                                9_500,
                                0,
                                Long.MIN_VALUE,
                                true));
        assertThat(fetch.get())
                .containsExactly("slice-hash-1-0 opened 1-2", "slice-hash-1-0 closed");
        assertThat(fetch()).containsExactly("end of slice-hash-1-0");
    }

    @Test
    void aPartitionThatOneFrontEndDoesNotKnowIsTriedAgainWhileOthersAreRead() throws Exception {
        scan.changes.change(ms(500), 1, 0, 10, 5);
        scan.changes.fail(gone());
        add(slice(SliceScheme.PARTITIONS, 5, 0), slice(SliceScheme.PARTITIONS, 6, 0));
        bound(1_000, SliceScheme.PARTITIONS);
        assertThat(fetch()).as("the other one, meanwhile").contains("slice-partition-6 closed");
        assertThat(fetch()).containsExactly("slice-partition-5 opened 0-1", "10");
        assertThat(fetch()).containsExactly("slice-partition-5 closed");
        assertThat(windows()).containsExactly("5 0-1", "6 0-1", "5 0-1");
    }

    @Test
    void aPartitionThatStaysUnknownFailsWhenTheTimeIsOver() {
        parts = parts("source.changelog.visible-wait-timeout", "0s");
        reader = parts.splitReader();
        scan.changes.fail(gone());
        add(slice(SliceScheme.PARTITIONS, 5, 0));
        bound(1_000, SliceScheme.PARTITIONS);
        assertThatThrownBy(this::fetch)
                .isInstanceOf(NativeException.class)
                .hasMessage("partition 5 is not there");
    }

    @Test
    void anyOtherFailureIsThrown() {
        NativeException failure = new NativeException(ErrorCode.VISIBLE_WAIT, "waited too long");
        scan.changes.fail(failure);
        add(slice(ONE, 0, 0));
        bound(1_000, ONE);
        assertThatThrownBy(this::fetch).isSameAs(failure);
    }

    private static NativeException gone() {
        return new NativeException(ErrorCode.PARTITION_GONE, "partition 5 is not there");
    }

    private ReaderParts parts(String... options) {
        return new ReaderParts(
                UnregisteredMetricsGroup.createSourceReaderMetricGroup(),
                TestScans.changes(options),
                scan.factory(),
                () -> {});
    }

    private void add(DorisSplit... splits) {
        reader.handleSplitsChanges(new SplitsAddition<>(List.of(splits)));
    }

    private void bound(long millis, SliceScheme scheme) {
        parts.control()
                .bound(
                        new BoundEvent(
                                millis,
                                OptionalLong.empty(),
                                scheme,
                                millis,
                                0,
                                Long.MIN_VALUE,
                                true));
    }

    /** One slice from second 1 on, bound 10, of a job whose content ended before second 4. */
    private void beginBehindContentUntil4(String incrementType) {
        parts = parts("source.changelog.increment-type", incrementType);
        reader = parts.splitReader();
        add(slice(ONE, 0, 1_000));
        parts.control()
                .bound(new BoundEvent(10_000, OptionalLong.empty(), ONE, 10_000, 0, 4_000, true));
    }

    /** The server keeps changes from here on. */
    private void keeps(long millis) {
        long position = millis + 100_000;
        parts.retention()
                .learn(
                        new BoundEvent(
                                position, OptionalLong.empty(), ONE, position, 100, millis, true));
    }

    private List<IncrementType> types() {
        return scan.windows.stream()
                .map(request -> request.window().incrementType().orElseThrow())
                .collect(Collectors.toList());
    }

    private void pause(String split) {
        parts.control().pauseOrResume(List.of(split), List.of());
        parts.scan().wake();
    }

    private void resume(String split) {
        parts.control().pauseOrResume(List.of(), List.of(split));
        parts.scan().wake();
    }

    private static DorisSplit slice(SliceScheme scheme, long slice, long next) {
        return DorisSplit.slice(
                scheme.splitId(slice), ChangelogProgress.starting(scheme, slice, next));
    }

    private static DorisSplit opened(
            SliceScheme scheme, long slice, String id, ChangelogPosition position) {
        long fingerprint = ColumnFingerprint.of(TestScans.changes().columns());
        return DorisSplit.slice(
                id, new ChangelogProgress(scheme, slice, 1_000, window(), position, fingerprint));
    }

    private static ChangelogWindow window() {
        return new ChangelogWindow(
                1_000, 3_000, "1970-01-01 00:00:01", "1970-01-01 00:00:03", IncrementType.DETAIL);
    }

    private static DorisSplit snapshot(long tablet, OptionalLong fence) {
        return DorisSplit.snapshot(String.valueOf(tablet), new long[] {tablet}, List.of(), fence);
    }

    private static long ms(long millis) {
        return FakeChanges.tso(millis, 0);
    }

    /** Slice and borders in seconds of each window that was asked for. */
    private List<String> windows() {
        return scan.windows.stream()
                .map(request -> request.slice() + " " + borders(request.window()))
                .collect(Collectors.toList());
    }

    private static String borders(ChangelogWindow window) {
        return window.startMillis() / 1000 + "-" + window.endMillis() / 1000;
    }

    private CompletableFuture<List<String>> fetching() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return fetch();
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    /** What one fetch hands out. */
    private List<String> fetch() throws IOException {
        RecordsWithSplitIds<ReadRecord> records = reader.fetch();
        List<String> lines = new ArrayList<>();
        for (String split = records.nextSplit(); split != null; split = records.nextSplit()) {
            ReadRecord record = records.nextRecordFromSplit();
            while (record != null) {
                lines.add(line(split, record));
                record = records.nextRecordFromSplit();
            }
        }
        records.finishedSplits().forEach(split -> lines.add("end of " + split));
        records.recycle();
        return lines;
    }

    private static String line(String split, ReadRecord record) {
        switch (record.kind()) {
            case OPENED:
                return split + " opened " + borders(record.window());
            case CLOSED:
                return split + " closed";
            default:
                return String.valueOf(record.row().getInt(0));
        }
    }
}
