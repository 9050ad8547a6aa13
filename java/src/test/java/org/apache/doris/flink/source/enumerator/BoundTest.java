package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.OptionalLong;

/** The bound: one look-up per poll, whole seconds, newest wins, clocks that go back. */
class BoundTest {

    private static final long START = 1_791_540_000_000L;

    private final FakeChangelogService service = new FakeChangelogService(START + 700);

    @Test
    void theBoundIsTheWholeSecondOfThePosition() {
        SimulatedJob job = job().begin();
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 10_000);
        assertThat(job.readers.get(0).bound.positionMillis()).isEqualTo(START + 10_700);
        assertThat(job.readers.get(0).bound.ttlSeconds()).isEqualTo(86_400);
        assertThat(job.readers.get(0).bound.lastMillis()).isEmpty();
        job.readAll();
        job.emitted.assertComplete(START, START + 10_000);
    }

    /** Also after a restore: the state does not hold it, since the table tells it. */
    @Test
    void readersAreToldWhetherTheTableKeepsRowsAsTheyWere() throws Exception {
        SimulatedJob job = job().begin();
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.history()).isTrue();
        service.history = false;
        SimulatedJob other = job().begin();
        other.pass(10_000);
        assertThat(other.readers.get(0).bound.history()).isFalse();
        other.checkpointDone();
        other.failAll(1);
        assertThat(other.readers.get(0).bounds)
                .isNotEmpty()
                .allSatisfy(bound -> assertThat(bound.history()).isFalse());
    }

    @Test
    void aDayWithNothingNewIsOneLookUpPerPollAndNothingElse() throws Exception {
        SimulatedJob job = job().begin();
        int bounds = job.readers.get(0).bounds.size();
        int asked = service.asked.size();
        byte[] before =
                EnumeratorStateSerializer.INSTANCE.serialize(job.enumerator.snapshotState(1));
        for (int poll = 0; poll < 8640; poll++) {
            job.clock += 10_000;
            job.context.tick();
        }
        assertThat(service.asked.subList(asked, service.asked.size()))
                .hasSize(8640)
                .containsOnly("position");
        assertThat(job.context.events.values()).allSatisfy(list -> assertThat(list).isEmpty());
        assertThat(job.readers.get(0).bounds).hasSize(bounds);
        assertThat(EnumeratorStateSerializer.INSTANCE.serialize(job.enumerator.snapshotState(2)))
                .isEqualTo(before);
    }

    /** As a new master does that has no clock yet; at a start it is an answer like any other. */
    @Test
    void aServerThatToldItsPositionMayRefuseItForAWhile() {
        SimulatedJob job = job().begin();
        job.pass(10_000);
        service.positionFailure = new NativeException(ErrorCode.QUERY, "TSO is not calibrated");
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 10_000);
        service.positionFailure = null;
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 30_000);
        service.positionFailure = new NativeException(ErrorCode.QUERY, "TSO is not calibrated");
        assertThatThrownBy(
                        () -> {
                            for (int poll = 0; poll < 100; poll++) {
                                job.pass(10_000);
                            }
                        })
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("TSO is not calibrated");
    }

    @Test
    void lessThanASecondIsNothingNew() {
        SimulatedJob job = job().begin();
        int bounds = job.readers.get(0).bounds.size();
        service.position = START + 999;
        job.clock += 10_000;
        job.context.tick();
        job.deliver();
        assertThat(job.readers.get(0).bounds).hasSize(bounds);
    }

    @Test
    void aReaderThatRegistersGetsTheNewestBoundAgain() {
        SimulatedJob job = job(2).begin();
        job.pass(10_000);
        job.pass(10_000);
        job.failSubtask(1);
        assertThat(job.readers.get(1).bounds)
                .singleElement()
                .satisfies(bound -> assertThat(bound.boundMillis()).isEqualTo(START + 20_000));
        assertThat(service.asked("position")).isEqualTo(4);
    }

    @Test
    void aRestoredJobIsToldItsBoundAlthoughNothingIsNew() {
        SimulatedJob job = job().begin();
        job.pass(10_000);
        job.checkpointDone();
        job.failAll(1);
        assertThat(job.readers.get(0).bounds)
                .singleElement()
                .satisfies(bound -> assertThat(bound.boundMillis()).isEqualTo(START + 10_000));
        job.readAll();
        job.emitted.assertComplete(START, START + 10_000);
    }

    @Test
    void ticksThatPiledUpAreOneLookUp() {
        SimulatedJob job = job().begin();
        long asked = service.asked("position");
        job.clock += 60_000;
        for (int tick = 0; tick < 6; tick++) {
            job.context.tick();
        }
        assertThat(service.asked("position")).isEqualTo(asked + 1);
    }

    @Test
    void aClockThatWentBackIsWaitedForAndThenGoesOn() {
        SimulatedJob job = job().begin();
        job.pass(20_000);
        service.position -= 15_000;
        for (int poll = 0; poll < 2; poll++) {
            job.clock += 10_000;
            job.context.tick();
        }
        job.deliver();
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 20_000);
        service.position = START + 30_500;
        job.pass(0);
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 40_000);
        job.readAll();
        job.emitted.assertComplete(START, START + 40_000);
    }

    @Test
    void aClockThatStaysBehindFailsWithBothTimesOnce() {
        SimulatedJob job = job("source.changelog.visible-wait-timeout", "30s").begin();
        job.pass(20_000);
        service.position = START + 5_000;
        for (int poll = 0; poll < 3; poll++) {
            job.clock += 10_000;
            job.context.tick();
        }
        job.clock += 10_000;
        assertThatThrownBy(job.context::tick)
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("2026-10-09T10:00:05Z")
                .hasMessageContaining("2026-10-09T10:00:20Z")
                .hasMessageContaining("source.changelog.visible-wait-timeout");
        long asked = service.asked("position");
        job.clock += 10_000;
        job.context.tick();
        assertThat(service.asked("position")).isEqualTo(asked);
    }

    @Test
    void withoutPatienceAClockThatWentBackFailsAtOnce() {
        SimulatedJob job = job("source.changelog.visible-wait-timeout", "0s").begin();
        job.pass(20_000);
        service.position = START;
        job.clock += 10_000;
        assertThatThrownBy(job.context::tick).hasMessageContaining("went back");
    }

    @Test
    void theBoundIsInTheStateSoThatARestoreNoticesAClockThatWentBack() {
        SimulatedJob job = job().begin();
        job.pass(20_000);
        job.checkpointDone();
        service.position = START + 5_000;
        job.failAll(1);
        assertThat(job.readers.get(0).bounds).isEmpty();
        service.position = START + 25_000;
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 35_000);
    }

    @Test
    void aPositionBehindTheStartIsAClockThatWentBack() {
        SimulatedJob job = job("source.changelog.visible-wait-timeout", "0s");
        job.beginCoordinator(null);
        job.settle();
        service.position = START - 5_000;
        job.clock += 10_000;
        assertThatThrownBy(job.context::tick).hasMessageContaining("went back");
    }

    @Test
    void aServerThatCannotBeAskedForAWhileDoesNotFailTheJob() {
        SimulatedJob job = job("source.changelog.visible-wait-timeout", "30s").begin();
        service.positionFailure = new NativeException(ErrorCode.TRANSPORT, "broken pipe");
        for (int poll = 0; poll < 3; poll++) {
            job.pass(10_000);
        }
        service.positionFailure = null;
        job.pass(10_000);
        assertThat(job.readers.get(0).bound.boundMillis()).isEqualTo(START + 40_000);

        service.positionFailure = new NativeException(ErrorCode.TRANSPORT, "broken pipe");
        for (int poll = 0; poll < 3; poll++) {
            job.pass(10_000);
        }
        assertThatThrownBy(() -> job.pass(10_000))
                .hasMessageContaining("broken pipe")
                .hasMessageContaining("30 s");
    }

    @Test
    void aServerThatRefusesFailsTheJobAtOnce() {
        SimulatedJob job = job().begin();
        service.positionFailure = new NativeException(ErrorCode.AUTH, "password changed");
        assertThatThrownBy(() -> job.pass(10_000))
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("password changed");
    }

    @Test
    void anotherTableUnderTheSameNameIsAnErrorAtARestoreAndWhileReading() {
        SimulatedJob job = job().begin();
        job.pass(10_000);
        job.checkpointDone();
        service.tableId = OptionalLong.of(20022);
        assertThatThrownBy(() -> job.pass(10_000))
                .hasMessageContaining("10011")
                .hasMessageContaining("20022");
        job.deliver();
        assertThat(job.readers.get(0).bound.boundMillis())
                .as("no change of the other table may be read")
                .isEqualTo(START + 10_000);
        assertThatThrownBy(() -> job.failAll(1))
                .isExactlyInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("10011")
                .hasMessageContaining("20022")
                .hasMessageContaining("test.t");
    }

    @Test
    void anIdThatIsNotKnownIsNoOther() {
        SimulatedJob job = job().begin();
        job.checkpointDone();
        service.tableId = OptionalLong.empty();
        job.failAll(1);
        assertThat(job.enumerator.snapshotState(9).tableId()).hasValue(10011);
    }

    @Test
    void aRetentionThatChangesReachesTheReaders() {
        SimulatedJob job = job().begin();
        service.ttlSeconds = 7200;
        for (int poll = 0; poll < 8; poll++) {
            job.pass(1_000);
        }
        assertThat(job.readers.get(0).bound.ttlSeconds()).isEqualTo(7200);
        assertThat(service.asked("table")).as("every five seconds").isEqualTo(2);
    }

    @Test
    void aClosedEnumeratorAsksNoMoreAndClosesItsService() {
        SimulatedJob job = job().begin();
        job.enumerator.close();
        long asked = service.asked("position");
        job.pass(10_000);
        assertThat(service.asked("position")).isEqualTo(asked);
        assertThat(service.closed).isTrue();
    }

    private SimulatedJob job(String... options) {
        return job(1, options);
    }

    private SimulatedJob job(int parallelism, String... options) {
        String[] all = Arrays.copyOf(options, options.length + 2);
        all[options.length] = "source.scan.mode";
        all[options.length + 1] = "latest";
        return new SimulatedJob(service, ChangelogScans.scan(all), parallelism);
    }
}
