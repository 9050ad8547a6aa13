package org.apache.doris.flink.source.reader;

import java.io.Closeable;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The batches that were fetched and not yet freed. Flink does not return what is queued or in hand
 * when a reader closes; this is where it is found then.
 */
final class OutstandingBatches implements Closeable {

    private final Set<ReadBatch> batches = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean closed;

    /** Takes note of a fetched batch; after {@link #close} it is freed at once. */
    void add(ReadBatch batch) {
        synchronized (this) {
            if (!closed) {
                batches.add(batch);
                return;
            }
        }
        batch.release();
    }

    /** Frees a batch; idempotent. */
    void release(ReadBatch batch) {
        synchronized (this) {
            batches.remove(batch);
        }
        batch.release();
    }

    /** Number of batches not yet freed. */
    synchronized int size() {
        return batches.size();
    }

    /** Frees all that is left, and whatever is added later. */
    @Override
    public synchronized void close() {
        closed = true;
        batches.forEach(ReadBatch::release);
        batches.clear();
    }
}
