package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.ScanPlans;
import org.apache.doris.flink.sink.writer.CapturedLogs;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Where a job starts that has no state: scan modes, the saved offset, and what refuses a start. */
class ChangelogStartTest {

    private static final long NOW = 1_791_540_000_700L;
    private static final long SECOND = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(NOW);

    @Test
    void initialTakesItsPositionBeforeItPlansAndTheSplitsCarryIt() {
        SimulatedJob job = job("initial").withSnapshotSplits(3);
        job.begin();
        assertThat(service.asked).containsExactly("table", "position");
        assertThat(job.readers.get(0).snapshotSplits)
                .allSatisfy(split -> assertThat(split.fenceMillis()).hasValue(SECOND));
        service.position += 60_000;
        EnumeratorState state = job.enumerator.snapshotState(1);
        assertThat(state.changelog().startMillis()).hasValue(SECOND);
        assertThat(state.changelog().phase()).isEqualTo(EnumeratorState.Phase.SNAPSHOT);
        assertThat(state.unassigned())
                .isNotEmpty()
                .allSatisfy(split -> assertThat(split.fenceMillis()).hasValue(SECOND));
    }

    @Test
    void initialPlansOnlyAfterItsPositionIsKnown() {
        service.positionFailure = new NativeException(ErrorCode.TRANSPORT, "gone");
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        context.register(0);
        DorisEnumerator enumerator =
                new DorisEnumerator(
                        context,
                        scan("initial"),
                        cancelled -> {
                            throw new AssertionError("planned without a position");
                        },
                        service,
                        () -> 0);
        enumerator.start();
        assertThatThrownBy(context::runBackground)
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("test.t")
                .hasMessageContaining("gone");
    }

