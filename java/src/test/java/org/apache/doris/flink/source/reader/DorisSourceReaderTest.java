package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The whole reader on Flink's own base, with a scan that the test fills. */
@Timeout(60)
class DorisSourceReaderTest {

    private final FakeScan scan = new FakeScan();
    private final FakeReaderContext context =
            new FakeReaderContext(UnregisteredMetricsGroup.createSourceReaderMetricGroup());
    private final Output output = new Output();

    @Test
    void readsSplitAfterSplitAndAsksForMore() throws Exception {
        scan.tablet(1, new int[] {1, 2}, new int[] {3}).tablet(2, new int[] {4});
        DorisSourceReader<RowData> reader = reader();
        reader.start();
        assertThat(context.requests).isEqualTo(1);
        reader.addSplits(List.of(split(1)));
        pollUntilRequests(reader, 2);
        assertThat(output.rows).containsExactly(1, 2, 3);
        assertThat(reader.snapshotState(1)).isEmpty();
        reader.addSplits(List.of(split(2)));
        reader.notifyNoMoreSplits();
        while (reader.pollNext(output) != InputStatus.END_OF_INPUT) {
            reader.isAvailable().get();
        }
        reader.close();
        assertThat(output.rows).containsExactly(1, 2, 3, 4);
        assertThat(scan.opened).isEqualTo(1);
        assertThat(scan.closed).isEqualTo(1);
        assertThat(scan.live()).isZero();
    }

    @Test
    void tellsTheEnumeratorWhenItHasEmittedAsManyRowsAsAreWanted() throws Exception {
        scan.tablet(1, new int[] {1, 2}).tablet(2, new int[] {3}).tablet(3);
        DorisSourceReader<RowData> reader =
                DorisSourceReader.create(
                        context,
                        TestScans.limited(3),
                        scan.factory(),
                        () -> {},
                        RowEmitter.rowData());
        reader.start();
        reader.addSplits(List.of(split(1)));
        pollUntilRequests(reader, 2);
        assertThat(context.events).isEmpty();
        reader.addSplits(List.of(split(2)));
        pollUntilRequests(reader, 3);
        assertThat(context.order)
                .containsExactly("request 1", "request 2", "LimitReachedEvent", "request 3");
        reader.close();
    }

    @Test
    void aSplitUnderWayIsInTheCheckpoint() throws Exception {
        scan.tablet(1, new int[] {1, 2}, new int[] {3});
        DorisSourceReader<RowData> reader = reader();
        reader.addSplits(List.of(split(1)));
        pollUntilRows(reader, 1);
        assertThat(reader.snapshotState(1)).containsExactly(split(1));
        reader.close();
        assertThat(scan.live()).isZero();
        assertThat(scan.closed).isEqualTo(1);
    }

    @Test
    void aRestoredReaderAsksOnlyWhenItIsDone() throws Exception {
        scan.tablet(1, new int[] {1});
        DorisSourceReader<RowData> reader = reader();
        reader.addSplits(List.of(split(1)));
        reader.start();
        assertThat(context.requests).isEqualTo(0);
        pollUntilRequests(reader, 1);
        assertThat(output.rows).containsExactly(1);
        reader.close();
    }

    @Test
    void aSplitThatChangesAreToFollowIsRefusedInSnapshotMode() throws Exception {
        DorisSourceReader<RowData> reader = reader();
        DorisSplit split =
                DorisSplit.snapshot("1", new long[] {1}, List.of(), OptionalLong.of(5000));
        assertThatThrownBy(() -> reader.addSplits(List.of(split)))
                .hasMessageContaining("'source.scan.mode' = 'initial'")
                .hasMessageContaining("'snapshot'");
        assertThat(scan.opened).isZero();
        reader.close();
    }

    @Test
    void closingInMidWaitEndsAtOnce() throws Exception {
        scan.stalled = true;
        DorisSourceReader<RowData> reader = reader();
        reader.addSplits(List.of(split(1)));
        while (scan.started.isEmpty()) {
            reader.pollNext(output);
            Thread.onSpinWait();
        }
        long start = System.nanoTime();
        reader.close();
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
        assertThat(scan.closed).isEqualTo(1);
    }

    private void pollUntilRequests(DorisSourceReader<RowData> reader, int requests)
            throws Exception {
        while (context.requests < requests) {
            reader.isAvailable().get();
            reader.pollNext(output);
        }
    }

    private void pollUntilRows(DorisSourceReader<RowData> reader, int rows) throws Exception {
        while (output.rows.size() < rows) {
            reader.isAvailable().get();
            reader.pollNext(output);
        }
    }

    private DorisSourceReader<RowData> reader() {
        return DorisSourceReader.create(
                context, TestScans.snapshot(), scan.factory(), () -> {}, RowEmitter.rowData());
    }

    private static DorisSplit split(long tablet) {
        return DorisSplit.snapshot(String.valueOf(tablet), new long[] {tablet}, List.of());
    }

    private static final class Output implements ReaderOutput<RowData> {

        private final List<Integer> rows = new ArrayList<>();

        @Override
        public void collect(RowData row) {
            rows.add(row.getInt(0));
        }

        @Override
        public void collect(RowData row, long timestamp) {
            collect(row);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}

        @Override
        public SourceOutput<RowData> createOutputForSplit(String splitId) {
            return this;
        }

        @Override
        public void releaseOutputForSplit(String splitId) {}
    }
}
