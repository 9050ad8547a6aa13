package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.jni.ScanPlans;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SourceEvent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * A job around the real enumerator: readers that keep their state as Flink does, checkpoints that
 * complete or do not, subtasks and coordinators that begin anew. Every window that a reader emits
 * is written down for each key of the table, and rolled back with the reader, so that a test can
 * ask whether each key was read once, without gap and in order.
 */
final class SimulatedJob {

    static final int KEYS = 12;

    final FakeChangelogService service;
    final Emitted emitted = new Emitted();
    long clock = 1_000_000;
    int parallelism;
    ScanConfig scan;
    FakeEnumeratorContext context;
    DorisEnumerator enumerator;
    List<SimulatedReader> readers = new ArrayList<>();

    /** Whether the table was rewritten, so that it has other tablets. */
    boolean rewritten;

    /** Partition of each key, for slices by partition. */
    LongUnaryOperator partitionOf = key -> 100 + key % 3;

    private final Map<Integer, List<Assigned>> tracker = new HashMap<>();
    private final TreeMap<Long, Checkpoint> taken = new TreeMap<>();
    private Checkpoint completed;
    private long nextCheckpoint = 1;
    private int snapshotSplits;

    SimulatedJob(FakeChangelogService service, ScanConfig scan, int parallelism) {
        this.service = service;
        this.scan = scan;
        this.parallelism = parallelism;
    }

    /** So many tablets that the snapshot has, one per split. */
    SimulatedJob withSnapshotSplits(int count) {
        snapshotSplits = count;
        return this;
    }

    private final class Planner implements ScanPlanner {

        @Override
        public ScanPlan plan(BooleanSupplier cancelled) throws IOException {
            return SimulatedJob.this.plan();
        }

        @Override
        public ScanPlan lookUp(BooleanSupplier cancelled) throws IOException {
            return rewritten ? ScanPlans.of(Map.of()) : SimulatedJob.this.plan();
        }
    }

    /** Starts the job anew, without state, and answers all questions. */
    SimulatedJob begin() {
        beginCoordinator(null);
        for (int subtask = 0; subtask < parallelism; subtask++) {
            beginReader(subtask, new SimulatedReader(this, subtask));
        }
        settle();
        return this;
    }

