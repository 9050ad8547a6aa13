package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The fetcher's side: one scan for all splits, short waits, nothing lost on the way. */
@Timeout(60)
class DorisSplitReaderTest {

    private final FakeScan scan = new FakeScan();
    private int drains;
    private final ReaderParts parts = parts(TestScans.snapshot(), scan.factory());
    private final ReaderScan readerScan = parts.scan();
    private final OutstandingBatches outstanding = parts.outstanding();
    private final DorisSplitReader reader = parts.splitReader();

    @Test
    void splitsFollowEachOtherOnOneScan() throws IOException {
        scan.tablet(1, new int[] {1, 2}, new int[] {3}).tablet(2).tablet(3, new int[] {4});
        assign(1, 2, 3);
        assertThat(fetch()).containsExactly("1:1", "1:2");
        assertThat(fetch()).containsExactly("1:3");
        assertThat(fetch()).containsExactly("end of 1");
        assertThat(fetch()).containsExactly("end of 2");
        assertThat(fetch()).containsExactly("3:4");
        assertThat(fetch()).containsExactly("end of 3");
        assertThat(fetch()).isEmpty();
        assertThat(scan.opened).isEqualTo(1);
        assertThat(scan.started).containsExactly(1L, 2L, 3L);
        assertThat(scan.live()).isZero();
        assertThat(outstanding.size()).isZero();
        assertThat(drains).isPositive();
    }

    @Test
    void anotherSplitReaderGoesOnWithTheScan() throws IOException {
        scan.tablet(1, new int[] {1}).tablet(2, new int[] {2});
        assign(1);
        assertThat(fetch()).containsExactly("1:1");
        assertThat(fetch()).containsExactly("end of 1");
        reader.close();
        assertThat(scan.closed).isZero();
        DorisSplitReader next = parts.splitReader();
        next.handleSplitsChanges(new SplitsAddition<>(List.of(split(2))));
        assertThat(rows(next.fetch())).containsExactly("2:2");
        assertThat(scan.opened).isEqualTo(1);
    }

    @Test
    void aWokenFetchReturnsNothingAndCanBeRepeated() throws Exception {
        scan.tablet(1, new int[] {1});
        scan.stalled = true;
        assign(1);
        CompletableFuture<List<String>> fetch = CompletableFuture.supplyAsync(this::fetchUnchecked);
        reader.wakeUp();
        assertThat(fetch.get()).isEmpty();
        scan.stalled = false;
        assertThat(fetch()).containsExactly("1:1");
        assertThat(scan.started).containsExactly(1L);
    }

    @Test
    void aWakeUpBeforeTheScanIsOpenIsNotLost() throws IOException {
        scan.tablet(1, new int[] {1});
        assign(1);
        reader.wakeUp();
        assertThat(fetch()).isEmpty();
        assertThat(fetch()).containsExactly("1:1");
    }

    @Test
    void anInterruptEndsTheFetch() throws IOException {
        scan.tablet(1, new int[] {1});
        scan.stalled = true;
        assign(1);
        Thread.currentThread().interrupt();
        assertThat(fetch()).isEmpty();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aFailureIsThrownAndASplitThatDidNotStartStaysFirst() throws IOException {
        scan.tablet(1, new int[] {1});
        assign(1);
        scan.failure = new NativeException(ErrorCode.DATA, "NULL in column `id`");
        assertThatThrownBy(reader::fetch).isSameAs(scan.failure);
        scan.failure = null;
        assertThat(fetch()).containsExactly("1:1");
    }

    @Test
    void rowsWithoutColumnsAreCounted() throws IOException {
        scan.columns = 0;
        scan.tablet(1, new int[3]);
        DorisSplitReader counting = parts(TestScans.withoutColumns(), scan.factory()).splitReader();
        counting.handleSplitsChanges(new SplitsAddition<>(List.of(split(1))));
        RecordsWithSplitIds<ReadRecord> records = counting.fetch();
        assertThat(records.nextSplit()).isEqualTo("1");
        for (int i = 0; i < 3; i++) {
            assertThat(records.nextRecordFromSplit()).isNotNull();
        }
        assertThat(records.nextRecordFromSplit()).isNull();
        assertThat(records.nextSplit()).isNull();
    }

    @Test
    void whatIsOutWhenTheReaderClosesIsFreed() throws IOException {
        scan.tablet(1, new int[] {1}, new int[] {2});
        assign(1);
        RecordsWithSplitIds<ReadRecord> queued = reader.fetch();
        assertThat(scan.live()).isEqualTo(1);
        outstanding.close();
        assertThat(scan.live()).isZero();
        reader.fetch();
        assertThat(scan.live()).as("a batch fetched after the close").isZero();
        queued.recycle();
        assertThat(scan.live()).isZero();
    }

    @Test
    void aClosedReaderOpensNoScan() {
        readerScan.close();
        assign(1);
        assertThatThrownBy(reader::fetch)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        assertThat(scan.opened).isZero();
    }

    @Test
    void aScanThatOpensWhileTheReaderClosesIsClosed() {
        ReaderScan[] closing = new ReaderScan[1];
        closing[0] =
                new ReaderScan(
                        () -> {
                            closing[0].close();
                            return scan;
                        });
        assertThatThrownBy(closing[0]::open).isInstanceOf(IOException.class);
        assertThat(scan.closed).isEqualTo(1);
    }

    private ReaderParts parts(ScanConfig config, ReaderScan.Factory scans) {
        return new ReaderParts(
                UnregisteredMetricsGroup.createSourceReaderMetricGroup(),
                config,
                scans,
                () -> drains++);
    }

    private void assign(long... tablets) {
        List<DorisSplit> splits = new ArrayList<>();
        for (long tablet : tablets) {
            splits.add(split(tablet));
        }
        reader.handleSplitsChanges(new SplitsAddition<>(splits));
    }

    private static DorisSplit split(long tablet) {
        return DorisSplit.snapshot(String.valueOf(tablet), new long[] {tablet}, List.of());
    }

    private List<String> fetch() throws IOException {
        return rows(reader.fetch());
    }

    private List<String> fetchUnchecked() {
        try {
            return fetch();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> rows(RecordsWithSplitIds<ReadRecord> records) {
        List<String> rows = new ArrayList<>();
        for (String split = records.nextSplit(); split != null; split = records.nextSplit()) {
            ReadRecord record = records.nextRecordFromSplit();
            while (record != null) {
                rows.add(split + ":" + record.row().getInt(0));
                record = records.nextRecordFromSplit();
            }
        }
        records.finishedSplits().forEach(split -> rows.add("end of " + split));
        records.recycle();
        return rows;
    }
}
