package doris.connector.bench;

import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;

import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * The source behind {@link ReadyBatchFactory}: one split, one batch, served until the rows are many
 * enough.
 */
final class ReadyBatchSource implements Source<RowData, ReadyBatchSource.Split, Boolean> {
    private static final long serialVersionUID = 1L;
    private static final String SPLIT = "all";

    private final RowType type;
    private final long rows;
    private final int batchRows;
    private final boolean mixed;
    private final boolean binary;

    /**
     * {@code mixed}: {@link MixedVectors} in place of {@link ReadyVectors}. {@code binary}: rows in
     * Flink's binary format in place of views of the vectors.
     */
    ReadyBatchSource(RowType type, long rows, int batchRows, boolean mixed, boolean binary) {
        this.binary = binary;
        this.type = type;
        this.rows = rows;
        this.batchRows = batchRows;
        this.mixed = mixed;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RowData, Split> createReader(SourceReaderContext context) {
        ColumnVector[] columns =
                mixed ? MixedVectors.of(type, batchRows) : ReadyVectors.of(type, batchRows);
        IntFunction<RowData> row = binary ? binaryRows(columns) : views(columns);
        return new Reader(context, () -> new BatchReader(row, batchRows, rows));
    }

    private static IntFunction<RowData> views(ColumnVector[] columns) {
        ColumnarRowData row = new ColumnarRowData(new VectorizedColumnBatch(columns));
        return index -> {
            row.setRowId(index);
            return row;
        };
    }

    /** All rows one behind the other, as Flink's own serializer writes them. */
    private IntFunction<RowData> binaryRows(ColumnVector[] columns) {
        IntFunction<RowData> views = views(columns);
        RowDataSerializer serializer = new RowDataSerializer(type);
        int[] ends = new int[batchRows];
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int index = 0; index < batchRows; index++) {
            BinaryRowData written = serializer.toBinaryRow(views.apply(index));
            byte[] copy = new byte[written.getSizeInBytes()];
            written.getSegments()[0].get(written.getOffset(), copy);
            bytes.writeBytes(copy);
            ends[index] = bytes.size();
        }
        MemorySegment[] segments = {MemorySegmentFactory.wrap(bytes.toByteArray())};
        BinaryRowData row = new BinaryRowData(type.getFieldCount());
        return index -> {
            int start = index == 0 ? 0 : ends[index - 1];
            row.pointTo(segments, start, ends[index] - start);
            return row;
        };
    }

    @Override
    public SplitEnumerator<Split, Boolean> createEnumerator(SplitEnumeratorContext<Split> context) {
        return new Enumerator(context, false);
    }

    @Override
    public SplitEnumerator<Split, Boolean> restoreEnumerator(
            SplitEnumeratorContext<Split> context, Boolean assigned) {
        return new Enumerator(context, assigned);
    }

    @Override
    public SimpleVersionedSerializer<Split> getSplitSerializer() {
        return new OneByte<Split>() {
            @Override
            byte toByte(Split split) {
                return 0;
            }

            @Override
            Split fromByte(byte value) {
                return new Split();
            }
        };
    }

    @Override
    public SimpleVersionedSerializer<Boolean> getEnumeratorCheckpointSerializer() {
        return new OneByte<Boolean>() {
            @Override
            byte toByte(Boolean assigned) {
                return (byte) (assigned ? 1 : 0);
            }

            @Override
            Boolean fromByte(byte value) {
                return value == 1;
            }
        };
    }

    /** The only split. */
    static final class Split implements SourceSplit {
        @Override
        public String splitId() {
            return SPLIT;
        }
    }

    private static final class Enumerator implements SplitEnumerator<Split, Boolean> {
        private final SplitEnumeratorContext<Split> context;
        private boolean assigned;

        Enumerator(SplitEnumeratorContext<Split> context, boolean assigned) {
            this.context = context;
            this.assigned = assigned;
        }

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {
            if (!assigned) {
                context.assignSplit(new Split(), subtask);
                assigned = true;
            } else {
                context.signalNoMoreSplits(subtask);
            }
        }

        @Override
        public void addSplitsBack(List<Split> splits, int subtask) {
            assigned = splits.isEmpty() && assigned;
        }

        @Override
        public void addReader(int subtask) {}

        @Override
        public Boolean snapshotState(long checkpoint) {
            return assigned;
        }

        @Override
        public void close() {}
    }

    private static final class Reader
            extends SingleThreadMultiplexSourceReaderBase<RowData, RowData, Split, Split> {
        Reader(
                SourceReaderContext context,
                java.util.function.Supplier<SplitReader<RowData, Split>> readers) {
            super(
                    readers,
                    (row, output, split) -> output.collect(row),
                    context.getConfiguration(),
                    context);
        }

        @Override
        public void start() {
            context.sendSplitRequest();
        }

        @Override
        protected void onSplitFinished(Map<String, Split> finished) {
            context.sendSplitRequest();
        }

        @Override
        protected Split initializedState(Split split) {
            return split;
        }

        @Override
        protected Split toSplitType(String id, Split split) {
            return split;
        }
    }

    private static final class BatchReader implements SplitReader<RowData, Split> {
        private final IntFunction<RowData> row;
        private final int batchRows;
        private long left;

        BatchReader(IntFunction<RowData> row, int batchRows, long rows) {
            this.row = row;
            this.batchRows = batchRows;
            this.left = rows;
        }

        @Override
        public RecordsWithSplitIds<RowData> fetch() {
            int count = (int) Math.min(left, batchRows);
            left -= count;
            return new Batch(row, count);
        }

        @Override
        public void handleSplitsChanges(SplitsChange<Split> change) {}

        @Override
        public void wakeUp() {}

        @Override
        public void close() {}
    }

    /** Rows as one object that moves; no rows mean the end. */
    private static final class Batch implements RecordsWithSplitIds<RowData> {
        private final IntFunction<RowData> row;
        private final int rows;
        private String split = SPLIT;
        private int next;

        Batch(IntFunction<RowData> row, int rows) {
            this.row = row;
            this.rows = rows;
        }

        @Override
        public String nextSplit() {
            String current = rows == 0 ? null : split;
            split = null;
            return current;
        }

        @Override
        public RowData nextRecordFromSplit() {
            if (next >= rows) {
                return null;
            }
            return row.apply(next++);
        }

        @Override
        public Set<String> finishedSplits() {
            return rows == 0 ? Set.of(SPLIT) : Collections.emptySet();
        }
    }

    private abstract static class OneByte<T> implements SimpleVersionedSerializer<T> {
        abstract byte toByte(T value);

        abstract T fromByte(byte value);

        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(T value) {
            return new byte[] {toByte(value)};
        }

        @Override
        public T deserialize(int version, byte[] bytes) {
            return fromByte(bytes[0]);
        }
    }
}
