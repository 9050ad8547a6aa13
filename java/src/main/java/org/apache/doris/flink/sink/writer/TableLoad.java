package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.sink.transaction.Pause;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The open load of one table; in batch mode its loads, one after the other. */
final class TableLoad implements AutoCloseable {

    private final WriterIdentity identity;
    private final String database;
    private final String table;
    private final Load load;
    private final boolean batch;
    private final Pause pause;
    private final Consumer<TableLoad> onFailure;
    private long rows;
    private boolean failed;

    /**
     * @param batch whether the load stands for all loads of the table
     * @param pause between two slices of a wait
     * @param onFailure called once when the load fails
     */
    TableLoad(
            WriterIdentity identity,
            String database,
            String table,
            Load load,
            boolean batch,
            Pause pause,
            Consumer<TableLoad> onFailure) {
        this.identity = identity;
        this.database = database;
        this.table = table;
        this.load = load;
        this.batch = batch;
        this.pause = pause;
        this.onFailure = onFailure;
    }

    String database() {
        return database;
    }

    String table() {
        return table;
    }

    /** Rows handed over so far, but for those of loads that have ended. */
    long rows() {
        return rows;
    }

    /** A place for so many bytes; the only wait of writing. */
    ByteBuffer acquire(long bytes) throws IOException, InterruptedException {
        while (true) {
            ByteBuffer buffer = tried(() -> load.acquire(bytes, Pause.SLICE_MILLIS));
            if (buffer != null) {
                return buffer;
            }
            pause.pause();
        }
    }

    /** A place for so many bytes if there is one now, else null. */
    ByteBuffer tryAcquire(long bytes) throws IOException {
        return tried(() -> load.acquire(bytes, 0));
    }

    /** Hands over the buffer acquired last. */
    void submit(long rowsInBuffer, long[] layout) throws IOException {
        rows += rowsInBuffer;
        tried(
                () -> {
                    load.submit(rowsInBuffer, layout);
                    return null;
                });
    }

    /** No more rows. */
    void finish() throws IOException {
        tried(
                () -> {
                    load.finish();
                    return null;
                });
    }

    /** Waits for the outcomes; in batch mode those that {@link #ended} has not given yet. */
    List<LoadOutcome> await() throws IOException, InterruptedException {
        while (!tried(() -> load.await(Pause.SLICE_MILLIS))) {
            pause.pause();
        }
        return batch ? ended() : List.of(new LoadOutcome(tried(load::result)));
    }

    /** In batch mode: the outcomes that came since the last call. Does not throw the failure. */
    List<LoadOutcome> ended() throws IOException {
        List<LoadOutcome> outcomes = new ArrayList<>();
        for (Map<String, String> one = load.ended(); one != null; one = load.ended()) {
            LoadOutcome outcome = new LoadOutcome(one);
            rows -= outcome.rows();
            outcomes.add(outcome);
        }
        return outcomes;
    }

    /** Throws the failure if there is one. */
    void check() throws IOException {
        tried(() -> load.await(0));
    }

    /** The outcome if it is there and good, else null. */
    LoadOutcome peek() {
        try {
            return !failed && load.await(0) ? new LoadOutcome(load.result()) : null;
        } catch (IOException e) {
            // A load that failed has nothing to undo.
            return null;
        }
    }

    @Override
    public void close() {
        load.close();
    }

    private <T> T tried(Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (IOException e) {
            if (!failed) {
                failed = true;
                onFailure.accept(this);
            }
            throw metTakenLabel(e)
                    ? LabelConflict.met(identity, database, table, e.getMessage(), e.getCause())
                    : e;
        }
    }

    /** Whether the load found its label committed or visible before it had loaded anything. */
    private static boolean metTakenLabel(IOException e) {
        return e instanceof NativeException && ((NativeException) e).code() == ErrorCode.LABEL;
    }

    private interface Step<T> {
        T run() throws IOException;
    }
}
