package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.committer.CommitFailure;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.committer.TestCommitter;
import org.apache.doris.flink.sink.committer.TestCommitter.Request;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.writer.FakeLoadClient.LoadFault;
import org.apache.doris.flink.sink.writer.TestSink.Checkpoint;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Loads and their transactions as a checkpointed job begins, hands over, commits and drops them.
 */
class TwoPhaseCommitTest {

    private final FakeDoris doris = new FakeDoris();

    private TestSink.Start job() {
        return TestSink.on(doris);
    }

    private List<String> rows() {
        return doris.rows(TestSink.DATABASE, TestSink.TABLE);
    }

    @Test
    void rowsAreVisibleAfterTheCheckpointAndNotBefore() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a", "b");
            job.snapshot(1);
            assertThat(rows()).isEmpty();
            assertThat(doris.labels(LabelState.PRECOMMITTED)).hasSize(1);
            job.complete(1);
            assertThat(rows()).containsExactly("a", "b");
        }
    }

    @Test
    void twoPc1ARestartWithoutCheckpointUnderTheSamePrefixFailsAtOnceWithBothRemedies()
            throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").checkpoint(1);
        }
        String label = doris.labels(LabelState.VISIBLE).get(0);
        int transactions = doris.count();
        assertThatThrownBy(() -> job().start())
                .isInstanceOf(LabelConflict.class)
                .hasMessage(
                        "Label "
                                + label
                                + " is VISIBLE in database test: an earlier run of this job"
                                + " committed rows of table test.t that this run does not know of"
                                + " (this run began without a checkpoint). Writing on would load"
                                + " them a second time. There are two remedies: start the job from"
                                + " its newest checkpoint or savepoint; or, if the rows may be"
                                + " written again, for example because the table was emptied, set"
                                + " 'sink.label-prefix' (now 'job') to a prefix that was never"
                                + " used.");
        assertThat(doris.count()).as("no load was begun").isEqualTo(transactions);
        try (TestSink job = job().option("sink.label-prefix", "job2").start()) {
            job.write(0, "a").checkpoint(1);
        }
        assertThat(rows()).containsExactly("a", "a");
    }

    @Test
    void twoPc1AlsoWhenTheEarlierRunHadFailedBeforeItsFirstCheckpoint() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a");
        }
        try (TestSink job = job().attempt(3).start()) {
            job.write(0, "a").checkpoint(1);
        }
        assertThatThrownBy(() -> job().start())
                .isInstanceOf(LabelConflict.class)
                .hasMessageContaining("-0-3_0 is VISIBLE");
    }

    @Test
    void twoPc1AlsoWhenALoadMeetsTheLabel() throws Exception {
        try (TestSink job = job().start()) {
            // A foreign client took it after this attempt had asked.
            String next = job.writer(0).snapshotState(1).get(0).tables().get(0).op();
            String label = "job_test_t_0_" + next + "-0-0_0";
            doris.publish(doris.begin("test", "t", label), List.of("foreign"));
            job.write(0, "a");
            assertThatThrownBy(() -> job.writer(0).flush(false))
                    .isInstanceOf(LabelConflict.class)
                    .hasMessageContaining("Label " + label + " is VISIBLE in database test:")
                    .hasMessageContaining("two remedies");
            assertThat(job.contexts.get(0).metrics.count("numRecordsSendErrors")).isEqualTo(1);
            assertThat(job.contexts.get(0).metrics.count("test.t_totalFlushFailedNumber"))
                    .isEqualTo(1);
        }
    }

    @Test
    void twoPc2LoadsBeyondTheCheckpointAreAbortedUpToTheFirstUnusedLabel() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").checkpoint(5);
            job.write(0, "b").snapshot(6);
            job.write(0, "c").snapshot(7);
        }
        doris.forgetCalls();
        int transactions = doris.count();
        try (TestSink job = job().from(first).attempt(1).start()) {
            String base = doris.labels(LabelState.VISIBLE).get(0).replaceFirst("_0$", "_");
            assertThat(doris.calls())
                    .containsSubsequence("state " + base + 1, "state " + base + 2)
                    .contains("state " + base + 3)
                    .noneMatch(call -> call.equals("state " + base + 4))
                    .as("not before all subtasks run")
                    .noneMatch(call -> call.startsWith("abort"));
            assertThat(doris.count()).as("no probe opens a transaction").isEqualTo(transactions);
            job.write(0, "b", "c").checkpoint(8);
            assertThat(doris.calls())
                    .containsSubsequence("abort " + base + 1, "abort " + base + 2)
                    .noneMatch(call -> call.equals("abort " + base + 3));
            assertThat(doris.openLabels()).isEmpty();
        }
        assertThat(rows()).containsExactly("a", "b", "c");
    }

    @Test
    void twoPc3AClosedWriterLeavesAloneWhatItHandedOver() throws Exception {
        TestSink job = job().start();
        Checkpoint savepoint = job.write(0, "a").snapshot(7);
        job.write(0, "never in a checkpoint");
        job.writer(0).flush(false);
        assertThat(doris.labels(LabelState.PREPARE)).hasSize(1);
        job.close();
        assertThat(doris.labels(LabelState.PREPARE)).isEmpty();
        assertThat(doris.labels(LabelState.PRECOMMITTED)).hasSize(1);
        try (TestSink restored = job().from(savepoint).start()) {
            assertThat(rows()).containsExactly("a");
        }
    }

    @Test
    void twoPc4WhenOneTableFailsItsSiblingsAreAborted() throws Exception {
        Checkpoint first;
        TestSink job = job().start();
        first = job.write(0, "a/1").checkpoint(8);
        job.write(0, "d/1", "e/1");
        job.clients.get(0).faults.put("test.e", LoadFault.REFUSED);
        assertThatThrownBy(() -> job.snapshot(9))
                .isInstanceOf(IOException.class)
                .hasMessage("too many filtered rows");
        assertThat(doris.openLabels()).isEmpty();
        job.close();
        try (TestSink again = job().from(first).attempt(1).start()) {
            again.write(0, "d/1", "e/1").checkpoint(10);
        }
        assertThat(doris.rows("test", "d")).containsExactly("1");
        assertThat(doris.rows("test", "e")).containsExactly("1");
    }

    @Test
    void twoPc4AlsoWhenTheyCannotBeAbortedAtOnce() throws Exception {
        TestSink job = job().start();
        Checkpoint first = job.checkpoint(1);
        job.write(0, "d/1", "e/1");
        job.clients.get(0).faults.put("test.e", LoadFault.REFUSED);
        doris.fault((kind, label) -> kind.equals("abort"));
        assertThatThrownBy(() -> job.snapshot(2))
                .hasMessage("too many filtered rows")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(doris.openLabels()).hasSize(1);
        job.close();
        doris.heal();
        try (TestSink again = job().from(first).attempt(1).start()) {
            again.write(0, "d/1", "e/1").checkpoint(3);
            assertThat(doris.openLabels()).isEmpty();
        }
        assertThat(doris.rows("test", "d")).containsExactly("1");
    }

    @Test
    void twoPc5AnAbortedTransactionIsAFailureThatNamesThePreCommitTimeout() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").snapshot(1);
            doris.advance(TestSink.PRECOMMIT_TIMEOUT.plusMinutes(1));
            assertThatThrownBy(() -> job.complete(1))
                    .isInstanceOf(CommitFailure.class)
                    .hasMessageContaining("Transaction 1000 (label job_test_t_0_")
                    .hasMessageContaining("table test.t), pre-committed PT1H1M ago")
                    .hasMessageContaining("already aborted")
                    .hasMessageContaining("stream_load_default_precommit_timeout_second")
                    .hasMessageContaining("'sink.precommit-timeout'")
                    .satisfies(
                            failure ->
                                    assertThat(ExceptionUtils.stringifyException(failure))
                                            .as("the server's words stand there once")
                                            .containsOnlyOnce("already aborted"));
        }
    }

    @Test
    void twoPc6AFailedCommitFailsTheTaskWithoutRetriesOfFlink() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").snapshot(1);
            doris.forgetCalls();
            doris.fault((kind, label) -> kind.equals("commit"));
            assertThatThrownBy(() -> job.complete(1))
                    .isInstanceOf(CommitFailure.class)
                    .hasMessageContaining("connection reset")
                    .hasMessageContaining("restarts from its checkpoint")
                    .hasMessageContaining("Flink offers it again")
                    .hasMessageNotContaining("no longer has");
            assertThat(doris.calls()).as("the client core retries, not Flink").hasSize(1);
        }
    }

    /** Only what Doris says is gone is skipped: the rest it holds, and its rows with it. */
    @Test
    void aCommitThatMayPassIsNotSkippedWhateverIsIgnored() throws Exception {
        TestSink.Checkpoint first;
        try (TestSink job = job().option("sink.ignore.commit-error", "true").start()) {
            first = job.write(0, "a").snapshot(1);
            doris.fault((kind, label) -> kind.equals("commit"));
            assertThatThrownBy(() -> job.complete(1))
                    .isInstanceOf(CommitFailure.class)
                    .hasMessageContaining("'sink.ignore.commit-error' does not skip it");
            assertThat(job.committer().counter("commitErrorsIgnored")).isZero();
        }
        doris.heal();
        try (TestSink job =
                job().option("sink.ignore.commit-error", "true").from(first).attempt(1).start()) {
            job.write(0, "b").checkpoint(2);
        }
        assertThat(doris.rows("test", "t")).containsExactly("a", "b");
    }

    @Test
    void aTransactionThatIsNotFoundIsNotSaidToBeLost() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").snapshot(1);
            List<DorisCommittable> committables = job.pending(1);
            FakeDoris other = new FakeDoris();
            TestCommitter elsewhere = new TestCommitter(other, false, () -> 0);
            assertThatThrownBy(() -> elsewhere.commit(committables))
                    .isInstanceOf(CommitFailure.class)
                    .hasMessageContaining("not found")
                    .hasMessageContaining("Look whether its rows are in the table")
                    .hasMessageNotContaining("are not in the table.")
                    .hasMessageNotContaining("no longer has it");
            TestCommitter skipping = new TestCommitter(other, true, () -> 0);
            assertThat(skipping.commit(committables).get(0).signal()).startsWith("known reason");
            assertThat(skipping.counter("commitErrorsIgnored")).isEqualTo(1);
        }
    }

    @Test
    void twoPc7ACommitThatWasDoneBeforeIsDone() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").snapshot(1);
            List<DorisCommittable> committables = job.pending(1);
            assertThat(job.committer().commit(committables))
                    .extracting(Request::signal)
                    .containsExactly("");
            assertThat(job.committer().commit(committables))
                    .extracting(Request::signal)
                    .containsExactly("already");
        }
        assertThat(rows()).containsExactly("a");
    }

    @Test
    void twoPc9WhatTheAnswerCountsIsCounted() throws Exception {
        try (TestSink job = job().option("sink.enable-2pc", "false").start()) {
            job.clients.get(0).figures = Map.of("status", "Publish Timeout", "loaded.rows", "3");
            job.write(0, "a", "b", "c").snapshot(1);
            assertThat(job.contexts.get(0).metrics.count("test.t_totalFlushLoadedRows"))
                    .isEqualTo(3);
            assertThat(rows()).containsExactly("a", "b", "c");
        }
    }

    @Test
    void twoPc12AWriterThatWaitsForAPlaceWakesWhenTheLoadBreaks() throws Exception {
        try (TestSink job = job().option("sink.buffer-size", "1kb").start()) {
            job.write(0, "x".repeat(1024));
            FakeLoadClient client = job.clients.get(0);
            client.faults.put("test.t", LoadFault.NO_PLACE);
            job.contexts
                    .get(0)
                    .mails
                    .add(() -> client.opened.get(0).fail(new IOException("connection reset")));
            assertThatThrownBy(() -> job.write(0, "y".repeat(1024)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("connection reset");
        }
    }

    @Test
    void twoPc16RowsOfAFailedTaskAreNeverVisible() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a", "b", "c");
            job.writer(0).flush(false);
        }
        assertThat(rows()).isEmpty();
        assertThat(doris.openLabels()).isEmpty();
        try (TestSink job = job().attempt(1).start()) {
            job.write(0, "a", "b", "c").checkpoint(1);
        }
        assertThat(rows()).containsExactly("a", "b", "c");
    }

    @Test
    void twoPc19NothingIsSentForACheckpointWithoutRows() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").checkpoint(1);
            int transactions = doris.count();
            doris.forgetCalls();
            job.checkpoint(2);
            assertThat(doris.count()).isEqualTo(transactions);
            assertThat(doris.calls()).isEmpty();
            job.write(0, "b").checkpoint(3);
        }
        assertThat(rows()).containsExactly("a", "b");
    }

    @Test
    void twoPc20NothingIsSentForARestoredTableWithoutRows() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "tb1/1", "tb2/1").checkpoint(3);
        }
        try (TestSink job = job().from(first).attempt(1).start()) {
            int transactions = doris.count();
            job.write(0, "tb2/2").snapshot(4);
            assertThat(job.pending(4)).extracting(DorisCommittable::table).containsExactly("tb2");
            assertThat(doris.count()).isEqualTo(transactions + 1);
            job.complete(4);
        }
        assertThat(doris.rows("test", "tb2")).containsExactly("1", "2");
    }

    @Test
    void mem2OnlyTablesWithRowsInThisCheckpointHoldAnything() throws Exception {
        try (TestSink job = job().start()) {
            for (int i = 0; i < 500; i++) {
                job.write(0, "t" + i + "/x");
            }
            job.checkpoint(1);
            FakeLoadClient client = job.clients.get(0);
            assertThat(client.open()).isZero();
            for (int i = 0; i < 5; i++) {
                job.write(0, "t" + i + "/y");
            }
            job.writer(0).flush(false);
            assertThat(client.open()).isEqualTo(5);
            job.checkpoint(2);
            assertThat(client.open()).isZero();
            assertThat(client.opened).hasSize(505);
        }
    }

    @Test
    void aLabelWhoseAnswerWasLostIsAbortedAfterTheCommitAndNotBefore() throws Exception {
        try (TestSink job = job().start()) {
            job.clients.get(0).faults.put("test.t", LoadFault.ANSWER_LOST);
            job.write(0, "a").snapshot(1);
            DorisCommittable committable = job.pending(1).get(0);
            assertThat(committable.number()).isEqualTo(1);
            assertThat(committable.abandoned().labels()).hasSize(1);
            assertThat(doris.openLabels()).hasSize(2);
            job.complete(1);
            assertThat(doris.openLabels()).isEmpty();
            assertThat(job.committer().counter("abandonedLoadsAborted")).isEqualTo(1);
            job.write(0, "b").checkpoint(2);
            assertThat(doris.labels(LabelState.VISIBLE)).last().asString().endsWith("_2");
        }
        assertThat(rows()).containsExactly("a", "b");
    }

    @Test
    void whatCannotBeAbortedAfterTheCommitIsCountedAndNotThrown() throws Exception {
        try (TestSink job = job().start()) {
            job.clients.get(0).faults.put("test.t", LoadFault.ANSWER_LOST);
            job.write(0, "a").snapshot(1);
            doris.fault((kind, label) -> kind.equals("abort"));
            job.complete(1);
            assertThat(job.committer().counter("abandonedAbortFailures")).isEqualTo(1);
        }
        assertThat(rows()).containsExactly("a");
    }

    @Test
    void whenACommitFailsNothingAbandonedIsAborted() throws Exception {
        try (TestSink job = job().start()) {
            job.clients.get(0).faults.put("test.t", LoadFault.ANSWER_LOST);
            job.write(0, "a", "u/1").snapshot(1);
            doris.fault((kind, label) -> kind.equals("commit") && label.contains("_u_"));
            assertThatThrownBy(() -> job.complete(1)).isInstanceOf(CommitFailure.class);
            assertThat(doris.labels(LabelState.ABORTED)).isEmpty();
        }
    }

    @Test
    void labelsThatSomebodyHoldsOpenAreSteppedOverAndAbortedAfterTheFirstCheckpoint()
            throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "never committed").snapshot(1);
        }
        try (TestSink job = job().start()) {
            assertThat(doris.openLabels()).as("only read").hasSize(1);
            job.snapshot(1);
            assertThat(job.pending(1)).hasSize(1);
            assertThat(job.pending(1).get(0).txnId()).isEmpty();
            assertThat(doris.openLabels()).hasSize(1);
            job.complete(1);
            assertThat(doris.openLabels()).isEmpty();
            job.write(0, "a").checkpoint(2);
            assertThat(doris.labels(LabelState.VISIBLE).get(0)).endsWith("-0-0_1");
        }
        assertThat(rows()).containsExactly("a");
    }

    @Test
    void afterTheNumbersOfAttemptsBeganAnewHigherOnesAreOnlyRead() throws Exception {
        Checkpoint first;
        try (TestSink job = job().attempt(2).start()) {
            first = job.write(0, "a").checkpoint(1);
        }
        // The job manager that was replaced went on to attempt 3 of this epoch.
        TestSink ahead = job().from(first).attempt(3).start();
        ahead.write(0, "b").snapshot(2);
        try (TestSink job = job().from(first).attempt(0).start()) {
            assertThat(doris.openLabels()).as("of attempt 3").hasSize(1);
        }
        ahead.complete(2);
        ahead.close();
        assertThatThrownBy(() -> job().from(first).attempt(0).start())
                .isInstanceOf(LabelConflict.class)
                .hasMessageContaining("-1-3_0 is VISIBLE");
    }

    @Test
    void loadsOfATableThatIsNotInTheStateAreFoundWhenItComes() throws Exception {
        Checkpoint first;
        try (TestSink job = job().option("table.identifier", null).start()) {
            first = job.write(0, "a/1").checkpoint(1);
            job.write(0, "late/1").checkpoint(2);
        }
        Checkpoint later;
        try (TestSink job = job().option("table.identifier", null).from(first).start()) {
            // The savepoint is not the newest, but no row of the other table comes for a while.
            later = job.write(0, "a/2").checkpoint(3);
        }
        try (TestSink job = job().option("table.identifier", null).from(later).start()) {
            job.write(0, "late/1");
            assertThatThrownBy(() -> job.writer(0).flush(false))
                    .isInstanceOf(LabelConflict.class)
                    .hasMessageContaining("table test.late");
        }
    }

    @Test
    void aDrawnPrefixStaysTheSameOverRestarts() throws Exception {
        SinkConfig drawn = job().option("sink.label-prefix", null).config();
        Checkpoint first;
        try (TestSink job = job().config(drawn).start()) {
            first = job.write(0, "a").checkpoint(1);
            job.write(0, "lost").snapshot(2);
        }
        assertThat(doris.labels(LabelState.VISIBLE).get(0))
                .matches("flink_[0-9a-f]{16}_test_t_0_[0-9a-f]{6}-0-0_0");
        // Another submission draws another one; the state's wins.
        try (TestSink job = job().option("sink.label-prefix", null).from(first).start()) {
            job.write(0, "b").checkpoint(2);
            assertThat(doris.openLabels()).isEmpty();
        }
        Set<String> prefixes =
                doris.labels(LabelState.VISIBLE).stream()
                        .map(label -> label.substring(0, 22))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertThat(prefixes).containsExactly(drawn.labelPrefix());
    }

    @Test
    void withoutTwoPhaseCommitRowsAreVisibleAtTheCheckpointAndNoLabelIsAskedFor() throws Exception {
        try (TestSink job = job().option("sink.enable-2pc", "false").start()) {
            job.write(0, "a").snapshot(1);
            assertThat(job.pending(1)).isEmpty();
            assertThat(rows()).containsExactly("a");
            job.write(0, "b").snapshot(2);
            assertThat(doris.labels(LabelState.VISIBLE))
                    .allMatch(label -> label.matches("job_test_t_0_[0-9a-f]{16}_[01]"));
        }
        try (TestSink job = job().option("sink.enable-2pc", "false").attempt(1).start()) {
            job.write(0, "b").snapshot(1);
        }
        assertThat(doris.calls()).isEmpty();
        assertThat(rows()).containsExactly("a", "b", "b");
    }

    @Test
    void anAnswerWithoutTransactionIsAFailure() throws Exception {
        try (TestSink job = job().start()) {
            job.clients.get(0).faults.put("test.t", LoadFault.NO_TRANSACTION);
            job.write(0, "a");
            assertThatThrownBy(() -> job.snapshot(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("without a transaction id");
        }
    }

    @Test
    void aFailedStartClosesTheClient() throws Exception {
        try (TestSink job = job().start()) {
            job.write(0, "a").checkpoint(1);
        }
        doris.fault((kind, label) -> kind.equals("state")).times(1);
        assertThatThrownBy(() -> job().start())
                .isInstanceOf(IOException.class)
                .hasMessage("connection reset");
        assertThat(FakeLoadClient.last().closed).isTrue();
    }
}
