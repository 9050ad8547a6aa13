package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.JobStatus;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Transactions that are open on the table: its readers wait, in each form that servers say so. */
@Timeout(120)
class ChangelogVisibleWaitTest {

    @RegisterExtension static final Standin CLASSIC = standin();

    @RegisterExtension
    static final Standin CLASSIC_OLD = standin("--set", "changelog_errors=classic_old");

    @RegisterExtension static final Standin TYPED = standin("--set", "changelog_errors=typed");
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private static Standin server(String form) {
        Standin server =
                form.equals("typed") ? TYPED : form.equals("classic") ? CLASSIC : CLASSIC_OLD;
        server.run("CREATE DATABASE IF NOT EXISTS test");
        return server;
    }

    private static Standin standin(String... arguments) {
        String[] all = new String[arguments.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--set";
        all[arguments.length + 1] = "change_visible_timeout_ms=200";
        return Standin.with(all);
    }

    private static Followed start(ChangelogTable table, String wait) throws Exception {
        StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
        table.followed("latest", "source.changelog.visible-wait-timeout", wait).create(sql, "t");
        return Followed.start(sql, "SELECT * FROM t");
    }

    private static String student(int id) {
        return "{\"id\":" + id + ",\"name\":\"n" + id + "\",\"age\":18}\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "classic_old", "typed"})
    void incr2TheSameWindowIsTriedAgain(String form) throws Exception {
        Standin doris = server(form);
        ChangelogTable table = ChangelogTable.students(doris);
        StreamLoad load = StreamLoad.into(doris, table.identifier());
        Followed followed = start(table, "60 s");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        long transaction = load.prepare(student(1));
        long mark = doris.mark();
        var job = followed.job().getJobID();
        Until.holds(
                "a window was tried three times",
                () -> FLINK.sum(job, "changelogVisibleWaitRetries") >= 3);
        List<String> asked = table.windows(mark);
        // Windows that were answered before the transaction began are not among the last.
        List<String> last = asked.subList(asked.size() - 3, asked.size());
        assertThat(last.stream().distinct().collect(Collectors.toList())).hasSize(1);
        load.commit(transaction);
        followed.awaitInOrder("+I[1, n1, 18]");
        assertThat(FLINK.sum(job, "changelogVisibleWaitMs")).isPositive();
        followed.cancel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "classic_old", "typed"})
    void noPatienceFailsAtOnce(String form) throws Exception {
        Standin doris = server(form);
        ChangelogTable table = ChangelogTable.students(doris);
        StreamLoad load = StreamLoad.into(doris, table.identifier());
        Followed followed = start(table, "0 s");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        long transaction = load.prepare(student(1));
        Failure failure = followed.failure();
        assertThat(failure.text()).contains(table.name()).contains("visible-wait-timeout");
        load.abort(transaction);
    }

    @Test
    void patienceEndsWithWindowAttemptsAndTheAdvice() throws Exception {
        ChangelogTable table = ChangelogTable.students(server("classic"));
        StreamLoad load = StreamLoad.into(CLASSIC, table.identifier());
        Followed followed = start(table, "3 s");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        long transaction = load.prepare(student(1));
        Failure failure = followed.failure();
        assertThat(failure.text())
                .contains(table.name())
                .contains("visible-wait-timeout")
                .contains("two-phase commit")
                .containsPattern("\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}")
                .containsPattern("(attempt|tries|tried)");
        load.abort(transaction);
    }

    @Test
    void cancelEndsAPauseWithinASecond() throws Exception {
        ChangelogTable table = ChangelogTable.students(server("classic"));
        StreamLoad load = StreamLoad.into(CLASSIC, table.identifier());
        Followed followed = start(table, "5 min");
        Until.holds("it follows", () -> !table.windows(0).isEmpty());
        long transaction = load.prepare(student(1));
        var job = followed.job().getJobID();
        // The pauses have grown beyond a second by then.
        Until.holds(
                "a window was tried three times",
                () -> FLINK.sum(job, "changelogVisibleWaitRetries") >= 3);
        long begun = System.nanoTime();
        followed.job().cancel();
        Until.holds(
                "the job is gone", () -> FlinkCluster.status(followed.job()) == JobStatus.CANCELED);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(1500));
        load.abort(transaction);
    }

    @Test
    void aBusySessionAndAFutureWindowAreNoReasonsToWait() throws Exception {
        for (String text :
                List.of(
                        "another command of this Arrow Flight SQL session is still running"
                                + " after 5 seconds, connection id: 7",
                        "endTimestamp exceeds the maximum supported time for an INCR read:"
                                + " requestedEndTimestampMs=2, CURRENT_TSO_PHYSICAL_TIME=1")) {
            ChangelogTable table = ChangelogTable.students(server("classic"));
            long rule =
                    CLASSIC.fault(
                            Fault.at("flight.get_info")
                                    .table(table.name())
                                    .statement("@incr")
                                    .answer(text));
            Followed followed = start(table, "60 s");
            Failure failure = followed.failure();
            assertThat(failure.text()).contains(text.substring(0, 40));
            assertThat(failure.elapsed()).isLessThan(Duration.ofSeconds(20));
            CLASSIC.clearFault(rule);
        }
    }
}
