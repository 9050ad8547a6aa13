package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.event.CoveredEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** From the content to the changes: only where one checkpoint covers the whole of the content. */
class HandOverTest {

    private static final long START = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(START + 300);

    @Test
    void theChangesBeginWhereACheckpointCoversTheContent() {
        SimulatedJob job = job(2, 3).begin();
        job.finishSnapshot();
        job.pass(60_000);
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
        job.pass(10_000);
        job.readAll();
        job.emitted.assertComplete(START, START + 70_000);
    }

    /** Of what the content shows, all is below the second after its end. */
    @Test
    void netChangesBeginBehindTheEndOfTheContent() {
        SimulatedJob job = job(1, 1).begin();
        job.finishSnapshot();
        job.pass(60_000);
        job.checkpointDone();
        assertThat(job.state().changelog().netFromMillis()).as("not over yet then").isEmpty();
        long netFrom = START + 61_000;
        assertThat(job.readers.get(0).bound.netFromMillis()).isEqualTo(netFrom);
        job.pass(30_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 90_000);
        assertThat(job.readers.get(0).bound.netFromMillis()).isEqualTo(netFrom);
        job.checkpointDone();
        assertThat(job.state().changelog().netFromMillis()).hasValue(netFrom);
        job.failAll(1);
        job.pass(30_000);
        assertThat(job.readers.get(0).bound.netFromMillis()).isEqualTo(netFrom);
    }

    /** The state decides, not the mode that the option has by then. */
    @Test
    void netChangesBeginBehindTheContentAlsoWhereTheModeIsAnotherAtTheRestore() {
        SimulatedJob job = job(1, 1).begin();
        job.finishSnapshot();
        job.checkpointDone();
        EnumeratorState state = job.state();
        SimulatedJob other =
                new SimulatedJob(service, ChangelogScans.scan("source.scan.mode", "latest"), 1)
                        .withSnapshotSplits(1);
        other.beginCoordinator(state);
        other.beginReader(0, new SimulatedReader(other, 0));
        other.settle();
        other.pass(30_000);
        other.checkpointDone();
        assertThat(other.held()).containsExactly(Map.entry("slice-hash-1-0", START));
        assertThat(other.readers.get(0).bound.netFromMillis()).isEqualTo(START + 31_000);
    }

