package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Records that a serializer of the user spells as the load's format wants it, each with its table.
 * Between two records of a load stands the line delimiter, not after the last. In batch mode a
 * buffer holds whole records, since a load may end with each of them, and the native core puts the
 * delimiter between two buffers.
 */
final class SerializedInput<IN> implements RecordInput<IN> {

    private static final long FIRST_SIZE = 4096;

    /** Of a heap array. */
    private static final long LARGEST_SIZE = 1 << 30;

    private final DorisRecordSerializer<IN> serializer;
    private final TableIdentifier configured;
    private final byte[] delimiter;
    private final long bufferSize;
    private final boolean batch;
    private final long loadRows;
    private final TableLoads loads;
    private final RecordPosition position;
    private final Map<String, Map<String, RawBuffer>> buffers = new LinkedHashMap<>();

    /** Whether {@link #close} has something to end. */
    private boolean opened;

    SerializedInput(
            SinkConfig config,
            DorisRecordSerializer<IN> serializer,
            TableLoads loads,
            RecordPosition position) {
        this.serializer = serializer;
        this.configured = config.connection().hasTable() ? config.connection().table() : null;
        this.delimiter = delimiter(config.write().properties());
        this.bufferSize = Math.min(config.write().bufferSize(), LARGEST_SIZE);
        this.batch = config.write().batch();
        this.loadRows = batch ? config.write().batchRows() : Long.MAX_VALUE;
        this.loads = loads;
        this.position = position;
    }

    @Override
    public void open() {
        opened = true;
        serializer.initial();
    }

    @Override
    public void write(IN record) throws IOException, InterruptedException {
        position.next();
        DorisRecord row;
        try {
            row = serializer.serialize(record);
        } catch (IOException | RuntimeException e) {
            throw position.failure(serializer, e);
        }
        append(row);
    }

    @Override
    public void trickle() throws IOException, InterruptedException {
        for (Map<String, RawBuffer> ofDatabase : buffers.values()) {
            for (RawBuffer buffer : ofDatabase.values()) {
                buffer.trySubmit();
            }
        }
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        DorisRecord last;
        try {
            last = serializer.flush();
        } catch (RuntimeException e) {
            throw position.failureOfFlush(serializer, e);
        }
        append(last);
        for (Map<String, RawBuffer> ofDatabase : buffers.values()) {
            for (RawBuffer buffer : ofDatabase.values()) {
                buffer.submit();
            }
        }
        // The loads end with the checkpoint; of a quiet table nothing is kept.
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
                        String.format(
                                "The row of %s, names no table, and the sink has none: name"
                                        + " database and table in the DorisRecord, or set"
                                        + " 'table.identifier'.",
                                position));
            }
            database = configured.database();
            table = configured.table();
        }
        buffer(database, table).append(record.getRow());
    }

    private RawBuffer buffer(String database, String table) {
        Map<String, RawBuffer> ofDatabase =
                buffers.computeIfAbsent(database, key -> new LinkedHashMap<>());
        RawBuffer buffer = ofDatabase.get(table);
        if (buffer == null) {
            buffer = new RawBuffer(database, table);
            ofDatabase.put(table, buffer);
        }
        return buffer;
    }

    private static byte[] delimiter(Map<String, String> properties) {
        if ("arrow".equalsIgnoreCase(properties.get("format"))) {
            return new byte[0];
        }
        return Delimiter.resolve(properties.getOrDefault("line_delimiter", "\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Rows of one table that are not submitted yet. Begins small, so that many tables with few rows
     * each take little.
     */
    private final class RawBuffer {

        private final String database;
        private final String table;
        private byte[] bytes = new byte[(int) Math.min(FIRST_SIZE, bufferSize)];
        private int used;
        private long rows;
        private boolean any;

        /** Rows until a buffer has to end where a load may. */
        private long left = loadRows;

        private RawBuffer(String database, String table) {
            this.database = database;
            this.table = table;
        }

        private void append(byte[] row) throws IOException, InterruptedException {
            if (batch && (long) used + delimiter.length + row.length > bufferSize) {
                submit();
            }
            if (any) {
                put(delimiter);
            }
            any = true;
            put(row);
            rows++;
            if (--left == 0) {
                submit();
                left = loadRows;
            }
        }

        /**
         * A row may go over several buffers: the load sees one stream of bytes. In batch mode a
         * large one makes a large buffer.
         */
        private void put(byte[] more) throws IOException, InterruptedException {
            long size = batch ? Math.max(bufferSize, (long) used + more.length) : bufferSize;
            int done = 0;
            while (done < more.length) {
                int length = (int) Math.min(more.length - done, size - used);
                if (used + length > bytes.length) {
                    long doubled = Math.max(2L * bytes.length, used + length);
                    bytes = Arrays.copyOf(bytes, (int) Math.min(doubled, size));
                }
                System.arraycopy(more, done, bytes, used, length);
                used += length;
                done += length;
                if (used == size && !batch) {
                    submit();
                }
            }
        }

        private void submit() throws IOException, InterruptedException {
            if (!isEmpty()) {
                TableLoad load = loads.of(database, table);
                // The last row may have ended exactly where the buffer did.
                submit(load, load.acquire(Math.max(1, used)));
            }
        }

        private void trySubmit() throws IOException, InterruptedException {
            if (isEmpty()) {
                // Of a quiet table nothing is kept, also where no checkpoint comes.
                bytes = bytes.length > FIRST_SIZE ? new byte[(int) FIRST_SIZE] : bytes;
            } else {
                TableLoad load = loads.of(database, table);
                ByteBuffer body = load.tryAcquire(Math.max(1, used));
                if (body != null) {
                    submit(load, body);
                }
            }
        }

        private void submit(TableLoad load, ByteBuffer body) throws IOException {
            body.put(bytes, 0, used);
            load.submit(rows, new long[] {used});
            used = 0;
            rows = 0;
            any &= !batch;
            if (bytes.length > bufferSize) {
                bytes = new byte[(int) Math.min(FIRST_SIZE, bufferSize)];
            }
        }

        private boolean isEmpty() {
            return used == 0 && rows == 0;
        }
    }
}
