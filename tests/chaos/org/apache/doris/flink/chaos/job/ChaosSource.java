package org.apache.doris.flink.chaos.job;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.types.Row;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A stream of rows whose positions are in the checkpoints. It goes as far as {@link Control} lets
 * it, and ends where that says.
 */
final class ChaosSource
        implements Source<Row, ChaosSplit, List<ChaosSplit>>, ResultTypeQueryable<Row> {

    private static final long serialVersionUID = 1L;

    private final ChaosRows rows;
    private final ChaosRows.Stream stream;
    private final String control;
    private final TypeInformation<Row> type;

    ChaosSource(
            ChaosRows rows, ChaosRows.Stream stream, String control, TypeInformation<Row> type) {
        this.rows = rows;
        this.stream = stream;
        this.control = control;
        this.type = type;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SplitEnumerator<ChaosSplit, List<ChaosSplit>> createEnumerator(
            SplitEnumeratorContext<ChaosSplit> context) {
        List<ChaosSplit> splits = new ArrayList<>();
        for (int partition = 0; partition < ChaosRows.PARTITIONS; partition++) {
            splits.add(new ChaosSplit(partition, 0));
        }
        return new Enumerator(context, splits);
    }

    @Override
    public SplitEnumerator<ChaosSplit, List<ChaosSplit>> restoreEnumerator(
            SplitEnumeratorContext<ChaosSplit> context, List<ChaosSplit> splits) {
        return new Enumerator(context, splits);
    }

    @Override
    public SourceReader<Row, ChaosSplit> createReader(SourceReaderContext context) {
        return new ChaosReader(rows, stream, control);
    }

    @Override
    public SimpleVersionedSerializer<ChaosSplit> getSplitSerializer() {
        return new ChaosSplit.Serializer();
    }

    @Override
    public SimpleVersionedSerializer<List<ChaosSplit>> getEnumeratorCheckpointSerializer() {
        return new ChaosSplit.ListSerializer();
    }

    @Override
    public TypeInformation<Row> getProducedType() {
        return type;
    }

    /** Gives each partition to a subtask, once. */
    private static final class Enumerator implements SplitEnumerator<ChaosSplit, List<ChaosSplit>> {

        private final SplitEnumeratorContext<ChaosSplit> context;
        private final List<ChaosSplit> free;

        private Enumerator(SplitEnumeratorContext<ChaosSplit> context, List<ChaosSplit> free) {
            this.context = context;
            this.free = new ArrayList<>(free);
        }

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<ChaosSplit> splits, int subtask) {
            free.addAll(splits);
        }

        @Override
        public void addReader(int subtask) {
            for (ChaosSplit split : List.copyOf(free)) {
                if (split.partition % context.currentParallelism() == subtask) {
                    context.assignSplit(split, subtask);
                    free.remove(split);
                }
            }
        }

        @Override
        public List<ChaosSplit> snapshotState(long checkpoint) {
            return List.copyOf(free);
        }

        @Override
        public void close() throws IOException {}
    }
}
