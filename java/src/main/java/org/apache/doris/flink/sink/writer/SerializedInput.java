package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Records that a serializer of the user spells as the load's format wants it, each with its table.
 * Between two records of a load stands the line delimiter, not after the last.
 */
final class SerializedInput<IN> implements RecordInput<IN> {

    private final DorisRecordSerializer<IN> serializer;
    private final TableIdentifier configured;
    private final byte[] delimiter;
    private final long bufferSize;
    private final TableLoads loads;
    private final Map<TableLoad, RawBuffer> buffers = new LinkedHashMap<>();

    /** Whether {@link #close} has something to end. */
    private boolean opened;

    SerializedInput(SinkConfig config, DorisRecordSerializer<IN> serializer, TableLoads loads) {
        this.serializer = serializer;
        this.configured = config.connection().table();
        this.delimiter = delimiter(config.write().properties());
        this.bufferSize = config.write().bufferSize();
        this.loads = loads;
    }

    @Override
    public void open() {
        opened = true;
        serializer.initial();
    }

    @Override
    public void write(IN record) throws IOException, InterruptedException {
        append(serializer.serialize(record));
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        append(serializer.flush());
        for (RawBuffer buffer : buffers.values()) {
            buffer.submit();
        }
        // The loads end with the checkpoint; later rows open new ones.
        buffers.clear();
    }

    @Override
    public void close() throws Exception {
        buffers.clear();
        if (opened) {
            opened = false;
            serializer.close();
        }
    }

    private void append(DorisRecord record) throws IOException, InterruptedException {
        if (record == null || record == DorisRecord.empty || record.getRow() == null) {
            return;
        }
        String database = record.getDatabase();
        String table = record.getTable();
        if (database == null || table == null) {
            if (configured == null) {
                throw new IOException(
                        "A record names no table, and the sink has none: name database and table"
                                + " in the DorisRecord, or set 'table.identifier'.");
            }
            database = configured.database();
            table = configured.table();
        }
        TableLoad load = loads.of(database, table);
        RawBuffer buffer = buffers.get(load);
        if (buffer == null) {
            buffer = new RawBuffer(load);
            buffers.put(load, buffer);
        }
        buffer.append(record.getRow());
    }

    private static byte[] delimiter(Map<String, String> properties) {
        if ("arrow".equalsIgnoreCase(properties.get("format"))) {
            return new byte[0];
        }
        return Delimiter.resolve(properties.getOrDefault("line_delimiter", "\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** The buffer of one open load that is being filled. */
    private final class RawBuffer {

        private final TableLoad load;
        private ByteBuffer current;
        private long rows;
        private boolean any;

        private RawBuffer(TableLoad load) {
            this.load = load;
        }

        private void append(byte[] row) throws IOException, InterruptedException {
            if (any) {
                put(delimiter);
            }
            any = true;
            if (current == null) {
                current = load.acquire(bufferSize);
            }
            put(row);
            rows++;
        }

        /** A row may go over several buffers: the load sees one stream of bytes. */
        private void put(byte[] bytes) throws IOException, InterruptedException {
            int done = 0;
            while (done < bytes.length) {
                if (current == null) {
                    current = load.acquire(bufferSize);
                }
                int length = Math.min(bytes.length - done, current.remaining());
                current.put(bytes, done, length);
                done += length;
                if (!current.hasRemaining()) {
                    submit();
                }
            }
        }

        private void submit() throws IOException {
            if (current != null) {
                int used = current.position();
                current = null;
                long counted = rows;
                rows = 0;
                load.submit(counted, new long[] {used});
            }
        }
    }
}
