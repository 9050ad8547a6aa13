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

/** Rows of one table, column by column; their kind becomes the delete sign. */
final class RowDataInput implements RecordInput<RowData> {

    private static final Logger LOG = LoggerFactory.getLogger(RowDataInput.class);

    private static final byte UPSERT = 0;
    private static final byte DELETE = 1;

    private final TableIdentifier table;
    private final RowType type;
    private final boolean enableDelete;
    private final boolean ignoreUpdateBefore;
    private final long bufferSize;
    private final TableLoads loads;
    private final WriterMetrics metrics;

    private BatchWriter batch;
    private boolean deleteSign;
    private boolean warned;

    RowDataInput(SinkConfig config, RowType type, TableLoads loads, WriterMetrics metrics) {
        this.table = config.connection().table();
        this.type = type;
        this.enableDelete = config.write().enableDelete();
        this.ignoreUpdateBefore = config.write().ignoreUpdateBefore();
        this.bufferSize = config.write().bufferSize();
        this.loads = loads;
        this.metrics = metrics;
    }

    @Override
    public void open() throws IOException, InterruptedException {
        deleteSign = loads.check(table.database(), table.table()).deleteSign();
        batch = new BatchWriter(type, deleteSign);
    }

    @Override
    public void write(RowData row) throws IOException, InterruptedException {
        RowKind kind = row.getRowKind();
        if (kind == RowKind.UPDATE_BEFORE && ignoreUpdateBefore) {
            return;
        }
        byte sign = UPSERT;
        if (kind == RowKind.DELETE || kind == RowKind.UPDATE_BEFORE) {
            if (deleteSign) {
                sign = DELETE;
            } else {
                writtenAsOrdinaryRow(kind);
            }
        }
        batch.write(row, sign);
        if (batch.isFull(bufferSize)) {
            submit();
        }
    }

    @Override
    public void trickle() throws IOException, InterruptedException {
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
        if (batch.rows() > 0) {
            submit();
        }
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

    private void writtenAsOrdinaryRow(RowKind kind) {
        metrics.skippedByDeleteRule();
        if (!warned) {
            warned = true;
            LOG.warn(
                    "A row of the kind {} is written to table {} as an ordinary row, since {}. Such"
                            + " rows are counted as rowsSkippedByDeleteRule.",
                    kind.shortString(),
                    table,
                    enableDelete
                            ? "loads of this table carry no delete sign: it is not a Unique table"
                            : "'sink.enable-delete' is 'false'");
        }
    }
}
