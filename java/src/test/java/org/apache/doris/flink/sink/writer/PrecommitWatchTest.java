package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.transaction.Faults;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What the writer does about loads that wait for their checkpoint, by age and state. */
class PrecommitWatchTest {

    private static final Duration TIMEOUT = Duration.ofHours(1);

    private final FakeDoris doris = new FakeDoris();
    private final SinkClock clock =
            new SinkClock() {
                @Override
                public long wallMillis() {
                    return doris.now().toMillis();
                }

                @Override
                public long nanos() {
                    return doris.now().toNanos();
                }
            };
    private final PrecommitWatch watch = new PrecommitWatch(doris, clock, TIMEOUT);

    private long preCommit(String table, String label) throws Exception {
        long id = doris.begin("d", table, label);
        doris.preCommit(id, List.of("row"));
        watch.add("d", table, label);
        return id;
    }

    private void commit(String table, long id) throws Exception {
        doris.commit("d", table, id, "").result();
    }

    private void pass(int minutes) throws IOException {
        doris.advance(Duration.ofMinutes(minutes));
        watch.poll();
    }

    @Test
    void nothingIsAskedBeforeAQuarterOfTheTime() throws Exception {
        preCommit("t", "l0");
        doris.forgetCalls();
        pass(5);
        pass(9);
        assertThat(doris.calls()).isEmpty();
        assertThat(watch.delay()).isEqualTo(TIMEOUT.dividedBy(32));
    }

    @Test
    void committedLabelsAreForgottenWithAllOlderOnes() throws Exception {
        preCommit("t", "l0");
        commit("t", preCommit("t", "l1"));
        commit("u", preCommit("u", "m0"));
        doris.forgetCalls();
        pass(16);
        assertThat(doris.calls()).containsExactlyInAnyOrder("state l1", "state m0");
        assertThat(watch.size()).isZero();
    }

    @Test
    void aLabelThatIsStillPreCommittedIsAWarningAtAQuarterAndAFailureAtHalf() throws Exception {
        preCommit("t", "l0");
        try (CapturedLogs logs = CapturedLogs.of(PrecommitWatch.class)) {
            pass(16);
            assertThat(logs.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN")
                    .contains("l0")
                    .contains("no checkpoint has completed");
        }
        assertThatThrownBy(() -> pass(15))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("label l0 of table d.t was pre-committed PT31M ago");
    }

    @Test
    void anOldLabelBehindNewerOnesIsSeen() throws Exception {
        preCommit("t", "l0");
        pass(14);
        preCommit("t", "l1");
        // The newest that is a quarter old is l1, the one at stake is l0.
        assertThatThrownBy(() -> pass(17)).hasMessageContaining("label l0");
    }

    @Test
    void anOldLabelThatWasCommittedIsNotAtStake() throws Exception {
        commit("t", preCommit("t", "l0"));
        pass(14);
        preCommit("t", "l1");
        pass(17);
        assertThat(watch.size()).isEqualTo(1);
    }

    @Test
    void anAbortedLabelIsAFailure() throws Exception {
        preCommit("t", "l0");
        doris.kill("d", "l0");
        assertThatThrownBy(() -> pass(16))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Doris aborted the load under label l0 of table d.t")
                .hasMessageContaining("goes back to its last checkpoint");
    }

    @Test
    void anUnknownLabelIsForgottenWithAWarning() throws Exception {
        commit("t", preCommit("t", "l0"));
        doris.purge();
        try (CapturedLogs logs = CapturedLogs.of(PrecommitWatch.class)) {
            pass(16);
            assertThat(logs.lines()).singleElement().asString().contains("does not know label l0");
        }
        assertThat(watch.size()).isZero();
    }

    @Test
    void whenItCannotAskItAsksAgain() throws Exception {
        preCommit("t", "l0");
        doris.fault((kind, label) -> kind.equals("state"));
        try (CapturedLogs logs = CapturedLogs.of(PrecommitWatch.class)) {
            pass(16);
            assertThat(logs.lines()).singleElement().asString().contains("is asked again");
        }
        doris.heal();
        assertThatThrownBy(() -> pass(16)).hasMessageContaining("label l0");
    }

    @Test
    void anAnswerThatTakesLongIsNotWaitedFor() throws Exception {
        preCommit("t", "l0");
        Faults.Fault held = doris.fault((kind, label) -> true).held(true);
        pass(31);
        assertThat(watch.delay()).isLessThan(Duration.ofSeconds(1));
        watch.poll();
        held.held(false);
        assertThatThrownBy(watch::poll).hasMessageContaining("label l0");
    }
}
