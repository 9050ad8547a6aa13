package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.plan.SinkPlan;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.committer.DorisCommittableSerializer;
import org.apache.doris.flink.sink.committer.TestCommitter;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * One attempt of a job that writes texts: writers and committers as Flink drives them, restored
 * from a checkpoint as Flink redistributes it. A row is {@code text}, or {@code table/text} for
 * another table of the database.
 */
final class TestSink implements AutoCloseable {

    static final String DATABASE = "test";
    static final String TABLE = "t";
    static final Duration PRECOMMIT_TIMEOUT = Duration.ofHours(1);

    /** Clients of a Doris in memory. */
    final List<FakeLoadClient> clients = new ArrayList<>();

    final List<FakeSinkContext> contexts = new ArrayList<>();
    final List<DorisWriter<String>> writers = new ArrayList<>();
    private final TestCommitter committer;

    /** Committables that wait for their checkpoint, by its id. */
    private final TreeMap<Long, List<DorisCommittable>> pending = new TreeMap<>();

    private TestSink(TestCommitter committer) {
        this.committer = committer;
    }

    /** How a job is to be started. */
    static Start on(FakeDoris doris) {
        return new Start(new FakeWorld(doris));
    }

    /** How a job is to be started. */
    static Start on(World world) {
        return new Start(world);
    }

    TestCommitter committer() {
        return committer;
    }

    DorisWriter<String> writer(int subtask) {
        return writers.get(subtask);
    }

    /** Writes rows through one subtask. */
    TestSink write(int subtask, String... rows) throws IOException, InterruptedException {
        for (String row : rows) {
            writers.get(subtask).write(row, null);
        }
        return this;
    }

    /** A checkpoint of all subtasks, not yet complete. */
    Checkpoint snapshot(long id) throws IOException, InterruptedException {
        List<byte[]> states = new ArrayList<>();
        for (DorisWriter<String> writer : writers) {
            writer.flush(false);
            pending.computeIfAbsent(id, key -> new ArrayList<>()).addAll(writer.prepareCommit());
            for (WriterState state : writer.snapshotState(id)) {
                states.add(WriterStateSerializer.INSTANCE.serialize(state));
            }
        }
        Checkpoint checkpoint = new Checkpoint(id, writers.size(), states);
        for (Map.Entry<Long, List<DorisCommittable>> entry : pending.entrySet()) {
            for (DorisCommittable committable : entry.getValue()) {
                checkpoint
                        .committables
                        .computeIfAbsent(entry.getKey(), key -> new ArrayList<>())
                        .add(DorisCommittableSerializer.INSTANCE.serialize(committable));
            }
        }
        return checkpoint;
    }

    /** A checkpoint that completes and is committed. */
    Checkpoint checkpoint(long id) throws IOException, InterruptedException {
        Checkpoint checkpoint = snapshot(id);
        complete(id);
        return checkpoint;
    }

    /** A checkpoint completed: everything up to it is committed. */
    void complete(long id) throws IOException, InterruptedException {
        while (!pending.isEmpty() && pending.firstKey() <= id) {
            committer.commit(pending.firstEntry().getValue());
            pending.pollFirstEntry();
        }
    }

    /** Committables that wait for a checkpoint. */
    List<DorisCommittable> pending(long id) {
        return pending.getOrDefault(id, List.of());
    }

    /** The tasks end. */
    @Override
    public void close() throws Exception {
        for (DorisWriter<String> writer : writers) {
            writer.close();
        }
    }

    /** What a checkpoint holds. */
    static final class Checkpoint {

        final long id;
        final int parallelism;
        final List<byte[]> states;
        final TreeMap<Long, List<byte[]>> committables = new TreeMap<>();

        private Checkpoint(long id, int parallelism, List<byte[]> states) {
            this.id = id;
            this.parallelism = parallelism;
            this.states = states;
        }
    }

    /** How a job is to be started. */
    static final class Start {

        private final World world;
        private final Map<String, String> options = new TreeMap<>();
        private int parallelism = 1;
        private int attempt;
        private Checkpoint restored;
        private CheckpointPlan checkpoints = CheckpointPlan.UNKNOWN;
        private SinkConfig config;

