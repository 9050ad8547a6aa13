package org.apache.doris.flink.sink.writer;

import java.io.IOException;

/** How records of a stream get into the loads of their tables. Used by the task thread. */
interface RecordInput<IN> extends AutoCloseable {

    /** Once, before the first record and after the configured table was checked. */
    void open() throws IOException, InterruptedException;

    /** Takes a record over; it may be re-used afterwards. */
    void write(IN record) throws IOException, InterruptedException;

    /** Hands rows that are held to their loads as far as there is a place now; does not wait. */
    void trickle() throws IOException, InterruptedException;

    /** Hands all rows that are still held to their loads. */
    void flush() throws IOException, InterruptedException;

    @Override
    void close() throws Exception;

    /** Makes the input of a writer. */
    interface Factory<IN> {

        /** An input that writes to these loads. */
        RecordInput<IN> create(TableLoads loads, WriterMetrics metrics);
    }
}
