package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.job.Control;

/** Lets the sources go on at an even pace while the run goes on. */
final class Pace implements AutoCloseable {

    private static final int TICK_MILLIS = 20;

    private final Control control;
    private final int rowsATick;
    private final Thread thread = new Thread(this::tick, "chaos-pace");
    private volatile boolean closed;
    private volatile long limit;

    /** Begins with rows for every partition at so many a second. */
    Pace(Control control, int rowsASecond) {
        this.control = control;
        rowsATick = Math.max(1, rowsASecond * TICK_MILLIS / 1000);
        control.allow(0);
        thread.start();
    }

    /** The position that partitions may go up to now. */
    long limit() {
        return limit;
    }

    private void tick() {
        while (!closed) {
            limit += rowsATick;
            control.allow(limit);
            try {
                Thread.sleep(TICK_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.join();
    }
}
