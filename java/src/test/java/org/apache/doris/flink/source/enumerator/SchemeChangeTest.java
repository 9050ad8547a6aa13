package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.OptionalLong;

/** Another slice scheme at a restore: no key is read twice, left out or overtaken by itself. */
class SchemeChangeTest {

    private static final long START = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(START + 300);

    @BeforeEach
    void partitions() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1", 102L, "p2"));
    }

    @Test
    void oneSliceBecomesFourBehindACheckpoint() {
        SimulatedJob job = followed(2, "1");
        job.scan = scan("4");
        job.failAll(2);
        assertThat(job.held()).as("it had read to the end, hence it left").isEmpty();
        job.pass(10_000);
        job.readAll();
        assertThat(job.held()).as("left, but not yet covered").isEmpty();
        job.pass(10_000);
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held())
                .containsOnlyKeys(
                        "slice-hash-4-0", "slice-hash-4-1", "slice-hash-4-2", "slice-hash-4-3")
                .containsValue(START + 20_000);
        finish(job, START + 40_000);
    }

    @Test
    void slicesLeaveAtTheFurthestOfThemAndWindowsKeepTheirBorders() {
        SimulatedJob job = followed(2, "2");
        job.pass(30_000);
        SimulatedReader reader = job.readers.get(0);
        SimulatedReader.Slice slice = reader.slices.values().iterator().next();
        reader.open(slice, START + 35_000);
        job.checkpointDone();
        job.scan = scan("3");
        job.failAll(2);
        assertThat(job.readers)
                .allSatisfy(each -> assertThat(each.bound.lastMillis()).hasValue(START + 35_000));
        job.pass(10_000);
        job.readAll();
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(3).containsValue(START + 35_000);
        finish(job, START + 60_000);
    }

    @Test
    void noBoundIsSentBeforeAllReadersHaveSaidWhatTheyHold() {
        SimulatedJob job = followed(2, "2");
        EnumeratorState state = job.state();
        job.scan = scan("4");
        job.parallelism = 2;
        SimulatedReader zero = job.readers.get(0);
        SimulatedReader one = job.readers.get(1);
        job.beginCoordinator(state);
        job.settle();
        long asked = service.asked("position");
        job.beginReader(0, zero);
        job.pass(10_000);
        assertThat(service.asked("position")).isEqualTo(asked);
        assertThat(job.context.events).isEmpty();
        ChangelogState unsettled = job.enumerator.snapshotState(50).changelog();
        assertThat(unsettled.formerScheme()).isEqualTo(SliceScheme.hash(2));
        assertThat(unsettled.lastMillis()).isEmpty();
        job.beginReader(1, one);
        job.settle();
        ChangelogState settled = job.enumerator.snapshotState(51).changelog();
        assertThat(settled.scheme()).isEqualTo(SliceScheme.hash(4));
        assertThat(settled.formerScheme()).isEqualTo(SliceScheme.hash(2));
        assertThat(settled.lastMillis()).hasValue(START + 20_000);
    }

    @Test
    void aSubtaskThatStillHoldsAFormerSliceInTheCheckpointHoldsUpTheNewOnes() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("4");
        job.pass(10_000);
        SimulatedReader ahead = job.readers.get(0);
        ahead.readToBound();
        job.checkpointDone();
        job.failAll(2);
        job.deliver();
        job.readers.get(0).readToBound();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
        job.readers.get(1).readToBound();
        job.checkpointDone(1);
        assertThat(job.held()).as("a report is lost").isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(4);
        finish(job, START + 50_000);
    }

    @Test
    void aFailureOfOneReaderInTheMiddleOfTheMove() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("4");
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.failSubtask(1);
        assertThat(job.held()).as("back from before it left").isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(4);
        job.failSubtask(0);
        finish(job, START + 50_000);
    }

    @Test
    void aCoordinatorThatBeginsAnewKeepsThePointOfLeaving() {
        SimulatedJob job = followed(2, "2");
        job.pass(10_000);
        job.readers.get(0).readToBound();
        job.checkpointDone();
        job.scan = scan("4");
        job.failAll(2);
        job.readers.get(0).readToBound();
        job.checkpointDone();
        assertThat(job.state().changelog().lastMillis()).hasValue(START + 30_000);
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        assertThat(job.held()).hasSize(4).containsValue(START + 30_000);
        finish(job, START + 60_000);
    }

    @Test
    void backToTheFormerSchemeInTheMiddleOfTheMove() {
        SimulatedJob job = followed(2, "2");
        job.pass(10_000);
        job.readers.get(0).readToBound();
        job.checkpointDone();
        job.scan = scan("4");
        job.failAll(2);
        job.readAll();
        assertThat(job.held()).isEmpty();
        job.checkpoint();
        job.readers.forEach(reader -> assertThat(reader.slices).isEmpty());
        job.scan = scan("2");
        job.failAll(2);
        assertThat(job.held()).as("nothing had left in a completed checkpoint").hasSize(2);
        finish(job, START + 50_000);
    }

    @Test
    void backToTheFormerSchemeWhenSomeSlicesHaveLeft() {
        for (String slices : new String[] {"2", "partitions"}) {
            SimulatedJob job = followed(2, slices);
            job.pass(10_000);
            job.readers.get(0).readToBound();
            job.checkpointDone();
            job.scan = scan("4");
            job.failAll(2);
            job.readers.get(0).readToBound();
            long completed = job.checkpointDone();
            assertThat(completed).isPositive();
            job.scan = scan(slices);
            job.failAll(1);
            job.pass(10_000);
            assertThat(job.held()).hasSize(slices.equals("2") ? 2 : 3);
            long end = service.position / 1000 * 1000 + 20_000;
            finish(job, end);
        }
    }

    @Test
    void aThirdSchemeInTheMiddleOfTheMove() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("4");
        job.failAll(2);
        job.readers.get(0).readToBound();
        job.checkpointDone();
        job.scan = scan("partitions");
        job.failAll(3);
        job.readAll();
        job.checkpointDone();
        job.pass(10_000);
        assertThat(job.held())
                .containsOnlyKeys(
                        "slice-partition-100", "slice-partition-101", "slice-partition-102");
        finish(job, START + 50_000);
    }

    @Test
    void hashToPartitionsAndBack() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("partitions");
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        service.partitions.put(700L, "late");
        job.pass(10_000);
        assertThat(job.held()).hasSize(4).containsEntry("slice-partition-700", START + 20_000);
        service.partitions.remove(700L);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.scan = scan("1");
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        assertThat(job.held()).containsOnlyKeys("slice-hash-1-0");
        assertThat(job.enumerator.snapshotState(99).changelog().partitions()).isEmpty();
        finish(job, START + 70_000);
    }

    @Test
    void aPartitionThatGoesInTheMiddleOfTheMove() {
        SimulatedJob job = followed(2, "partitions");
        job.scan = scan("2");
        job.failAll(2);
        service.partitions.remove(100L);
        service.partitions.put(800L, "new");
        job.pass(10_000);
        assertThat(job.held().keySet()).doesNotContain("slice-partition-100");
        job.readAll();
        job.checkpointDone();
        assertThat(job.held()).containsOnlyKeys("slice-hash-2-0", "slice-hash-2-1");
    }

    @Test
    void theOffsetNeverRunsAheadOfTheMove() {
        SimulatedJob job = new SimulatedJob(service, publishing("2"), 2).begin();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.context.tick();
        assertThat(service.offsets.row).hasValue(START + 10_000);
        job.scan = publishing("4");
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.checkpointDone();
        job.pass(10_000);
        assertThat(service.offsets.row).hasValue(START + 10_000);
        job.readAll();
        job.checkpointDone();
        job.pass(1000);
        assertThat(service.offsets.row).hasValue(START + 30_000);
    }

    @Test
    void theHashCountsOnlyWhileThereAreSlicesByIt() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("1");
        job.failAll(2);
        assertThat(job.enumerator.snapshotState(50).changelog().probeHash()).hasValue(-77);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        assertThat(job.held()).containsOnlyKeys("slice-hash-1-0");
        service.hash = 5;
        for (int poll = 0; poll < 10; poll++) {
            job.pass(10_000);
        }
        job.readAll();
        job.checkpointDone();
        assertThat(job.state().changelog().probeHash()).isEmpty();
        job.scan = scan("3");
        job.failAll(2);
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        assertThat(job.held()).hasSize(3);
        assertThat(job.enumerator.snapshotState(60).changelog().probeHash()).hasValue(5);
    }

    @Test
    void formerSlicesNeedTheirHashToo() {
        SimulatedJob job = followed(2, "2");
        job.scan = scan("1");
        service.hash = 5;
        assertThatThrownBy(() -> job.failAll(2)).hasMessageContaining("-77");
    }

    @Test
    void withoutCheckpointsTheOptionCannotBeChanged() {
        SimulatedJob job = followed(2, "2");
        job.scan =
                ChangelogScans.scan(
                        OptionalLong.of(0),
                        "source.scan.mode",
                        "latest",
                        "source.changelog.slices",
                        "4");
        assertThatThrownBy(() -> job.failAll(2))
                .hasMessageContaining("source.changelog.slices")
                .hasMessageContaining("hash/2")
                .hasMessageContaining("hash/4")
                .hasMessageContaining("checkpoint");
    }

    @Test
    void inTheSnapshotPhaseTheNewSchemeSimplyCounts() {
        SimulatedJob job =
                new SimulatedJob(
                                service,
                                ChangelogScans.scan(
                                        "source.scan.mode", "initial",
                                        "source.changelog.slices", "2"),
                                1)
                        .withSnapshotSplits(2)
                        .begin();
        job.checkpointDone();
        job.scan =
                ChangelogScans.scan("source.scan.mode", "initial", "source.changelog.slices", "3");
        job.failAll(1);
        job.finishSnapshot();
        job.checkpointDone();
        assertThat(job.held()).hasSize(3).containsValue(START);
    }

    private SimulatedJob followed(int parallelism, String slices) {
        service.position = START + 300;
        SimulatedJob job = new SimulatedJob(service, scan(slices), parallelism).begin();
        job.pass(10_000);
        job.readAll();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        return job;
    }

    private static void finish(SimulatedJob job, long end) {
        job.pass(end - job.service.position / 1000 * 1000);
        for (int round = 0; round < 4; round++) {
            job.readAll();
            job.checkpointDone();
            job.pass(0);
        }
        job.readAll();
        job.emitted.assertComplete(START, end);
    }

    private static ScanConfig scan(String slices) {
        return ChangelogScans.scan("source.scan.mode", "latest", "source.changelog.slices", slices);
    }

    private static ScanConfig publishing(String slices) {
        return ChangelogScans.publishing(
                "source.scan.mode", "latest", "source.changelog.slices", slices);
    }
}
