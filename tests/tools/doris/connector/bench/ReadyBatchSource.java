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
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.apache.flink.table.types.logical.RowType;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

    /** {@code mixed}: {@link MixedVectors} in place of {@link ReadyVectors}. */
    ReadyBatchSource(RowType type, long rows, int batchRows, boolean mixed) {
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
        return new Reader(context, () -> new BatchReader(columns, batchRows, rows));
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
        private final ColumnVector[] columns;
        private final int batchRows;
        private long left;

        BatchReader(ColumnVector[] columns, int batchRows, long rows) {
            this.columns = columns;
            this.batchRows = batchRows;
            this.left = rows;
        }

        @Override
        public RecordsWithSplitIds<RowData> fetch() {
            int count = (int) Math.min(left, batchRows);
            left -= count;
            return new Batch(columns, count);
        }

        @Override
        public void handleSplitsChanges(SplitsChange<Split> change) {}

        @Override
        public void wakeUp() {}

        @Override
        public void close() {}
    }

    /** Rows as a view that moves; no rows mean the end. */
    private static final class Batch implements RecordsWithSplitIds<RowData> {
        private final ColumnarRowData row;
        private final int rows;
        private String split = SPLIT;
        private int next;

        Batch(ColumnVector[] columns, int rows) {
            this.row = new ColumnarRowData(new VectorizedColumnBatch(columns));
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
            row.setRowId(next++);
            return row;
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
