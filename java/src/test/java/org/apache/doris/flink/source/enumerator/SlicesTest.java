package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Slices of one scheme: who gets them, and partitions that come and go. */
class SlicesTest {

    private static final long START = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(START + 300);

    @Test
    void slicesAreSpreadEvenlyOverAllReaders() {
        SimulatedJob job = job(4, "7").begin();
        assertThat(job.readers)
                .extracting(reader -> reader.slices.size())
                .containsExactlyInAnyOrder(2, 2, 2, 1);
        assertThat(job.held())
                .hasSize(7)
                .allSatisfy((id, next) -> assertThat(next).isEqualTo(START));
    }

    @Test
    void nothingIsAssignedBeforeAllReadersAreThere() {
        SimulatedJob job = job(3, "3");
        job.beginCoordinator(null);
        job.settle();
        job.beginReader(0, new SimulatedReader(job, 0));
        job.beginReader(2, new SimulatedReader(job, 2));
        assertThat(job.context.allAssigned()).isEmpty();
        assertThat(job.enumerator.snapshotState(1).unassigned()).hasSize(3);
        job.beginReader(1, new SimulatedReader(job, 1));
        job.deliver();
        assertThat(job.readers).extracting(reader -> reader.slices.size()).containsOnly(1);
        assertThat(job.enumerator.snapshotState(2).unassigned()).isEmpty();
    }

    @Test
    void aReaderThatHasNotSaidWhatItHoldsHoldsUpNewSlices() {
        SimulatedJob job = job(2, "2");
        job.beginCoordinator(null);
        job.settle();
        job.beginReader(0, new SimulatedReader(job, 0));
        job.context.register(1);
        job.enumerator.addReader(1);
        assertThat(job.context.allAssigned()).isEmpty();
        job.readers.set(1, new SimulatedReader(job, 1));
        job.enumerator.handleSourceEvent(1, new HeldSlicesEvent(List.of()));
        job.deliver();
        assertThat(job.held()).hasSize(2);
    }

    @Test
    void aSliceComesBackToItsSubtaskAndNoOther() {
        SimulatedJob job = job(3, "3").begin();
        List<String> before = List.copyOf(job.readers.get(1).slices.keySet());
        job.pass(10_000);
        job.readAll();
        job.failSubtask(1);
        assertThat(job.readers.get(1).slices.keySet()).containsExactlyElementsOf(before);
        job.readAll();
        job.emitted.assertComplete(START, START + 10_000);

        job.checkpointDone();
        job.pass(10_000);
        job.readAll();
        job.failSubtask(1);
        assertThat(job.readers.get(1).slices.keySet()).containsExactlyElementsOf(before);
        job.readAll();
        job.emitted.assertComplete(START, START + 20_000);
    }

    @Test
    void aReaderThatIsAwayGetsItsSliceWhenItIsBack() {
        SimulatedJob job = job(2, "2").begin();
        job.context.readers.remove(1);
        SimulatedReader.Slice lost = job.readers.get(1).slices.values().iterator().next();
        job.enumerator.addSplitsBack(List.of(slice(lost.scheme, lost.number)), 1);
        job.pass(10_000);
        assertThat(job.context.assignedTo(1)).isEmpty();
        assertThat(job.enumerator.snapshotState(1).unassigned()).hasSize(1);
        job.beginReader(1, new SimulatedReader(job, 1));
        job.deliver();
        assertThat(job.held()).hasSize(2);
    }

    @Test
    void oneOfTwoThatComesBackGetsItsOwnSliceOnly() {
        SimulatedJob job = job(3, "3").begin();
        Map<Integer, List<String>> before = new HashMap<>();
        for (int subtask : new int[] {1, 2}) {
            List<DorisSplit> back = new ArrayList<>();
            for (SimulatedReader.Slice slice : job.readers.get(subtask).slices.values()) {
                back.add(slice(slice.scheme, slice.number));
            }
            before.put(subtask, List.copyOf(job.readers.get(subtask).slices.keySet()));
            job.context.readers.remove(subtask);
            job.enumerator.addSplitsBack(back, subtask);
        }
        for (int subtask : new int[] {2, 1}) {
            job.beginReader(subtask, new SimulatedReader(job, subtask));
            job.deliver();
            assertThat(job.readers.get(subtask).slices.keySet())
                    .containsExactlyElementsOf(before.get(subtask));
        }
    }

    @Test
    void aNewSliceWaitsForAReaderThatHasNotSaidWhatItHolds() {
        service.partitions.put(100L, "p0");
        SimulatedJob job = job(2, "partitions").begin();
        job.checkpointDone();
        job.context.readers.remove(1);
        job.enumerator.addSplitsBack(List.of(), 1);
        job.context.register(1);
        job.enumerator.addReader(1);
        service.partitions.put(200L, "p1");
        job.pass(10_000);
        assertThat(job.enumerator.snapshotState(9).unassigned()).hasSize(1);
        job.beginReader(1, new SimulatedReader(job, 1));
        job.deliver();
        assertThat(job.readers.get(1).slices).containsOnlyKeys("slice-partition-200");
    }

