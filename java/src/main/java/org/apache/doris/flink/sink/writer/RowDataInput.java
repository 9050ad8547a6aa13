package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.arrow.writer.BatchWriter;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** Rows of one table, column by column; their kind becomes the delete sign. */
final class RowDataInput implements RecordInput<RowData> {

    private static final Logger LOG = LoggerFactory.getLogger(RowDataInput.class);

    private static final byte UPSERT = 0;
    private static final byte DELETE = 1;

    private final TableIdentifier table;
    private final RowType type;
    private final boolean enableDelete;
    private final boolean ignoreUpdateBefore;
    private final boolean keepsOthers;
    private final long bufferSize;
    private final long loadRows;
    private final TableLoads loads;
    private final WriterMetrics metrics;
    private final SinkClock clock;
    private final Duration patience;

    private BatchWriter batch;
    private boolean deleteSign;
    private boolean warned;

    /** Rows until a buffer has to end where a load may. */
    private long left;

    /**
     * Null where a delete and an upsert in its place come to the same, so that none has to wait.
     */
    private HeldUpdates held;

    /** When rows were released last because they had waited for long. */
    private long released;

    /**
     * @param patience how long a {@code -U} waits for a row of its key at least; null where
     *     checkpoints end the wait
     */
    RowDataInput(
            SinkConfig config,
            RowType type,
            TableLoads loads,
            WriterMetrics metrics,
            SinkClock clock,
            Duration patience) {
        this.clock = clock;
        this.patience = patience;
        this.released = clock.nanos();
        this.table = config.connection().table();
        this.type = type;
        this.enableDelete = config.write().enableDelete();
        this.ignoreUpdateBefore = config.write().ignoreUpdateBefore();
        this.keepsOthers = config.write().keepsOtherColumns();
        this.bufferSize = config.write().bufferSize();
        this.loadRows = config.write().batch() ? config.write().batchRows() : Long.MAX_VALUE;
        this.left = loadRows;
        this.loads = loads;
        this.metrics = metrics;
    }

    @Override
    public void open() throws IOException, InterruptedException {
        TableCheck check = loads.check(table.database(), table.table());
        deleteSign = check.deleteSign();
        if (deleteSign && keepsOthers && check.keyFields().length > 0) {
            held = new HeldUpdates(type, check.keyFields(), HeldUpdates.MOST);
        }
        batch = new BatchWriter(type, deleteSign);
    }

    @Override
    public void write(RowData row) throws IOException, InterruptedException {
        RowKind kind = row.getRowKind();
        boolean deletes = kind == RowKind.DELETE || kind == RowKind.UPDATE_BEFORE;
        if (deletes && !deleteSign) {
            cannotDelete(kind);
            if (kind == RowKind.UPDATE_BEFORE && ignoreUpdateBefore) {
                return;
            }
        } else if (kind == RowKind.UPDATE_BEFORE && keepsOthers) {
            hold(row);
            return;
        }
        if (held != null) {
            held.followedBy(row);
        }
        append(row, deletes && deleteSign ? DELETE : UPSERT);
    }

    @Override
    public void trickle() throws IOException, InterruptedException {
        if (held != null && patience != null && clock.nanos() - released >= patience.toNanos()) {
            released = clock.nanos();
            for (RowData alone : held.releaseOld()) {
                append(alone, DELETE);
            }
        }
        if (batch.rows() > 0) {
            TableLoad load = loads.of(table.database(), table.table());
            ByteBuffer body = load.tryAcquire(batch.bytes());
            if (body != null) {
                submit(load, body);
            }
        }
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        if (held != null) {
            // What was covered by the checkpoint is in its load: nothing waits over it.
            for (RowData alone : held.release()) {
                append(alone, DELETE);
            }
        }
        if (batch.rows() > 0) {
            submit();
        }
        left = loadRows;
    }

    @Override
    public void close() {}

    private void submit() throws IOException, InterruptedException {
        TableLoad load = loads.of(table.database(), table.table());
        submit(load, load.acquire(batch.bytes()));
    }

    private void submit(TableLoad load, ByteBuffer body) throws IOException {
        int rows = batch.rows();
        load.submit(rows, batch.seal(body));
    }

    private void hold(RowData row) throws IOException, InterruptedException {
        if (held == null) {
            throw new IOException(
                    String.format(
                            "A row of the kind -U came for table %s, whose loads keep a part of"
                                + " what is there (a partial update, or a sequence column). It"
                                + " deletes unless a row of its key follows, and the key columns of"
                                + " the table are not all among the declared ones as they are."
                                + " Declare them, and do not derive them in"
                                + " 'sink.properties.columns'.",
                            table));
        }
        RowData longest = held.hold(row);
        if (longest != null) {
            append(longest, DELETE);
        }
    }

    private void append(RowData row, byte sign) throws IOException, InterruptedException {
        batch.write(row, sign);
        if (--left == 0 || batch.isFull(bufferSize)) {
            submit();
        }
        left = left == 0 ? loadRows : left;
    }

    private void cannotDelete(RowKind kind) {
        metrics.skippedByDeleteRule();
        if (!warned) {
            warned = true;
            LOG.warn(
                    "A row of the kind {} came for table {} and deletes nothing, since {}. Rows of"
                            + " the kind -D are written as ordinary ones, those of the kind -U {}."
                            + " Both are counted as rowsSkippedByDeleteRule.",
                    kind.shortString(),
                    table,
                    enableDelete
                            ? "loads of this table carry no delete sign: it is not a Unique table"
                            : "'sink.enable-delete' is 'false'",
                    ignoreUpdateBefore
                            ? "are left out ('sink.ignore.update-before' is 'true')"
                            : "as well");
        }
    }
}
