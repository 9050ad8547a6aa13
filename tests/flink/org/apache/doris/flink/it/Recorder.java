package org.apache.doris.flink.it;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.types.Row;

import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what goes by in memory of this JVM, over all restarts of a job: the first field of each
 * row, by attempt, and how many checkpoints were completed.
 */
final class Recorder extends RichMapFunction<Row, Long> implements CheckpointListener {

    private static final long serialVersionUID = 1L;
    private static final Map<String, Log> LOGS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private transient Log log;
    private transient int attempt;

    Recorder() {
        LOGS.put(id, new Log());
    }

    /** What was recorded so far. */
    Log log() {
        return LOGS.get(id);
    }

    @Override
    public void open(OpenContext context) {
        log = LOGS.get(id);
        attempt = getRuntimeContext().getTaskInfo().getAttemptNumber();
        log.attempts.accumulateAndGet(attempt, Math::max);
    }

    @Override
    public Long map(Row row) {
        long key = ((Number) row.getField(0)).longValue();
        log.rows.computeIfAbsent(attempt, any -> new ConcurrentLinkedQueue<>()).add(key);
        return key;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        log.newestCheckpoint.accumulateAndGet(checkpointId, Math::max);
    }

    /** What a recorder saw. */
    static final class Log {

        private final Map<Integer, Queue<Long>> rows = new ConcurrentHashMap<>();
        private final AtomicInteger attempts = new AtomicInteger();
        private final AtomicLong newestCheckpoint = new AtomicLong();

        /** Rows seen by an attempt, 0 for the first. */
        int count(int attempt) {
            Queue<Long> keys = rows.get(attempt);
            return keys == null ? 0 : keys.size();
        }

        /** Key → how often it was seen, over all attempts. */
        Map<Long, Integer> counts() {
            Map<Long, Integer> counts = new TreeMap<>();
            rows.values().forEach(keys -> keys.forEach(key -> counts.merge(key, 1, Integer::sum)));
            return counts;
        }

        /** Number of the newest attempt. */
        int attempts() {
            return attempts.get();
        }

        /** Id of the newest completed checkpoint, 0 when there is none. */
        long newestCheckpoint() {
            return newestCheckpoint.get();
        }
    }
}
