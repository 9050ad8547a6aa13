package org.apache.doris.flink.source.reader;

import org.apache.flink.table.data.columnar.vector.ByteColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.IntColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;

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
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/**
 * A scan that serves given batches per snapshot split and the windows of a change log, and counts
 * what is out. Like the native one it reads one thing at a time, can be closed in the middle, and
 * is dead then: another one of the factory goes on with the same data.
 */
final class FakeScan implements BatchScan {

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

    BatchScan.Factory factory() {
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
    public synchronized void startWindow(WindowRequest window) throws IOException {
        begin();
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
    public synchronized Batch take() {
        FakeBatch batch = ready.remove();
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
    public synchronized Figures figures() {
        Figures figures = new Figures();
        figures.bytes = bytes;
        figures.heldBytes = live.get();
        figures.replayedRows = changes.replayed;
        figures.positionMismatches = changes.mismatches;
        figures.windowRows = changes.delivered;
        figures.visibleWaitRetries = changes.waits;
        figures.visibleWaitMillis = changes.waited;
        return figures;
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

    private final class FakeBatch implements Batch {

        private final int[] values;
        private final List<FakeChanges.Row> rows;
        private boolean released;

        private FakeBatch(int[] values, List<FakeChanges.Row> rows) {
            this.values = values;
            this.rows = new ArrayList<>(rows);
        }

        @Override
        public int rows() {
            return values.length;
        }

        @Override
        public BatchRows produced() {
            return BatchRows.views(
                    columns == 0
                            ? new ColumnVector[0]
                            : new ColumnVector[] {new Ints(row -> values[row])});
        }

        @Override
        public ChangeColumns changes() {
            return rows.isEmpty()
                    ? null
                    : new ChangeColumns(
                            new Bytes(row -> rows.get(row).operation),
                            new Longs(row -> rows.get(row).tso),
                            new Longs(row -> rows.get(row).lsn),
                            new Longs(row -> rows.get(row).hash()));
        }

        @Override
        public synchronized void release() {
            if (!released) {
                released = true;
                live.decrementAndGet();
            }
        }

        private void checkAlive() {
            if (released) {
                throw new IllegalStateException("read after release");
            }
        }

        private final class Ints implements IntColumnVector {

            private final IntUnaryOperator value;

            Ints(IntUnaryOperator value) {
                this.value = value;
            }

            @Override
            public int getInt(int row) {
                checkAlive();
                return value.applyAsInt(row);
            }

            @Override
            public boolean isNullAt(int row) {
                return false;
            }
        }

        private final class Bytes implements ByteColumnVector {

            private final IntUnaryOperator value;

            Bytes(IntUnaryOperator value) {
                this.value = value;
            }

            @Override
            public byte getByte(int row) {
                checkAlive();
                return (byte) value.applyAsInt(row);
            }

            @Override
            public boolean isNullAt(int row) {
                return false;
            }
        }

        private final class Longs implements LongColumnVector {

            private final IntToLongFunction value;

            Longs(IntToLongFunction value) {
                this.value = value;
            }

            @Override
            public long getLong(int row) {
                checkAlive();
                return value.applyAsLong(row);
            }

            @Override
            public boolean isNullAt(int row) {
                return false;
            }
        }
    }
}