    @Test
    void everyPartitionIsASliceFromTheStartOn() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1", 102L, "p2"));
        SimulatedJob job = job(2, "partitions").begin();
        assertThat(job.held())
                .containsOnly(
                        Map.entry("slice-partition-100", START),
                        Map.entry("slice-partition-101", START),
                        Map.entry("slice-partition-102", START));
        for (int round = 0; round < 3; round++) {
            job.pass(10_000);
            job.readAll();
        }
        job.emitted.assertComplete(START, START + 30_000);
        assertThat(service.asked("partitions")).isEqualTo(4);
    }

    @Test
    void withNothingNewPartitionsAreNotListed() {
        service.partitions.put(100L, "p0");
        SimulatedJob job = job(1, "partitions").begin();
        for (int poll = 0; poll < 20; poll++) {
            job.clock += 10_000;
            job.context.tick();
        }
        assertThat(service.asked("partitions")).isEqualTo(1);
    }

    @Test
    void aNewPartitionBeginsAtTheBoundOfTheListingThatLacksIt() {
        service.partitions.put(100L, "p0");
        SimulatedJob job = job(1, "partitions").begin();
        job.pass(10_000);
        job.pass(10_000);
        service.partitions.put(200L, "p1");
        job.pass(10_000);
        assertThat(job.held()).containsEntry("slice-partition-200", START + 20_000);
        assertThat(job.enumerator.snapshotState(1).changelog().partitions())
                .containsExactly(Map.entry(100L, START), Map.entry(200L, START + 20_000));
    }

    @Test
    void aListingThatFailsMovesNoBoundSoThatNoNewPartitionIsMissed() {
        service.partitions.put(100L, "p0");
        SimulatedJob job = job(1, "partitions").begin();
        job.pass(10_000);
        service.partitionsFailure = new NativeException(ErrorCode.TRANSPORT, "no master");
        service.partitions.put(200L, "p1");
        job.pass(10_000);
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 10_000);
        service.partitionsFailure = null;
        job.pass(10_000);
        assertThat(job.held()).containsEntry("slice-partition-200", START + 10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 40_000);
    }

    @Test
    void aPartitionMadeAnewUnderItsNameIsAnother() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1"));
        SimulatedJob job = job(2, "partitions").begin();
        job.pass(10_000);
        service.partitions.remove(100L);
        service.partitions.put(300L, "p0");
        job.pass(10_000);
        assertThat(job.held())
                .containsOnlyKeys("slice-partition-101", "slice-partition-300")
                .containsEntry("slice-partition-300", START + 10_000);
        assertThat(job.readers.get(0).gone).containsExactly("slice-partition-100");
        assertThat(job.context.metric("changelogSlicesGone")).isEqualTo(1);
        assertThat(job.enumerator.snapshotState(1).changelog().covered())
                .containsOnlyKeys("slice-partition-101", "slice-partition-300");
    }

    @Test
    void aPartitionThatWentWhileAReaderWasAwayIsToldWhenItIsBack() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1"));
        SimulatedJob job = job(2, "partitions").begin();
        job.pass(10_000);
        job.checkpointDone();
        service.partitions.remove(100L);
        job.pass(10_000);
        job.failSubtask(0);
        assertThat(job.readers.get(0).gone).containsExactly("slice-partition-100");
        assertThat(job.held()).containsOnlyKeys("slice-partition-101");
    }

    @Test
    void aGonePartitionThatNoReaderHadYetIsDropped() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1"));
        SimulatedJob job = job(2, "partitions").begin();
        service.partitions.remove(100L);
        job.pass(10_000);
        job.failSubtask(0);
        assertThat(job.held()).containsOnlyKeys("slice-partition-101");
    }

    @Test
    void partitionsThatGoReturnNothingToTheSlowestProgress() {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1"));
        SimulatedJob job = job(1, "partitions").begin();
        job.pass(10_000);
        SimulatedReader reader = job.readers.get(0);
        reader.read(reader.slices.get("slice-partition-101"), Long.MAX_VALUE);
        job.checkpointDone();
        assertThat(job.enumerator.snapshotState(7).changelog().covered())
                .containsExactly(
                        Map.entry("slice-partition-100", START),
                        Map.entry("slice-partition-101", START + 10_000));
        service.partitions.remove(100L);
        job.pass(10_000);
        assertThat(job.enumerator.snapshotState(8).changelog().covered())
                .containsExactly(Map.entry("slice-partition-101", START + 10_000));
    }

    @Test
    void anotherHashOfTheServerIsAnError() {
        SimulatedJob job = job(1, "4").begin();
        job.checkpointDone();
        service.hash = 5;
        assertThatThrownBy(() -> job.failAll(1))
                .hasMessageContaining("-77")
                .hasMessageContaining("5")
                .hasMessageContaining("initial");
    }

    @Test
    void anotherHashWhileReadingIsAnErrorToo() {
        SimulatedJob job = job(1, "4").begin();
        service.hash = 5;
        assertThatThrownBy(() -> job.pass(10_000)).hasMessageContaining("-77");
    }

    @Test
    void aSliceThatNobodyHasAfterARestoreIsReadFromWhereItIsCovered() {
        SimulatedJob job = job(2, "2").begin();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.checkpointDone();
        EnumeratorState state = job.state();
        assertThat(state.changelog().covered()).containsValue(START + 10_000);
        job.beginCoordinator(state);
        job.beginReader(0, new SimulatedReader(job, 0));
        job.beginReader(1, new SimulatedReader(job, 1));
        job.settle();
        assertThat(job.held())
                .containsOnly(
                        Map.entry("slice-hash-2-0", START + 10_000),
                        Map.entry("slice-hash-2-1", START + 10_000));
    }

    private static DorisSplit slice(SliceScheme scheme, long number) {
        return DorisSplit.slice(
                scheme.splitId(number),
                new ChangelogProgress(scheme, number, START, null, null, 0));
    }

    private SimulatedJob job(int parallelism, String slices) {
        return new SimulatedJob(
                service,
                ChangelogScans.scan(
                        OptionalLong.of(10_000),
                        "source.scan.mode",
                        "latest",
                        "source.changelog.slices",
                        slices),
                parallelism);
    }
}
