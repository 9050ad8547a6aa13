package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** A reader on Flink's own base, with a context and an output that record their calls. */
final class ReaderHarness implements AutoCloseable {

    final RecordedReaderMetrics metrics = new RecordedReaderMetrics();
    final FakeReaderContext context = new FakeReaderContext(metrics);
    final List<SourceEvent> events = context.events;
    final List<String> rows = new ArrayList<>();
    final List<String> outputs = new ArrayList<>();
    final DorisSourceReader<RowData> reader;

    private final Output output = new Output();

    ReaderHarness(FakeScan scan, ScanConfig config) {
        reader =
                DorisSourceReader.create(
                        context, config, scan.factory(), () -> {}, RowEmitter.rowData());
    }

    /** As Flink starts a reader with what a checkpoint held. */
    ReaderHarness start(List<DorisSplit> restored) {
        if (!restored.isEmpty()) {
            reader.addSplits(restored);
        }
        reader.start();
        return this;
    }

    /** Lets the task thread run until something holds. */
    void runUntil(BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("rows so far: " + rows);
            }
            step();
        }
    }

    /** One step of the task thread; waits a moment where there is nothing to do. */
    void step() throws Exception {
        if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
            try {
                reader.isAvailable().get(5, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // The condition may hold all the same.
            }
        }
    }

    /** The events of one kind. */
    <E extends SourceEvent> List<E> events(Class<E> kind) {
        List<E> found = new ArrayList<>();
        for (SourceEvent event : events) {
            if (kind.isInstance(event)) {
                found.add(kind.cast(event));
            }
        }
        return found;
    }

    @Override
    public void close() throws Exception {
        reader.close();
    }

    private final class Output implements ReaderOutput<RowData> {

        @Override
        public void collect(RowData row) {
            rows.add(row.getRowKind().shortString() + row.getInt(0));
            // What is chained behind may do this to a row that is re-used.
            row.setRowKind(RowKind.DELETE);
        }

        @Override
        public void collect(RowData row, long timestamp) {
            throw new AssertionError("event time is not the reader's business");
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new AssertionError("watermarks are not the reader's business");
        }

        @Override
        public void markIdle() {
            outputs.add("idle");
        }

        @Override
        public void markActive() {
            outputs.add("active");
        }

        @Override
        public SourceOutput<RowData> createOutputForSplit(String splitId) {
            outputs.add("create " + splitId);
            return this;
        }

        @Override
        public void releaseOutputForSplit(String splitId) {
            outputs.add("release " + splitId);
        }
    }
}
