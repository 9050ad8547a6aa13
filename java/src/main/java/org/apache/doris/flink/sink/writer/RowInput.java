package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.Row;

import java.io.IOException;

/** Rows of values as users have them; become Flink's own and go on column by column. */
final class RowInput implements RecordInput<Row> {

    private final RowSerializer serializer;
    private final RecordInput<RowData> rows;
    private final RecordPosition position;

    RowInput(RowSerializer serializer, RecordInput<RowData> rows, RecordPosition position) {
        this.serializer = serializer;
        this.rows = rows;
        this.position = position;
    }

    @Override
    public void open() throws IOException, InterruptedException {
        serializer.initial();
        rows.open();
    }

    @Override
    public void write(Row record) throws IOException, InterruptedException {
        position.next();
        if (record == null) {
            return;
        }
        RowData row;
        try {
            row = serializer.toRowData(record);
        } catch (RuntimeException e) {
            throw position.failure(serializer, e);
        }
        try {
            rows.write(row);
        } catch (ClassCastException e) {
            // An INT is not looked at before its column takes it.
            throw position.failure(serializer, e);
        }
    }

    @Override
    public void trickle() throws IOException, InterruptedException {
        rows.trickle();
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        rows.flush();
    }

    @Override
    public void close() throws Exception {
        rows.close();
    }
}
