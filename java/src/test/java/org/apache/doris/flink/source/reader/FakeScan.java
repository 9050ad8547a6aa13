package org.apache.doris.flink.source.reader;

import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.IntColumnVector;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

/** A scan that serves given batches per split, and counts what is out. */
final class FakeScan implements BatchScan {

    private final Map<Long, List<int[]>> batchesByTablet = new HashMap<>();
    private final Queue<int[]> ready = new ArrayDeque<>();
    private final AtomicInteger live = new AtomicInteger();

    final List<Long> started = new ArrayList<>();
    IOException failure;
    boolean stalled;
    int opened;
    int columns = 1;
    volatile int closed;
    private boolean woken;
    private long bytes;

    /** What a split of this tablet holds: one array per batch. */
    FakeScan tablet(long id, int[]... batches) {
        batchesByTablet.put(id, List.of(batches));
        return this;
    }

    BatchScan.Factory factory() {
        return () -> {
            opened++;
            return this;
        };
    }

    /** Batches that were taken and not released. */
    int live() {
        return live.get();
    }

    @Override
    public void start(long[] tablets) throws IOException {
        fail();
        started.add(tablets[0]);
        ready.addAll(batchesByTablet.getOrDefault(tablets[0], List.of()));
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
        return ready.isEmpty() ? Poll.END : Poll.READY;
    }

    @Override
    public Batch take() {
        int[] rows = ready.remove();
        bytes += 4L * rows.length;
        live.incrementAndGet();
        return new FakeBatch(rows);
    }

    @Override
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    @Override
    public Figures figures() {
        return new Figures(bytes, 0, live.get());
    }

    @Override
    public void close() {
        closed++;
    }

    private void fail() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    private final class FakeBatch implements Batch {

        private final int[] values;
        private boolean released;

        private FakeBatch(int[] values) {
            this.values = values;
        }

        @Override
        public int rows() {
            return values.length;
        }

        @Override
        public ColumnVector[] columns() {
            return columns == 0 ? new ColumnVector[0] : new ColumnVector[] {new Ints()};
        }

        @Override
        public synchronized void release() {
            if (!released) {
                released = true;
                live.decrementAndGet();
            }
        }

        private final class Ints implements IntColumnVector {

            @Override
            public int getInt(int row) {
                if (released) {
                    throw new IllegalStateException("read after release");
                }
                return values[row];
            }

            @Override
            public boolean isNullAt(int row) {
                return false;
            }
        }
    }
}
