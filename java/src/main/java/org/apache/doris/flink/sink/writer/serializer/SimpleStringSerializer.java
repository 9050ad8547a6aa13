package org.apache.doris.flink.sink.writer.serializer;

import org.apache.flink.annotation.PublicEvolving;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Each string is a row as the load's format spells it; null is none. */
@PublicEvolving
public class SimpleStringSerializer implements DorisRecordSerializer<String> {

    private static final long serialVersionUID = 1L;

    @Override
    public DorisRecord serialize(String record) throws IOException {
        return record == null
                ? DorisRecord.empty
                : DorisRecord.of(record.getBytes(StandardCharsets.UTF_8));
    }
}
