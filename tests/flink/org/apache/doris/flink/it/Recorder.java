package org.apache.doris.flink.it;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.types.Row;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what goes by in memory of this JVM, over all restarts of a job: the first field of each
 * row, by subtask and attempt, and the newest completed checkpoint.
 */
final class Recorder extends RichMapFunction<Row, Long> implements CheckpointListener {

    private static final long serialVersionUID = 1L;
    private static final Map<String, Log> LOGS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private transient Log log;
    private transient Queue<Long> keys;

    Recorder() {
        LOGS.put(id, new Log());
    }

    /** What was recorded so far. */
    Log log() {
        return LOGS.get(id);
    }

    @Override
    public void open(OpenContext context) {
        TaskInfo task = getRuntimeContext().getTaskInfo();
        log = LOGS.get(id);
        keys = new ConcurrentLinkedQueue<>();
        log.attempts
                .computeIfAbsent(task.getIndexOfThisSubtask(), any -> new ConcurrentSkipListMap<>())
                .put(task.getAttemptNumber(), keys);
    }

    @Override
    public Long map(Row row) {
        long key = ((Number) row.getField(0)).longValue();
        keys.add(key);
        return key;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
        log.newestCheckpoint.accumulateAndGet(checkpointId, Math::max);
    }

    /** What a recorder saw. */
    static final class Log {

        private final Map<Integer, NavigableMap<Integer, Queue<Long>>> attempts =
                new ConcurrentHashMap<>();
        private final AtomicLong newestCheckpoint = new AtomicLong();

        /** Key → how often it was seen, over all attempts. */
        Map<Long, Integer> counts() {
            Map<Long, Integer> counts = new TreeMap<>();
            attempts.values().forEach(tries -> tries.values().forEach(keys -> add(keys, counts)));
            return counts;
        }

        /** Key → how often it was seen by the last attempt of each subtask. */
        Map<Long, Integer> lastCounts() {
            Map<Long, Integer> counts = new TreeMap<>();
            attempts.values().forEach(tries -> add(tries.lastEntry().getValue(), counts));
            return counts;
        }

        /** How many subtasks were started more than once. */
        long restarted() {
            return attempts.values().stream().filter(tries -> tries.size() > 1).count();
        }

        /** Id of the newest completed checkpoint, 0 when there is none. */
        long newestCheckpoint() {
            return newestCheckpoint.get();
        }

        private static void add(Queue<Long> keys, Map<Long, Integer> counts) {
            keys.forEach(key -> counts.merge(key, 1, Integer::sum));
        }
    }
}
