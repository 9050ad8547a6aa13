package org.apache.doris.flink.it;

import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A job that follows a table, and its rows as one subtask behind the source receives them. Rows are
 * kept as a sink with transactions keeps them: after a restart, what came after the checkpoint is
 * forgotten, so that a row that is there twice was repeated by the source.
 */
final class Followed {

    private static final long PATIENCE_SECONDS = 60;

    private final Log log;
    private final JobClient job;

    private Followed(Log log, JobClient job) {
        this.log = log;
        this.job = job;
    }

    /** Starts the job of a query, with changes. */
    static Followed start(StreamTableEnvironment sql, String query) throws Exception {
        return start(sql.toChangelogStream(sql.sqlQuery(query)), new Log());
    }

    /** Starts the job of a stream of rows. */
    static Followed start(DataStream<Row> rows) throws Exception {
        return start(rows, new Log());
    }

    /**
     * Starts a job in the place of this one, which has ended; its environment says what is
     * restored.
     */
    Followed again(StreamTableEnvironment sql, String query) throws Exception {
        return start(sql.toChangelogStream(sql.sqlQuery(query)), log);
    }

    private static Followed start(DataStream<Row> rows, Log log) throws Exception {
        rows.map(new Keeper(log.id))
                .setParallelism(1)
                .uid("keeper")
                .sinkTo(new DiscardingSink<>())
                .setParallelism(1);
        return new Followed(log, rows.getExecutionEnvironment().executeAsync("followed"));
    }

    JobClient job() {
        return job;
    }

    /** Rows so far, as {@code +I[1, Alice, 18]}. */
    List<String> rows() {
        synchronized (log) {
            return List.copyOf(log.rows);
        }
    }

    /** How often the job was started again. */
    int restarts() {
        return log.starts.get() - 1;
    }

    /** Waits until there are so many rows, and gives them. */
    List<String> await(int count) throws Exception {
        try {
            Until.holds(count + " rows", () -> rows().size() >= count || hasEnded());
        } catch (AssertionError late) {
            throw new AssertionError(late.getMessage() + ", but " + rows(), late);
        }
        if (rows().size() < count) {
            throw new AssertionError("the job has ended with " + rows() + ": " + failure().text());
        }
        return rows();
    }

    /** Waits until exactly these rows have come, in any order. */
    void awaitAll(String... expected) throws Exception {
        List<String> sorted = sorted(Arrays.asList(expected));
        List<String> came = sorted(await(expected.length));
        if (!came.equals(sorted)) {
            throw new AssertionError("expected " + sorted + ", but " + came);
        }
    }

    /** Waits until exactly these rows have come, in this order. */
    void awaitInOrder(String... expected) throws Exception {
        List<String> came = await(expected.length);
        if (!came.equals(Arrays.asList(expected))) {
            throw new AssertionError("expected " + Arrays.asList(expected) + ", but " + came);
        }
    }

    /** Waits for a checkpoint that began after this call. */
    void awaitCheckpoint() throws Exception {
        long newest = log.newestCheckpoint.get();
        Until.holds(
                "a new checkpoint", () -> log.newestCheckpoint.get() >= newest + 2 || hasEnded());
        if (hasEnded()) {
            throw new AssertionError("the job has ended: " + failure().text());
        }
    }

    /** The newest completed checkpoint, 0 when there is none. */
    long newestCheckpoint() {
        return log.newestCheckpoint.get();
    }

    /** Stops the job with a savepoint. */
    String stop(Path folder) throws Exception {
        awaitCheckpoint();
        return job.stopWithSavepoint(
                        false, folder.toUri().toString(), SavepointFormatType.CANONICAL)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Takes a savepoint while the job runs on. */
    String savepoint(Path folder) throws Exception {
        awaitCheckpoint();
        return job.triggerSavepoint(folder.toUri().toString(), SavepointFormatType.CANONICAL)
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Cancels the job and waits for its end. */
    void cancel() throws Exception {
        job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        FlinkCluster.end(job);
    }

    /** Waits until the job has failed. */
    Failure failure() {
        return Failure.of(
                () -> {
                    Until.holds("the job has failed", this::hasEnded);
                    job.getJobExecutionResult().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                });
    }

    boolean hasEnded() throws Exception {
        return FlinkCluster.status(job).isGloballyTerminalState();
    }

    private static List<String> sorted(List<String> rows) {
        List<String> sorted = new ArrayList<>(rows);
        sorted.sort(null);
        return sorted;
    }

    private static final class Log {

        private final String id = UUID.randomUUID().toString();
        private final List<String> rows = new ArrayList<>();
        private final AtomicInteger starts = new AtomicInteger();
        private final AtomicLong newestCheckpoint = new AtomicLong();

        private Log() {
            Keeper.LOGS.put(id, this);
        }
    }

    private static final class Keeper extends RichMapFunction<Row, Long>
            implements CheckpointedFunction, CheckpointListener {

        private static final long serialVersionUID = 1L;
        private static final Map<String, Log> LOGS = new ConcurrentHashMap<>();

        private final String id;
        private transient ListState<Integer> state;

        private Keeper(String id) {
            this.id = id;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            state =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("rows", Types.INT));
            Log log = LOGS.get(id);
            synchronized (log) {
                int kept = 0;
                for (Integer count : state.get()) {
                    kept += count;
                }
                // A new consumer of an older job's state begins without its rows.
                log.rows.subList(Math.min(kept, log.rows.size()), log.rows.size()).clear();
            }
            log.starts.incrementAndGet();
        }

        @Override
        public Long map(Row row) {
            Log log = LOGS.get(id);
            synchronized (log) {
                log.rows.add(row.toString());
            }
            return 1L;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            Log log = LOGS.get(id);
            synchronized (log) {
                state.update(List.of(log.rows.size()));
            }
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            LOGS.get(id).newestCheckpoint.accumulateAndGet(checkpoint, Math::max);
        }
    }
}