    /** Starts only the coordinator. */
    void beginCoordinator(EnumeratorState state) {
        if (enumerator != null) {
            enumerator.close();
        }
        tracker.clear();
        context = new FakeEnumeratorContext(parallelism);
        readers = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            readers.add(null);
        }
        enumerator = new DorisEnumerator(context, scan, new Planner(), service, () -> clock);
        if (state != null) {
            enumerator.adopt(state);
        }
        enumerator.start();
    }

    /** A reader registers and says what it holds; it asks for a split of the snapshot. */
    void beginReader(int subtask, SimulatedReader reader) {
        readers.set(subtask, reader);
        context.register(subtask);
        enumerator.addReader(subtask);
        enumerator.handleSourceEvent(subtask, new HeldSlicesEvent(reader.held()));
        if (reader.snapshotSplits.isEmpty()) {
            enumerator.handleSplitRequest(subtask, "h");
        }
    }

    /** Runs what the coordinator has begun and brings its messages to the readers. */
    void settle() {
        context.runBackground();
        deliver();
    }

    /** Time passes, at the server too; then the poll's time has come. */
    void pass(long millis) {
        clock += millis;
        service.position += millis;
        context.tick();
        deliver();
    }

    /** All readers read all they may. */
    void readAll() {
        deliver();
        readers.forEach(reader -> reader.readToBound());
        deliver();
    }

    /** Reads one split of the snapshot to its end and asks for the next. */
    void finishSnapshotSplit(int subtask) {
        deliver();
        SimulatedReader reader = readers.get(subtask);
        emitted.split(subtask, reader.snapshotSplits.remove(0).splitId());
        enumerator.handleSplitRequest(subtask, "h");
        settle();
    }

    /** All splits of the snapshot are read. */
    void finishSnapshot() {
        deliver();
        for (SimulatedReader reader : readers) {
            while (!reader.snapshotSplits.isEmpty()) {
                finishSnapshotSplit(reader.subtask);
            }
        }
    }

    /** Takes a checkpoint; it is complete only when a test says so. */
    long checkpoint() {
        deliver();
        long id = nextCheckpoint++;
        Checkpoint checkpoint = new Checkpoint(id, roundTrip(enumerator.snapshotState(id)));
        for (SimulatedReader reader : readers) {
            checkpoint.readers.add(reader.copy());
        }
        emitted.barrier(id);
        taken.put(id, checkpoint);
        return id;
    }

    /** A checkpoint is complete; the subtasks named do not get to report it. */
    void complete(long id, Integer... silent) {
        completed = taken.get(id);
        taken.headMap(id, true).clear();
        emitted.complete(id);
        for (SimulatedReader reader : completed.readers) {
            if (!List.of(silent).contains(reader.subtask)) {
                report(id, reader);
            }
        }
        settle();
    }

    /** Takes and completes a checkpoint. */
    long checkpointDone(Integer... silent) {
        long id = checkpoint();
        complete(id, silent);
        return id;
    }

    /** One subtask fails and is restored from the last completed checkpoint, or anew. */
    void failSubtask(int subtask) {
        taken.clear();
        deliver();
        context.readers.remove(subtask);
        long restored = completed == null ? 0 : completed.id;
        List<DorisSplit> back = new ArrayList<>();
        tracker.getOrDefault(subtask, List.of()).stream()
                .filter(assigned -> assigned.after >= restored)
                .forEach(assigned -> back.add(assigned.split));
        tracker.remove(subtask);
        context.events.remove(subtask);
        context.assigned.remove(subtask);
        emitted.rollBack(subtask, restored);
        enumerator.addSplitsBack(back, subtask);
        SimulatedReader reader =
                completed == null
                        ? new SimulatedReader(this, subtask)
                        : completed.readers.get(subtask).copy();
        beginReader(subtask, reader);
        settle();
    }

    /** Everything fails and goes on from the last completed checkpoint, perhaps rescaled. */
    void failAll(int newParallelism) {
        emitted.rollBackAll(completed == null ? 0 : completed.id);
        Checkpoint from = completed;
        taken.clear();
        parallelism = newParallelism;
        if (from == null) {
            beginCoordinator(null);
            for (int subtask = 0; subtask < parallelism; subtask++) {
                beginReader(subtask, new SimulatedReader(this, subtask));
            }
            settle();
            return;
        }
        beginCoordinator(from.state);
        List<SimulatedReader> fresh = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            fresh.add(new SimulatedReader(this, subtask));
        }
        int next = 0;
        for (SimulatedReader reader : from.readers) {
            for (Map.Entry<String, SimulatedReader.Slice> slice : reader.slices.entrySet()) {
                fresh.get(next++ % parallelism).slices.put(slice.getKey(), slice.getValue().copy());
            }
            for (DorisSplit split : reader.snapshotSplits) {
                fresh.get(next++ % parallelism).snapshotSplits.add(split);
            }
        }
        // The checkpoint that a later failure of one subtask restores from is spread likewise.
        Checkpoint spread = new Checkpoint(from.id, from.state);
        fresh.forEach(reader -> spread.readers.add(reader.copy()));
        completed = spread;
        fresh.forEach(reader -> beginReader(reader.subtask, reader));
        settle();
    }

    /** Number of the last complete checkpoint; 0 before the first. */
    long completed() {
        return completed == null ? 0 : completed.id;
    }

    /** Whether a checkpoint can still complete. */
    boolean isPending(long checkpoint) {
        return taken.containsKey(checkpoint);
    }

    /** The last state that is complete. */
    EnumeratorState state() {
        return completed.state;
    }

    /** The slices that readers hold, with their next position. */
    Map<String, Long> held() {
        deliver();
        Map<String, Long> held = new TreeMap<>();
        for (SimulatedReader reader : readers) {
            reader.slices.forEach(
                    (id, slice) -> assertThat(held.put(id, slice.next)).as(id).isNull());
        }
        return held;
    }

    void deliver() {
        for (SimulatedReader reader : readers) {
            if (reader == null) {
                continue;
            }
            List<DorisSplit> splits = context.assigned.remove(reader.subtask);
            if (splits != null) {
                splits.forEach(
                        split -> {
                            tracker.computeIfAbsent(reader.subtask, any -> new ArrayList<>())
                                    .add(new Assigned(split));
                            reader.add(split);
                        });
            }
            List<SourceEvent> events = context.events.remove(reader.subtask);
            if (events != null) {
                events.forEach(reader::handle);
            }
        }
    }

    private void report(long id, SimulatedReader reader) {
        Map<String, Long> covered = new HashMap<>();
        reader.slices.forEach((splitId, slice) -> covered.put(splitId, slice.next));
        enumerator.handleSourceEvent(
                reader.subtask, new CoveredEvent(id, covered, reader.snapshotSplits.size()));
    }

    private ScanPlan plan() throws IOException {
        Map<Long, List<String>> tablets = new LinkedHashMap<>();
        for (long tablet = 1; tablet <= snapshotSplits; tablet++) {
            tablets.put(tablet, List.of("be:1"));
        }
        return ScanPlans.of(tablets);
    }

    private static EnumeratorState roundTrip(EnumeratorState state) {
        EnumeratorStateSerializer serializer = EnumeratorStateSerializer.INSTANCE;
        try {
            return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A split and the last checkpoint that was taken before it was assigned. */
    private final class Assigned {

        private final DorisSplit split;
        private final long after;

        private Assigned(DorisSplit split) {
            this.split = split;
            this.after = nextCheckpoint - 1;
        }
    }

    private static final class Checkpoint {

        private final long id;
        private final EnumeratorState state;
        private final List<SimulatedReader> readers = new ArrayList<>();

        private Checkpoint(long id, EnumeratorState state) {
            this.id = id;
            this.state = state;
        }
    }
}
