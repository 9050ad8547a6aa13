package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.ScanConfig;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random lives of a job: polls, windows, checkpoints that complete, are lost or are reported in
 * part, readers and coordinators that begin anew, other parallelism and other slices, partitions
 * that appear, a clock that goes back. Each key is read once, without gap and in order, and the
 * offset table never runs ahead of what a completed checkpoint covers, nor backwards.
 */
class FollowSimulationTest {

    private static final long START = 1_791_540_000_000L;
    private static final int SEEDS = Integer.getInteger("doris.seeds", 400);
    private static final int STEPS = 160;
    private static final String[] SLICES = {"1", "2", "3", "5", "partitions"};

    @Test
    void everyKeyIsReadOnceAndInOrder() {
        for (int seed = Integer.getInteger("doris.seed", 0); seed < SEEDS; seed++) {
            try {
                new Life(seed).live();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** One job with all that happens to it. */
    private static final class Life {

        private final Random random;
        private final FakeChangelogService service = new FakeChangelogService(START + 300);
        private final boolean initial;
        private final int splits;
        private final SimulatedJob job;
        private final List<Long> pending = new ArrayList<>();
        private long held;
        private boolean lateKeys;

        private Life(int seed) {
            random = new Random(seed);
            initial = random.nextBoolean();
            splits = initial ? random.nextInt(5) : 0;
            service.partitions.putAll(Map.of(100L, "p0", 101L, "p1", 102L, "p2"));
            job =
                    new SimulatedJob(service, scan(), 1 + random.nextInt(4))
                            .withSnapshotSplits(splits);
            // Keys from 9 on are of a partition that appears later.
            job.partitionOf = key -> key < 9 ? 100 + key % 3 : 500;
            for (long key = 9; key < SimulatedJob.KEYS; key++) {
                job.emitted.born.put(key, Long.MAX_VALUE);
            }
        }

        private void live() {
            job.begin();
            // Before the first checkpoint a restart would start anew, at another position.
            job.checkpointDone();
            for (int step = 0; step < STEPS; step++) {
                step();
                check();
            }
            quiesce();
        }

        private void step() {
            switch (random.nextInt(16)) {
                case 0:
                case 1:
                case 2:
                    job.pass(random.nextInt(20_000));
                    break;
                case 3:
                case 4:
                case 5:
                    readSomething();
                    break;
                case 6:
                case 7:
                    pending.add(job.checkpoint());
                    break;
                case 8:
                case 9:
                case 10:
                    complete();
                    break;
                case 11:
                    job.failSubtask(random.nextInt(job.parallelism));
                    break;
                case 12:
                    restart();
                    break;
                case 13:
                    appear();
                    break;
                case 14:
                    clockBack();
                    break;
                default:
                    job.readAll();
            }
        }

        private void readSomething() {
            job.deliver();
            SimulatedReader reader = job.readers.get(random.nextInt(job.parallelism));
            if (!reader.snapshotSplits.isEmpty()) {
                job.finishSnapshotSplit(reader.subtask);
            }
            for (SimulatedReader.Slice slice : List.copyOf(reader.slices.values())) {
                long end = slice.next + 1000L * (1 + random.nextInt(15));
                if (random.nextBoolean()) {
                    reader.open(slice, end);
                } else {
                    reader.read(slice, end);
                    assertThat(job.emitted.splits())
                            .as("changes before the end of the content")
                            .isEqualTo(splits);
                }
            }
        }

        private void complete() {
            pending.removeIf(checkpoint -> !job.isPending(checkpoint));
            if (pending.isEmpty()) {
                return;
            }
            long checkpoint = pending.get(random.nextInt(pending.size()));
            Integer[] silent =
                    random.nextInt(4) == 0
                            ? new Integer[] {random.nextInt(job.parallelism)}
                            : new Integer[0];
            job.complete(checkpoint, silent);
        }

        private void restart() {
            if (random.nextInt(3) == 0) {
                job.scan = scan();
            }
            job.failAll(1 + random.nextInt(4));
        }

        private void appear() {
            if (!lateKeys) {
                lateKeys = true;
                service.partitions.put(500L, "late");
                for (long key = 9; key < SimulatedJob.KEYS; key++) {
                    job.emitted.born.put(key, service.position);
                }
            }
        }

        private void clockBack() {
            long back = random.nextInt(30_000);
            service.position -= back;
            job.pass(5000);
            service.position += back;
        }

        private void check() {
            for (long key = 0; key < SimulatedJob.KEYS; key++) {
                job.emitted.assertContiguous(key, START);
            }
            if (service.offsets.row.isPresent()) {
                long row = service.offsets.row.getAsLong();
                assertThat(row).isGreaterThanOrEqualTo(held);
                assertThat(row).isLessThanOrEqualTo(job.emitted.coveredBy(job.completed(), START));
                held = row;
            }
        }

        private void quiesce() {
            appear();
            for (int round = 0; round < 12; round++) {
                job.pass(10_000);
                job.finishSnapshot();
                job.readAll();
                job.checkpointDone();
                check();
            }
            job.pass(0);
            job.readAll();
            long end = service.position / 1000 * 1000;
            job.emitted.assertComplete(START, end);
            job.checkpointDone();
            job.pass(0);
            job.pass(0);
            assertThat(service.offsets.row).hasValue(end);
        }

        private ScanConfig scan() {
            return ChangelogScans.publishing(
                    "source.scan.mode",
                    initial ? "initial" : "latest",
                    "source.changelog.slices",
                    SLICES[random.nextInt(SLICES.length)]);
        }
    }
}
