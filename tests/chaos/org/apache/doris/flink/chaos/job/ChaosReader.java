package org.apache.doris.flink.chaos.job;

import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.types.Row;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Sends the rows of its partitions. Up to 64 rows go out in one call: a task that was paused among
 * them goes on with the rest although Flink has given it up meanwhile.
 */
final class ChaosReader implements SourceReader<Row, ChaosSplit> {

    private static final int ROWS_A_CALL = 64;
    private static final long LOOK_MILLIS = 10;

    private final ChaosRows rows;
    private final ChaosRows.Stream stream;
    private final String folder;
    private final Control control;
    private final Map<Integer, Sent.Range> sent = new HashMap<>();
    private final List<ChaosSplit> splits = new ArrayList<>();
    private long limit;
    private boolean ends;

    ChaosReader(ChaosRows rows, ChaosRows.Stream stream, String folder) {
        this.rows = rows;
        this.stream = stream;
        this.folder = folder;
        control = new Control(folder);
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<Row> output) {
        int count = 0;
        for (ChaosSplit split : splits) {
            Sent.Range range = sent.get(split.partition);
            while (split.next < limit && count < ROWS_A_CALL) {
                Row row = rows.row(stream, split.partition, split.next);
                split.next++;
                count++;
                range.end(split.next);
                output.collect(row);
            }
        }
        if (count > 0) {
            return InputStatus.MORE_AVAILABLE;
        }
        return ends ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        Optional<Long> end = control.end();
        limit = end.orElseGet(control::allowed);
        // A reader without partitions may get some later, so only one that has its own ends.
        ends = end.isPresent() && !splits.isEmpty();
        boolean more = ends || splits.stream().anyMatch(split -> split.next < limit);
        return more
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(
                        () -> {},
                        CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Override
    public List<ChaosSplit> snapshotState(long checkpoint) {
        return splits.stream()
                .map(split -> new ChaosSplit(split.partition, split.next))
                .collect(Collectors.toList());
    }

    @Override
    public void addSplits(List<ChaosSplit> added) {
        for (ChaosSplit split : added) {
            splits.add(new ChaosSplit(split.partition, split.next));
            sent.put(split.partition, new Sent.Range(folder, stream, split.partition, split.next));
        }
    }

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}
}
