package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.IpcColumns;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.jni.Scan;
import org.apache.doris.flink.jni.ScanMetrics;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogWindow;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/**
 * A scan that serves given batches per snapshot split and the windows of a change log, and counts
 * what is out. Like the native one it reads one thing at a time, can be closed in the middle, and
 * is dead then: another one of the factory goes on with the same data.
 */
final class FakeScan implements Scan {

    private final Map<Long, List<int[]>> batchesByTablet = new HashMap<>();
    private final Queue<FakeBatch> ready = new ArrayDeque<>();
    private final AtomicInteger live = new AtomicInteger();

    final FakeChanges changes = new FakeChanges();
    final List<Long> started = new CopyOnWriteArrayList<>();
    final List<OptionalLong> fences = new CopyOnWriteArrayList<>();
    final List<WindowRequest> windows = new CopyOnWriteArrayList<>();
    volatile IOException failure;
    volatile boolean stalled;
    volatile int opened;
    int columns = 1;
    volatile int closed;
    private boolean woken;
    private boolean reading;
    private boolean open;
    private long bytes;
    private int rowsBeforeStall = -1;

    /** What a split of this tablet holds: one array per batch. */
    FakeScan tablet(long id, int[]... batches) {
        batchesByTablet.put(id, List.of(batches));
        return this;
    }

    /** Stalls when so many batches more have been taken. */
    synchronized void stallAfter(int batches) {
        rowsBeforeStall = batches;
        stalled = batches == 0;
    }

    /** Goes on. */
    synchronized void goOn() {
        rowsBeforeStall = -1;
        stalled = false;
        notifyAll();
    }

    ReaderScan.Factory factory() {
        return () -> {
            synchronized (this) {
                opened++;
                open = true;
                reading = false;
                ready.clear();
                return this;
            }
        };
    }

    /** Batches that were taken and not released. */
    int live() {
        return live.get();
    }

    @Override
    public synchronized void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp)
            throws IOException {
        begin();
        started.add(tablets[0]);
        fences.add(fenceMillis);
        batchesByTablet
                .getOrDefault(tablets[0], List.of())
                .forEach(values -> ready.add(new FakeBatch(values, List.of())));
    }

    @Override
    public synchronized void startWindow(Map<String, String> described) throws IOException {
        begin();
        WindowRequest window = window(described);
        windows.add(window);
        for (List<FakeChanges.Row> rows : changes.read(window)) {
            ready.add(new FakeBatch(rows.stream().mapToInt(row -> row.value).toArray(), rows));
        }
    }

    @Override
    public synchronized Poll poll(long timeoutMillis) throws IOException {
        fail();
        if (woken) {
            woken = false;
            return Poll.WOKEN;
        }
        if (stalled) {
            try {
                wait(timeoutMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return woken ? poll(0) : Poll.TIMEOUT;
        }
        try {
            changes.failIfTold();
        } catch (IOException e) {
            reading = false;
            ready.clear();
            throw e;
        }
        if (ready.isEmpty()) {
            reading = false;
            return Poll.END;
        }
        return Poll.READY;
    }

    @Override
    public synchronized IpcBatch take() throws IOException {
        FakeBatch next = ready.remove();
        IpcBatch batch = next.batch(columns, live::decrementAndGet);
        bytes += 4L * batch.rows();
        live.incrementAndGet();
        if (rowsBeforeStall > 0 && --rowsBeforeStall == 0) {
            stalled = true;
        }
        return batch;
    }

    @Override
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    @Override
    public synchronized ScanMetrics metrics() {
        return new ScanMetrics(
                0,
                bytes,
                0,
                0,
                0,
                live.get(),
                0,
                changes.waits,
                changes.waited,
                changes.replayed,
                changes.mismatches,
                changes.delivered);
    }

    @Override
    public synchronized void close() {
        closed++;
        open = false;
        bytes = 0;
        changes.forgetFigures();
        notifyAll();
    }

    private void begin() throws IOException {
        fail();
        if (!open) {
            throw new IOException("a scan is used that is not open");
        }
        if (reading) {
            throw new IOException("a split is begun while another one is read");
        }
        reading = true;
    }

    private void fail() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    /** What crosses the native boundary as a window. */
    private static WindowRequest window(Map<String, String> map) {
        ToLongFunction<String> number = key -> Long.parseLong(map.get(key));
        ChangelogWindow window =
                new ChangelogWindow(
                        number.applyAsLong("start.millis"),
                        number.applyAsLong("end.millis"),
                        map.get("start"),
                        map.get("end"),
                        IncrementType.fromOption(map.get("increment-type")));
        ChangelogPosition position = null;
        if (map.containsKey("position.tso")) {
            position =
                    new ChangelogPosition(
                            number.applyAsLong("position.tso"),
                            number.applyAsLong("position.lsn"),
                            (int) number.applyAsLong("position.operation"),
                            number.applyAsLong("position.rows-at"),
                            number.applyAsLong("position.rows-of-tso"),
                            number.applyAsLong("position.hash-sum"));
        }
        boolean verify = Boolean.parseBoolean(map.get("verify"));
        switch (map.get("slice")) {
            case "partition":
                long partition = number.applyAsLong("slice.partition");
                return new WindowRequest(
                        window, SliceScheme.PARTITIONS, partition, position, verify);
            case "hash":
                SliceScheme scheme = SliceScheme.hash((int) number.applyAsLong("slice.count"));
                long index = number.applyAsLong("slice.index");
                return new WindowRequest(window, scheme, index, position, verify);
            default:
                return new WindowRequest(window, SliceScheme.hash(1), 0, position, verify);
        }
    }

    private static final class FakeBatch {

        private final int[] values;
        private final List<FakeChanges.Row> rows;

        private FakeBatch(int[] values, List<FakeChanges.Row> rows) {
            this.values = values;
            this.rows = new ArrayList<>(rows);
        }

        private IpcBatch batch(int columns, Runnable free) throws IOException {
            IpcColumns batch = new IpcColumns(values.length);
            if (columns > 0) {
                batch.ints(values);
            }
            if (!rows.isEmpty()) {
                byte[] operations = new byte[rows.size()];
                for (int i = 0; i < operations.length; i++) {
                    operations[i] = (byte) rows.get(i).operation;
                }
                batch.bytes(operations)
                        .longs(rows.stream().mapToLong(row -> row.tso).toArray())
                        .longs(rows.stream().mapToLong(row -> row.lsn).toArray())
                        .longs(rows.stream().mapToLong(FakeChanges.Row::hash).toArray());
            }
            return batch.batch(free);
        }
    }
}