    @Test
    void aSplitThatWaitsInTheCheckpointHoldsItUp() {
        SimulatedJob job = job(1, 2).begin();
        long checkpoint = job.checkpoint();
        job.finishSnapshot();
        job.complete(checkpoint);
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void aSplitThatIsOpenInTheCheckpointHoldsItUp() {
        SimulatedJob job = job(2, 2).begin();
        job.finishSnapshotSplit(0);
        long checkpoint = job.checkpoint();
        job.finishSnapshotSplit(1);
        job.complete(checkpoint);
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void aCheckpointBeforeThePlanHoldsNothingUpAndCoversNothing() {
        SimulatedJob job = job(1, 2);
        job.beginCoordinator(null);
        job.beginReader(0, new SimulatedReader(job, 0));
        EnumeratorState unplanned = job.enumerator.snapshotState(1);
        assertThat(unplanned.planned()).isFalse();
        job.settle();
        job.enumerator.handleSourceEvent(0, new CoveredEvent(1, Map.of(), 0));
        job.settle();
        assertThat(job.held()).isEmpty();
        assertThat(job.readers.get(0).snapshotSplits).hasSize(1);
    }

    @Test
    void aCheckpointThatIsNotCompleteCoversNothing() {
        SimulatedJob job = job(1, 1).begin();
        job.finishSnapshot();
        long aborted = job.checkpoint();
        job.enumerator.notifyCheckpointAborted(aborted);
        job.settle();
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void aLostReportWaitsForTheNextCheckpoint() {
        SimulatedJob job = job(2, 2).begin();
        job.finishSnapshot();
        job.checkpointDone(1);
        assertThat(job.held()).isEmpty();
        job.checkpointDone(0);
        assertThat(job.held()).as("the two reports are of different checkpoints").isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void aReportOfASubtaskThatBeganAnewIsForgotten() {
        SimulatedJob job = job(2, 2).begin();
        job.finishSnapshot();
        long checkpoint = job.checkpoint();
        job.complete(checkpoint, 1);
        job.failSubtask(0);
        job.enumerator.handleSourceEvent(1, new CoveredEvent(checkpoint, Map.of(), 0));
        job.settle();
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void aRegionThatFailsInTheSnapshotPhaseReadsItsSplitsAgainFirst() {
        SimulatedJob job = job(2, 4).begin();
        job.finishSnapshotSplit(0);
        job.checkpointDone();
        job.finishSnapshot();
        job.failSubtask(0);
        long checkpoint = job.checkpoint();
        job.complete(checkpoint);
        assertThat(job.held()).as("splits are open again").isEmpty();
        job.finishSnapshot();
        job.checkpointDone();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
    }

    @Test
    void splitsThatComeBackGoToReadersThatWait() {
        SimulatedJob job = job(2, 2).begin();
        job.finishSnapshotSplit(0);
        job.failSubtask(1);
        assertThat(job.readers.stream().mapToInt(reader -> reader.snapshotSplits.size()).sum())
                .isEqualTo(1);
        assertThat(job.readers.get(0).snapshotSplits).hasSize(1);
    }

    @Test
    void aCoordinatorThatBeginsAnewAfterTheHandOverHandsOverAgain() {
        SimulatedJob job = job(2, 2).begin();
        job.finishSnapshot();
        job.checkpointDone();
        job.pass(10_000);
        job.readAll();
        assertThat(job.held()).hasSize(1);
        job.failAll(2);
        assertThat(job.held()).as("the checkpoint is from before it").isEmpty();
        job.checkpointDone();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
        job.pass(10_000);
        job.readAll();
        job.emitted.assertComplete(START, START + 20_000);
    }

    @Test
    void theSnapshotPhaseIsRescaled() {
        SimulatedJob job = job(1, 6).begin();
        job.finishSnapshotSplit(0);
        job.checkpointDone();
        job.failAll(4);
        assertThat(job.state().changelog().startMillis()).hasValue(START);
        job.finishSnapshotSplit(2);
        job.checkpointDone();
        job.failAll(2);
        job.finishSnapshot();
        job.checkpointDone();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
        assertThat(service.asked("position"))
                .as("T0 is taken once; the other one is the first poll")
                .isEqualTo(2);
    }

    @Test
    void withoutCheckpointsTheChangesBeginWhenAllReadersAreIdle() {
        SimulatedJob job = job(OptionalLong.of(0), 2, 3).begin();
        job.finishSnapshotSplit(0);
        job.finishSnapshotSplit(0);
        assertThat(job.held()).as("subtask 1 still reads").isEmpty();
        job.finishSnapshotSplit(1);
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
    }

    @Test
    void withoutCheckpointsAnEmptyTableBeginsWithTheNextPoll() {
        SimulatedJob job = job(OptionalLong.of(0), 2, 0).begin();
        job.pass(10_000);
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void withoutCheckpointsEverythingComesBackWhenAReaderFails() {
        SimulatedJob job = job(OptionalLong.of(0), 1, 2).begin();
        job.finishSnapshot();
        job.pass(10_000);
        job.readAll();
        job.failSubtask(0);
        assertThat(job.readers.get(0).snapshotSplits)
                .as("a reader that has slices does not ask for the next one")
                .hasSize(2);
        job.readAll();
        job.emitted.assertComplete(START, START + 10_000);
    }

    @Test
    void whereTheIntervalIsNotKnownTenQuietMinutesDecide() {
        SimulatedJob job = job(OptionalLong.empty(), 1, 1).begin();
        job.finishSnapshot();
        for (int poll = 0; poll < 59; poll++) {
            job.pass(10_000);
        }
        assertThat(job.held()).isEmpty();
        job.pass(10_000);
        job.pass(10_000);
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
    }

    @Test
    void whereTheIntervalIsNotKnownACheckpointIsWaitedFor() {
        SimulatedJob job = job(OptionalLong.empty(), 1, 1).begin();
        job.finishSnapshot();
        for (int poll = 0; poll < 200; poll++) {
            if (poll % 50 == 0) {
                job.checkpoint();
            }
            job.pass(10_000);
        }
        assertThat(job.held()).isEmpty();
        job.checkpointDone();
        assertThat(job.held()).hasSize(1);
    }

    @Test
    void nothingIsPublishedWhileTheContentIsRead() {
        SimulatedJob job =
                new SimulatedJob(
                                service,
                                ChangelogScans.publishing("source.scan.mode", "initial"),
                                2)
                        .withSnapshotSplits(2)
                        .begin();
        job.checkpointDone();
        job.finishSnapshot();
        job.pass(10_000);
        job.checkpointDone();
        job.pass(10_000);
        assertThat(service.offsets.written).isEmpty();
        job.checkpointDone();
        job.pass(10_000);
        assertThat(service.offsets.written).containsExactly(START);
        job.readAll();
        job.checkpointDone();
        job.pass(10_000);
        assertThat(service.offsets.written).containsExactly(START, START + 30_000);
        assertThat(job.context.metric("offsetPublishedTimestamp")).isEqualTo(START + 30_000);
        assertThat(job.context.metric("offsetPublishLagMs")).isZero();
        assertThat(job.context.metric("offsetPublishFailures")).isZero();
        assertThat(job.context.metric("snapshotSplitsTotal")).isEqualTo(2);
    }

    @Test
    void aRegionThatFailsBeforeTheOffsetIsWrittenChangesNothingOfIt() {
        SimulatedJob job =
                new SimulatedJob(
                                service, ChangelogScans.publishing("source.scan.mode", "latest"), 1)
                        .begin();
        service.offsets.hold = true;
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.pass(10_000);
        job.readAll();
        job.failSubtask(0);
        service.offsets.hold = false;
        job.pass(0);
        assertThat(service.offsets.written)
                .as("what the completed checkpoint covers, not what was read since")
                .containsExactly(START + 10_000);
        job.readAll();
        job.checkpointDone();
        job.pass(0);
        assertThat(service.offsets.written).containsExactly(START + 10_000, START + 20_000);
        job.emitted.assertComplete(START, START + 20_000);
    }

    @Test
    void aWriteThatFailsNeitherFailsNorDelaysCheckpoints() {
        SimulatedJob job =
                new SimulatedJob(
                                service, ChangelogScans.publishing("source.scan.mode", "latest"), 1)
                        .begin();
        service.offsets.writeFailure = new IOException("refused");
        for (int round = 0; round < 6; round++) {
            job.pass(10_000);
            job.readAll();
            job.checkpointDone();
        }
        assertThat(service.offsets.written).isEmpty();
        assertThat(job.context.metric("offsetPublishFailures")).isGreaterThan(2);
        service.offsets.writeFailure = null;
        job.pass(60_000);
        job.pass(1000);
        assertThat(service.offsets.written).containsExactly(START + 60_000);
    }

    @Test
    void theLastCheckpointIsPublishedWhenTheJobEnds() {
        SimulatedJob job =
                new SimulatedJob(
                                service, ChangelogScans.publishing("source.scan.mode", "latest"), 1)
                        .begin();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.enumerator.close();
        assertThat(service.offsets.written).containsExactly(START + 10_000);
        assertThat(service.closed).isTrue();
    }

    @Test
    void checkpointsThatNeverCompleteAreForgotten() {
        CoveredReports reports = new CoveredReports();
        for (long checkpoint = 1; checkpoint <= 10_000; checkpoint++) {
            reports.taken(checkpoint, 1, Set.of());
        }
        assertThat(reports.size()).isLessThanOrEqualTo(16);
    }

    @Test
    void aSliceThatWaitsInTheEnumeratorIsInTheCheckpointToo() {
        CoveredReports reports = new CoveredReports();
        reports.taken(1, 0, Set.of("former"));
        reports.report(1, 0, 0, Set.of(), 1);
        assertThat(reports.coversEndOf(Set.of("former"), 1, 1)).isFalse();
        reports.taken(2, 0, Set.of("present"));
        assertThat(reports.coversEndOf(Set.of("former"), 2, 1)).as("not reported").isFalse();
        reports.report(2, 0, 0, Set.of("present"), 1);
        assertThat(reports.coversEndOf(Set.of("former"), 2, 1)).isTrue();
        reports.taken(3, 0, Set.of());
        reports.report(3, 0, 0, Set.of("former"), 1);
        assertThat(reports.coversEndOf(Set.of("former"), 3, 1)).isFalse();
        assertThat(reports.coversEndOf(Set.of("former"), 4, 1)).as("not taken").isFalse();
    }

    private SimulatedJob job(int parallelism, int splits) {
        return job(OptionalLong.of(10_000), parallelism, splits);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1000})
    void changesAreNotFollowedBehindAContentThatLostTablets(long checkpointInterval) {
        SimulatedJob job = job(OptionalLong.of(checkpointInterval), 2, 2).begin();
        job.rewritten = true;
        assertThatThrownBy(
                        () -> {
                            job.finishSnapshot();
                            job.checkpointDone();
                        })
                .hasMessageContaining("has no tablet")
                .hasMessageContaining("start the job anew");
        EnumeratorState state = job.enumerator.snapshotState(99);
        assertThat(state.changelog().phase()).isEqualTo(EnumeratorState.Phase.SNAPSHOT);
        assertThat(state.tablets()).as("looked for after a restore too").hasSize(2);
    }

    @Test
    void tabletsAreForgottenOnceChangesAreFollowed() {
        SimulatedJob job = job(OptionalLong.of(1000), 2, 2).begin();
        job.finishSnapshot();
        job.checkpointDone();
        assertThat(job.state().tablets()).hasSize(2);
        job.checkpointDone();
        assertThat(job.state().changelog().phase()).isEqualTo(EnumeratorState.Phase.CHANGELOG);
        assertThat(job.state().tablets()).isEmpty();
    }

    private SimulatedJob job(OptionalLong interval, int parallelism, int splits) {
        ScanConfig scan = ChangelogScans.scan(interval, "source.scan.mode", "initial");
        return new SimulatedJob(service, scan, parallelism).withSnapshotSplits(splits);
    }
}