        private Start(World world) {
            this.world = world;
            options.putAll(world.options());
            options.put("table.identifier", DATABASE + "." + TABLE);
            options.put("sink.label-prefix", "job");
        }

        /** Sets an option; null removes it. */
        Start option(String key, String value) {
            if (value == null) {
                options.remove(key);
            } else {
                options.put(key, value);
            }
            return this;
        }

        Start parallelism(int value) {
            parallelism = value;
            return this;
        }

        Start attempt(int value) {
            attempt = value;
            return this;
        }

        Start from(Checkpoint checkpoint) {
            restored = checkpoint;
            parallelism = checkpoint == null ? parallelism : checkpoint.parallelism;
            return this;
        }

        Start checkpoints(CheckpointPlan plan) {
            checkpoints = plan;
            return this;
        }

        /** The same sink object as in another attempt, with the prefix that was drawn for it. */
        Start config(SinkConfig built) {
            config = built;
            return this;
        }

        SinkConfig config() {
            return config == null ? SinkPlan.ofBytes(options, "UTC").config() : config;
        }

        /** Starts it: committers first, as Flink does. */
        TestSink start() throws Exception {
            SinkConfig built = config();
            TestSink job = job(built);
            if (restored != null) {
                for (List<byte[]> all : restored.committables.values()) {
                    List<DorisCommittable> committables = new ArrayList<>();
                    for (byte[] bytes : all) {
                        committables.add(DorisCommittableSerializer.INSTANCE.deserialize(1, bytes));
                    }
                    job.committer.commit(committables);
                }
            }
            try {
                for (int subtask = 0; subtask < parallelism; subtask++) {
                    add(job, built, subtask);
                }
            } catch (Throwable failure) {
                job.close();
                throw failure;
            }
            return job;
        }

        /** Starts the writer of one subtask alone. */
        TestSink startSubtask(int subtask) throws IOException {
            SinkConfig built = config();
            TestSink job = job(built);
            add(job, built, subtask);
            return job;
        }

        private TestSink job(SinkConfig built) {
            return new TestSink(
                    new TestCommitter(
                            world.transactions(),
                            built.write().ignoreCommitError(),
                            world.clock()::wallMillis));
        }

        private void add(TestSink job, SinkConfig built, int subtask) throws IOException {
            LoadClient client = world.client(built, checkpoints);
            FakeSinkContext context =
                    new FakeSinkContext(
                            subtask,
                            parallelism,
                            attempt,
                            restored == null ? OptionalLong.empty() : OptionalLong.of(restored.id));
            if (client instanceof FakeLoadClient) {
                job.clients.add((FakeLoadClient) client);
            }
            job.contexts.add(context);
            job.writers.add(
                    DorisWriter.create(
                            built,
                            checkpoints,
                            () -> client,
                            (loads, metrics) ->
                                    new SerializedInput<>(
                                            built, new Texts(), loads, new RecordPosition(subtask)),
                            world.clock(),
                            context,
                            states(subtask)));
        }

        /** Entries of list state, in runs of equal length, as Flink deals them out. */
        private List<WriterState> states(int subtask) throws IOException {
            List<WriterState> states = new ArrayList<>();
            if (restored == null) {
                return states;
            }
            int count = restored.states.size();
            int from = subtask * count / parallelism;
            int to = (subtask + 1) * count / parallelism;
            for (int i = from; i < to; i++) {
                states.add(WriterStateSerializer.INSTANCE.deserialize(1, restored.states.get(i)));
            }
            return states;
        }
    }

    /** Rows of texts. */
    private static final class Texts implements DorisRecordSerializer<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public DorisRecord serialize(String text) {
            int slash = text.indexOf('/');
            return slash < 0
                    ? DorisRecord.of(text.getBytes(StandardCharsets.UTF_8))
                    : DorisRecord.of(
                            DATABASE,
                            text.substring(0, slash),
                            text.substring(slash + 1).getBytes(StandardCharsets.UTF_8));
        }
    }
}