    @Test
    void latestStartsAtTheWholeSecondOnceAndForAll() {
        SimulatedJob job = job("latest").begin();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND));
        job.pass(5000);
        long checkpoint = job.checkpointDone();
        assertThat(checkpoint).isEqualTo(1);
        assertThat(job.state().changelog().startMillis()).hasValue(SECOND);
        service.position += 3_600_000;
        job.failAll(1);
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND));
    }

    /** Nothing was promised yet: what came in between is before the job's time. */
    @Test
    void aFailureBeforeTheFirstCheckpointFixesLatestAnew() {
        SimulatedJob job = job("latest").begin();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND));
        service.position += 3_600_000;
        SimulatedJob again = job("latest").begin();
        assertThat(again.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND + 3_600_000));
    }

    @Test
    void theStartIsLoggedWithItsZone() {
        service.instant = SECOND - 5_000;
        try (CapturedLogs logs = CapturedLogs.of(ChangelogCoordinator.class)) {
            timestampJob().begin();
            assertThat(logs.lines())
                    .anySatisfy(
                            line ->
                                    assertThat(line)
                                            .startsWith("INFO")
                                            .contains("2026-10-09 10:00:00")
                                            .contains("America/New_York")
                                            .contains("2026-10-09T09:59:55Z"));
        }
    }

    @Test
    void theFirstCheckpointOfLatestWaitsForTheStart() throws Exception {
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        context.register(0);
        DorisEnumerator enumerator = enumerator(context, scan("latest"));
        enumerator.start();
        CompletableFuture<EnumeratorState> state =
                CompletableFuture.supplyAsync(() -> enumerator.snapshotState(1));
        assertThat(state).isNotDone();
        context.runBackground();
        assertThat(state.get(30, TimeUnit.SECONDS).changelog().startMillis()).hasValue(SECOND);
        assertThat(service.asked("table")).isEqualTo(1);
    }

    @Test
    void aCheckpointOfARefusedStartDoesNotHideTheCause() {
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        DorisEnumerator enumerator = enumerator(context, scan("latest"));
        service.tableFailure = new NativeException(ErrorCode.SCHEMA, "no changelog.enable");
        enumerator.start();
        context.runOne();
        // A checkpoint that fails would fail the job too, in words of its own.
        assertThat(enumerator.snapshotState(1).changelog().startMillis()).isEmpty();
        context.register(0);
        assertThatThrownBy(context::runBackground)
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("no changelog.enable");
    }

    @Test
    void aTimestampIsReadInTheAccountsZone() {
        service.instant = SECOND - 86_400_000;
        SimulatedJob job = timestampJob().begin();
        assertThat(service.asked).contains("instant 2026-10-09 10:00:00");
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND - 86_400_000));
    }

    @Test
    void aTimestampEqualToThePositionIsLegalAndALaterOneShowsBothTimes() {
        service.instant = SECOND;
        assertThat(timestampJob().begin().held()).hasSize(1);

        service.instant = SECOND + 1000;
        assertThatThrownBy(() -> timestampJob().begin())
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("2026-10-09T10:00:01Z")
                .hasMessageContaining("2026-10-09T10:00:00.700Z")
                .hasMessageContaining("America/New_York")
                .hasMessageContaining("source.scan.timestamp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"initial", "latest", "from-timestamp"})
    void aSavedOffsetWinsOverTheScanMode(String mode) {
        service.offsets.row = OptionalLong.of(SECOND - 7000);
        SimulatedJob job =
                new SimulatedJob(service, publishing(mode), 1).withSnapshotSplits(3).begin();
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND - 7000));
        assertThat(job.readers.get(0).snapshotSplits).isEmpty();
        assertThat(job.enumerator.snapshotState(1).planned()).isTrue();
    }

    @Test
    void withoutARowTheScanModeCounts() {
        SimulatedJob job =
                new SimulatedJob(service, publishing("initial"), 1).withSnapshotSplits(3).begin();
        assertThat(service.offsets.reads).isEqualTo(1);
        assertThat(job.readers.get(0).snapshotSplits).hasSize(1);
    }

    @Test
    void aCheckpointWinsOverTheOffset() {
        SimulatedJob job = new SimulatedJob(service, publishing("latest"), 1).begin();
        job.checkpointDone();
        service.offsets.row = OptionalLong.of(1000);
        job.failAll(1);
        assertThat(service.offsets.reads).isEqualTo(1);
        assertThat(job.held()).containsExactly(Map.entry("slice-hash-1-0", SECOND));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "table ops.offsets does not exist",
                "SELECT on ops.offsets is refused",
                "ops.offsets lacks column update_time",
                "consumer 'c' has 2 rows in ops.offsets",
                "offset_timestamp of consumer 'c' is NULL",
                "offset_timestamp '2026-13-40 00:00:00' makes no sense"
            })
    void aBrokenOffsetTableFailsTheStartWithoutFallingBack(String problem) {
        service.offsets.readFailure = new NativeException(ErrorCode.OFFSET, problem);
        FakeEnumeratorContext context = new FakeEnumeratorContext(1);
        context.register(0);
        DorisEnumerator enumerator = enumerator(context, publishing("initial"));
        enumerator.start();
        assertThatThrownBy(context::runBackground)
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining(problem)
                .hasMessageContaining("consumer 'c' in offset table ops.offsets")
                .hasMessageContaining("test.t");
        context.register(0);
        enumerator.addReader(0);
        enumerator.handleSplitRequest(0, "h");
        context.tick();
        assertThat(context.allAssigned()).isEmpty();
        assertThat(service.asked("position")).isZero();
    }

    @Test
    void anOffsetTableThatMayBeReadableLaterIsLeftToTheRestartStrategy() {
        service.offsets.readFailure = new NativeException(ErrorCode.TIMEOUT, "too slow");
        assertThatThrownBy(() -> new SimulatedJob(service, publishing("latest"), 1).begin())
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("consumer 'c' in offset table ops.offsets")
                .hasMessageContaining("too slow");
    }

    @Test
    void anOffsetInTheFutureIsRefusedWithBothTimes() {
        service.offsets.row = OptionalLong.of(SECOND + 3_600_000);
        assertThatThrownBy(() -> new SimulatedJob(service, publishing("latest"), 1).begin())
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("2026-10-09T11:00:00Z")
                .hasMessageContaining("2026-10-09 07:00:00 in the account's time zone")
                .hasMessageContaining("America/New_York")
                .hasMessageContaining("2026-10-09T10:00:00.700Z")
                .hasMessageContaining("consumer 'c' in offset table ops.offsets")
                .hasMessageContaining("Repair the row, delete it");
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"SCHEMA", "CONFIG", "NOT_FOUND", "AUTH", "QUERY", "UNSUPPORTED", "OFFSET"})
    void aHopelessStartOfAFreshJobIsNotTriedForEver(ErrorCode code) {
        service.tableFailure = new NativeException(code, "table test.t has no changelog");
        assertThatThrownBy(() -> job("latest").begin())
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("table test.t has no changelog")
                .hasCause(service.tableFailure);
    }

    @Test
    void aStartThatMaySucceedLaterIsLeftToTheRestartStrategy() {
        service.tableFailure = new NativeException(ErrorCode.TIMEOUT, "too slow");
        assertThatThrownBy(() -> job("latest").begin())
                .isExactlyInstanceOf(FlinkRuntimeException.class);
    }

    @Test
    void aJobThatGoesOnIsNeverEndedForGood() {
        SimulatedJob job = job("latest").begin();
        job.checkpointDone();
        service.tableFailure = new NativeException(ErrorCode.AUTH, "refused");
        assertThatThrownBy(() -> job.failAll(1))
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("refused");
    }

    @Test
    void theProbeIsAskedOnlyWhereSlicesDependOnIt() {
        job("latest").begin();
        assertThat(service.asked("probe")).isZero();
        SimulatedJob job =
                new SimulatedJob(
                                service,
                                ChangelogScans.scan(
                                        "source.scan.mode", "latest",
                                        "source.changelog.slices", "4"),
                                1)
                        .begin();
        assertThat(service.asked("probe")).isEqualTo(1);
        assertThat(job.enumerator.snapshotState(1).changelog().probeHash()).hasValue(-77);
    }

    @Test
    void nothingIsPolledWhileTheContentIsReadWhereNothingExpires() {
        service.ttlSeconds = 0;
        SimulatedJob job = job("initial").withSnapshotSplits(2).begin();
        for (int poll = 0; poll < 10; poll++) {
            job.pass(10_000);
        }
        assertThat(service.asked("position")).isEqualTo(1);
        assertThat(job.readers.get(0).bounds).isEmpty();
        assertThat(job.readers.get(0).retentions).isEmpty();
    }

    /** The changes behind a long content may expire before anybody reads them. */
    @Test
    void whileTheContentIsReadTheRetentionOfTheChangesBehindItIsWatched() {
        service.ttlSeconds = 200;
        try (CapturedLogs logs = CapturedLogs.of(ContentRetention.class)) {
            SimulatedJob job = job("initial").withSnapshotSplits(2).begin();
            for (int poll = 0; poll < 10; poll++) {
                job.pass(10_000);
            }
            assertThat(service.asked("position")).isEqualTo(11);
            assertThat(job.readers.get(0).bounds).as("nothing may be read").isEmpty();
            RetentionEvent told = job.readers.get(0).retentions.get(9);
            assertThat(told.startMillis()).isEqualTo(SECOND);
            assertThat(told.positionMillis()).isEqualTo(NOW + 100_000);
            assertThat(told.ttlSeconds()).isEqualTo(200);
            assertThat(logs.lines()).hasSize(1);
            assertThat(logs.lines().get(0))
                    .startsWith("WARN")
                    .contains("test.t")
                    .contains("changelog.ttl_seconds = 200")
                    .contains("less than half");
            service.positionFailure = new NativeException(ErrorCode.TRANSPORT, "gone");
            job.pass(10_000);
            service.positionFailure = null;
            job.pass(10_000);
            assertThat(job.readers.get(0).retentions).as("asked again").hasSize(11);
            assertThat(logs.lines()).as("once an hour").hasSize(1);
        }
    }

    /** Else the first window would fail, again after each restart, and nobody would be told. */
    @Test
    void anExpiredStartEndsAJobThatWantsThat() {
        service.instant = NOW - 300_000;
        service.ttlSeconds = 200;
        assertRefused(
                "min_delta",
                "doris-default",
                "Changelog offset has expired according to changelog.ttl_seconds",
                "'source.changelog.increment-type' = 'min_delta'",
                "'source.scan.timestamp' = '2026-10-09 10:00:00'");
        assertRefused(
                "append_only",
                "fail",
                "'source.changelog.on-expired' = 'fail'",
                "changelog.ttl_seconds = 200");
        SimulatedJob goesOn = new SimulatedJob(service, old("detail", "doris-default"), 1).begin();
        assertThat(goesOn.held()).containsExactly(Map.entry("slice-hash-1-0", service.instant));
        service.ttlSeconds = 400;
        assertThat(new SimulatedJob(service, old("min_delta", "fail"), 1).begin().held())
                .as("still kept")
                .hasSize(1);
        service.ttlSeconds = 0;
        assertThat(new SimulatedJob(service, old("min_delta", "fail"), 1).begin().held())
                .as("nothing expires")
                .hasSize(1);
        service.ttlSeconds = 200;
        service.offsets.row = OptionalLong.of(SECOND - 300_000);
        ScanConfig saved =
                ChangelogScans.scan(
                        "source.scan.mode", "latest",
                        "jdbc-url", "jdbc:mysql://fe:9030",
                        "source.changelog.offset-table", "ops.offsets",
                        "source.changelog.consumer-id", "c",
                        "source.changelog.on-expired", "fail");
        assertThatThrownBy(() -> new SimulatedJob(service, saved, 1).begin())
                .as("a row that a long stop has left behind")
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("the row of")
                .hasMessageContaining("have expired");
    }

    private void assertRefused(String type, String onExpired, String... parts) {
        SimulatedJob job = new SimulatedJob(service, old(type, onExpired), 1);
        assertThatThrownBy(job::begin)
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining("have expired")
                .hasMessageContaining("'source.scan.mode' = 'initial'");
    }

    private static ScanConfig old(String type, String onExpired) {
        return ChangelogScans.scan(
                "source.scan.mode",
                "from-timestamp",
                "source.scan.timestamp",
                "2026-10-09 10:00:00",
                "source.changelog.increment-type",
                type,
                "source.changelog.on-expired",
                onExpired);
    }

    private SimulatedJob job(String mode) {
        return new SimulatedJob(service, scan(mode), 1);
    }

    private SimulatedJob timestampJob() {
        return new SimulatedJob(
                service,
                ChangelogScans.scan(
                        "source.scan.mode", "from-timestamp",
                        "source.scan.timestamp", "2026-10-09 10:00:00"),
                1);
    }

    private DorisEnumerator enumerator(FakeEnumeratorContext context, ScanConfig scan) {
        return new DorisEnumerator(
                context, scan, cancelled -> ScanPlans.of(Map.of()), service, () -> 0);
    }

    private static ScanConfig scan(String mode) {
        return ChangelogScans.scan("source.scan.mode", mode);
    }

    private static ScanConfig publishing(String mode) {
        return mode.equals("from-timestamp")
                ? ChangelogScans.publishing(
                        "source.scan.mode", mode, "source.scan.timestamp", "2026-10-09 10:00:00")
                : ChangelogScans.publishing("source.scan.mode", mode);
    }
}
