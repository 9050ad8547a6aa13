package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** What of a job may be changed at a restore, and what the saved state then means. */
class ChangelogRestoreTest {

    private static final long START = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(START + 300);

    @ParameterizedTest
    @CsvSource({
        "latest,initial",
        "latest,from-timestamp",
        "initial,latest",
        "initial,from-timestamp",
        "from-timestamp,initial",
        "from-timestamp,latest"
    })
    void anotherIncrementalScanModeIsForNewConsumersOnly(String before, String after) {
        service.instant = START;
        SimulatedJob job = new SimulatedJob(service, scan(before), 1).begin();
        job.checkpointDone();
        job.checkpointDone();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.scan = scan(after);
        job.failAll(1);
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START + 10_000));
        assertThat(job.enumerator.snapshotState(9).scanMode().option()).isEqualTo(before);
    }

    @Test
    void theContentIsReadToItsEndWhateverTheScanModeSaysNow() {
        SimulatedJob job =
                new SimulatedJob(service, scan("initial"), 1).withSnapshotSplits(3).begin();
        job.finishSnapshotSplit(0);
        job.checkpointDone();
        job.scan = scan("latest");
        service.position += 3_600_000;
        job.failAll(1);
        assertThat(job.readers.get(0).snapshotSplits)
                .singleElement()
                .satisfies(split -> assertThat(split.fenceMillis()).hasValue(START));
        job.finishSnapshot();
        job.checkpointDone();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", START));
    }

    @ParameterizedTest
    @ValueSource(strings = {"initial", "latest", "from-timestamp"})
    void toAndFromSnapshotIsAnErrorThatNamesBoth(String mode) {
        SimulatedJob job = new SimulatedJob(service, scan(mode), 1).begin();
        job.checkpointDone();
        job.scan = scan("snapshot");
        assertThatThrownBy(() -> job.failAll(1))
                .hasMessageContaining("'source.scan.mode' = '" + mode + "'")
                .hasMessageContaining("'snapshot'");

        SimulatedJob content = new SimulatedJob(service, scan("snapshot"), 1).begin();
        EnumeratorState state = content.enumerator.snapshotState(1);
        content.scan = scan(mode);
        assertThatThrownBy(() -> content.beginCoordinator(state))
                .hasMessageContaining("'source.scan.mode' = 'snapshot'")
                .hasMessageContaining("'" + mode + "'");
    }

    @Test
    void anotherTableIsAnError() {
        SimulatedJob job = new SimulatedJob(service, scan("latest"), 1).begin();
        job.checkpointDone();
        job.scan =
                ChangelogScans.scan("source.scan.mode", "latest", "table.identifier", "test.other");
        assertThatThrownBy(() -> job.failAll(1))
                .hasMessageContaining("test.t")
                .hasMessageContaining("test.other");
    }

    @Test
    void anotherConsumerIsWrittenAtTheNextCheckpoint() {
        SimulatedJob job = new SimulatedJob(service, scan("latest"), 1).begin();
        job.pass(10_000);
        job.readAll();
        job.checkpointDone();
        job.scan = ChangelogScans.publishing("source.scan.mode", "latest");
        service.offsets.row = OptionalLong.of(1000);
        job.failAll(1);
        job.pass(1000);
        assertThat(service.offsets.written).isEmpty();
        job.checkpointDone();
        job.pass(1000);
        assertThat(service.offsets.written).containsExactly(START + 10_000);
    }

    @Test
    void whatACheckpointCoversNeverFalls() {
        SliceRegistry slices = new SliceRegistry();
        slices.create(SliceScheme.hash(1), 0, 5000);
        slices.covered(Map.of("slice-hash-1-0", 9000L, "slice-partition-7", 1L));
        slices.covered(Map.of("slice-hash-1-0", 7000L));
        slices.held(
                0,
                List.of(
                        new HeldSlicesEvent.HeldSlice(
                                "slice-hash-1-0",
                                SliceScheme.hash(1),
                                0,
                                6000,
                                OptionalLong.empty())));
        assertThat(slices.covered()).containsExactly(Map.entry("slice-hash-1-0", 9000L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "8", "partitions"})
    void rescalingLosesAndRepeatsNothing(String slices) {
        service.partitions.putAll(Map.of(100L, "p0", 101L, "p1", 102L, "p2"));
        SimulatedJob job =
                new SimulatedJob(
                                service,
                                ChangelogScans.scan(
                                        "source.scan.mode",
                                        "latest",
                                        "source.changelog.slices",
                                        slices),
                                1)
                        .begin();
        int known = job.held().size();
        for (int parallelism : new int[] {4, 2, 1, 3}) {
            job.pass(10_000);
            job.readAll();
            job.checkpointDone();
            job.pass(10_000);
            job.readAll();
            job.failAll(parallelism);
            assertThat(job.held()).hasSize(known);
            job.readAll();
        }
        job.pass(10_000);
        job.readAll();
        job.emitted.assertComplete(START, START + 90_000);
    }

    @Test
    void aJobThatFailsBeforeItsSlicesAreInACheckpointGivesThemOutAgain() {
        SimulatedJob job =
                new SimulatedJob(
                        service,
                        ChangelogScans.scan(
                                "source.scan.mode", "latest", "source.changelog.slices", "4"),
                        2);
        job.beginCoordinator(null);
        job.settle();
        job.beginReader(0, new SimulatedReader(job, 0));
        job.beginReader(1, new SimulatedReader(job, 1));
        job.checkpointDone();
        job.failAll(4);
        assertThat(job.held()).hasSize(4);
        assertThat(job.readers).extracting(reader -> reader.slices.size()).containsOnly(1);
        job.pass(10_000);
        job.readAll();
        job.emitted.assertComplete(START, START + 10_000);
    }

    private static ScanConfig scan(String mode) {
        return mode.equals("from-timestamp")
                ? ChangelogScans.scan(
                        "source.scan.mode", mode, "source.scan.timestamp", "2026-10-09 10:00:00")
                : ChangelogScans.scan("source.scan.mode", mode);
    }
}
