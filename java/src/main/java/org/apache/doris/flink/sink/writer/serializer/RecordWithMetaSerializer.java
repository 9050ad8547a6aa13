package org.apache.doris.flink.sink.writer.serializer;

import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.flink.annotation.PublicEvolving;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Rows as text, each with the table that it goes to. */
@PublicEvolving
public class RecordWithMetaSerializer implements DorisRecordSerializer<RecordWithMeta> {

    private static final long serialVersionUID = 1L;

    /**
     * @throws IOException if the record has a row but names no table: it could only be dropped
     */
    @Override
    public DorisRecord serialize(RecordWithMeta record) throws IOException {
        if (record == null || record.getRecord() == null) {
            return DorisRecord.empty;
        }
        if (isBlank(record.getDatabase()) || isBlank(record.getTable())) {
            throw new IOException(
                    String.format(
                            "A record names no table: database '%s', table '%s'. Set both of them,"
                                    + " or filter such records out before the sink.",
                            record.getDatabase(), record.getTable()));
        }
        return DorisRecord.of(
                record.getDatabase(),
                record.getTable(),
                record.getRecord().getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isBlank(String text) {
        return text == null || text.isBlank();
    }
}
