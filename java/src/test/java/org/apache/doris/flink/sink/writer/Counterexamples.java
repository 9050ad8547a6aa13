package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.sink.committer.CommitFailure;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.committer.TestCommitter;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.Faults;
import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.doris.flink.sink.writer.TestSink.Checkpoint;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sequences of events that lose or double rows unless a rule forbids it, each played step by step:
 * {@link CounterexamplesTest} plays them in memory, and a test across all layers against the
 * server.
 */
abstract class Counterexamples {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Where the tests of a class write; each begins with an empty one. */
    abstract World world();

    private TestSink.Start job() {
        return TestSink.on(world());
    }

    /** A server needs a moment to publish, and to notice that a connection is gone. */
    private static <T> T eventually(Supplier<T> value, Predicate<T> expected) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!expected.test(value.get()) && System.nanoTime() < end) {
            Thread.sleep(2);
        }
        return value.get();
    }

    private void rowsAre(String... rows) throws Exception {
        rowsOfAre("t", rows);
    }

    private void rowsOfAre(String table, String... rows) throws Exception {
        List<String> expected = Stream.of(rows).sorted().collect(Collectors.toList());
        Supplier<List<String>> sorted =
                () -> world().rows(table).stream().sorted().collect(Collectors.toList());
        assertThat(eventually(sorted, expected::equals)).isEqualTo(expected);
    }

    /** Labels of loads that are neither committed nor aborted, when there are so many. */
    private List<String> open(int count) throws Exception {
        Supplier<List<String>> open =
                () ->
                        Stream.of(LabelState.PREPARE, LabelState.PRECOMMITTED)
                                .flatMap(state -> world().labels(state).stream())
                                .collect(Collectors.toList());
        List<String> labels = eventually(open, found -> found.size() == count);
        assertThat(labels).as("open loads").hasSize(count);
        return labels;
    }

    private LabelState state(String label) throws Exception {
        return Pause.await(
                world().transactions().state(TestSink.DATABASE, label), Pause.INTERRUPTS);
    }

    /** A body that arrives under a label, whoever sent it. */
    private void preCommit(String label, String row) throws Exception {
        int number = label.lastIndexOf('_') + 1;
        byte[] bytes = row.getBytes(StandardCharsets.UTF_8);
        try (LoadClient client = world().client(job().config(), CheckpointPlan.UNKNOWN);
                Load load =
                        client.open(
                                TestSink.DATABASE,
                                TestSink.TABLE,
                                label.substring(0, number),
                                Long.parseLong(label.substring(number)),
                                false)) {
            load.acquire(bytes.length, PATIENCE.toMillis()).put(bytes);
            load.submit(1, new long[] {bytes.length});
            load.finish();
            assertThat(load.await(PATIENCE.toMillis())).isTrue();
            assertThat(load.result()).containsEntry("label", label);
        }
    }

    @Test
    void subtaskOneBeginsItsFirstLoadWhileSubtaskZeroStillCleansUp() throws Exception {
        Checkpoint first;
        try (TestSink job = job().parallelism(2).start()) {
            job.write(0, "a").write(1, "b");
            first = job.checkpoint(1);
            // Never part of a completed checkpoint.
            job.write(0, "lost0").write(1, "lost1").snapshot(2);
        }
        TestSink.Start restart = job().from(first).attempt(1);
        List<TestSink> other = new ArrayList<>();
        // Subtask 1 loads while subtask 0 is between the question and the abort.
        world().fault((kind, label) -> kind.equals("abort") && label.contains("_t_0_"))
                .times(1)
                .before(
                        () -> {
                            try {
                                other.add(restart.startSubtask(1));
                                other.get(0).write(0, "mine").snapshot(2);
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                        });
        TestSink zero = restart.startSubtask(0);
        zero.snapshot(2);
        assertThat(world().labels(LabelState.ABORTED)).hasSize(2);
        other.get(0).complete(2);
        rowsAre("a", "b", "mine");
        zero.close();
        other.get(0).close();
    }

    @Test
    void aPausedAttemptWakesAfterItsSuccessorPreCommittedUnderTheSameEpoch() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").checkpoint(1);
        }
        // Attempt 1 restores and stands still before it has asked for anything.
        Faults.Fault pause = world().fault((kind, label) -> kind.equals("state")).times(1);
        List<TestSink> successor = new ArrayList<>();
        List<Checkpoint> second = new ArrayList<>();
        pause.before(
                () -> {
                    try {
                        // Attempt 2 starts, loads, and its checkpoint completes uncommitted.
                        successor.add(job().from(first).attempt(2).start());
                        successor.get(0).write(0, "b");
                        second.add(successor.get(0).snapshot(2));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
        TestSink zombie = job().from(first).attempt(1).start();
        open(1);
        zombie.write(0, "b").snapshot(2);
        zombie.close();

        successor.get(0).complete(2);
        rowsAre("a", "b");
        successor.get(0).close();
        // The zombie's load is nobody's: a later attempt of that epoch would abort it.
        open(1);
        world().advance(TestSink.PRECOMMIT_TIMEOUT.plusSeconds(1));
        open(0);
        rowsAre("a", "b");
    }

    @Test
    void aDeadAttemptsBodyBecomesPreCommittedAfterItsSuccessorAskedForTheLabel() throws Exception {
        Checkpoint first;
        TestSink dead = job().start();
        first = dead.write(0, "a").checkpoint(1);
        dead.write(0, "b");
        dead.writer(0).flush(false);
        String label = open(1).get(0);
        TestSink next = job().from(first).attempt(1).start();
        next.snapshot(2);
        assertThat(state(label)).isEqualTo(LabelState.ABORTED);
        // The body was on its way under that label; the server takes it once more as a new load.
        preCommit(label, "b");

        // It is found when the job starts once more from that checkpoint.
        next.close();
        next = job().from(first).attempt(2).start();
        next.snapshot(2);
        assertThat(state(label)).isEqualTo(LabelState.ABORTED);
        // Later still, nobody looks for it, and nobody can commit it.
        preCommit(label, "b");
        next.write(0, "b").checkpoint(3);
        next.close();
        rowsAre("a", "b");
        world().advance(TestSink.PRECOMMIT_TIMEOUT.plusSeconds(1));
        open(0);
        rowsAre("a", "b");
        dead.close();
    }

    @Test
    void twoInsertsOfOneStatementSetIntoOneTable() {
        String one = LabelShape.op("a".repeat(32), "job", "test", "t");
        String two = LabelShape.op("b".repeat(32), "job", "test", "t");
        assertThat(LabelShape.twoPhase("job", "test", "t", 0, one, 0, 0).label(0))
                .isNotEqualTo(LabelShape.twoPhase("job", "test", "t", 0, two, 0, 0).label(0));
    }

    @Test
    void restoreOfAnOlderSavepoint() throws Exception {
        Checkpoint old;
        try (TestSink job = job().start()) {
            old = job.write(0, "a").checkpoint(1);
            job.write(0, "b").checkpoint(2);
        }
        assertThatThrownBy(() -> job().from(old).start())
                .isInstanceOf(LabelConflict.class)
                .hasMessageContaining("is VISIBLE")
                .hasMessageContaining("checkpoint or savepoint 1, from which it began")
                .hasMessageContaining("newest checkpoint or savepoint")
                .hasMessageContaining("'sink.label-prefix' (now 'job')");
        rowsAre("a", "b");
    }

    @Test
    void restoreOfAnOlderSavepointAfterTheLabelsWerePurged() throws Exception {
        Checkpoint old;
        try (TestSink job = job().start()) {
            old = job.write(0, "a").checkpoint(1);
            job.write(0, "b").checkpoint(2);
        }
        world().advance(LingeringLoads.LABEL_RETENTION.plusMinutes(1));
        world().purge();
        assertThatThrownBy(() -> job().from(old).start())
                .as("nothing proves that what the savepoint holds was committed")
                .isInstanceOf(CommitFailure.class)
                .hasMessageContaining("not found")
                .hasMessageContaining("look whether its rows are in the table")
                .hasMessageContaining("'sink.ignore.commit-error' = 'true' for one start");
        try (CapturedLogs logs = CapturedLogs.of(LingeringLoads.class);
                TestSink job = job().option("sink.ignore.commit-error", "true").from(old).start()) {
            assertThat(logs.lines())
                    .anyMatch(
                            line ->
                                    line.startsWith("WARN")
                                            && line.contains("cannot be proved")
                                            && line.contains("PT12H1M"));
            job.write(0, "b").checkpoint(3);
        }
    }

    @Test
    void theSecondRemedyAnotherPrefix() throws Exception {
        Checkpoint old;
        try (TestSink job = job().start()) {
            old = job.write(0, "a").checkpoint(1);
            job.write(0, "b").checkpoint(2);
            job.write(0, "open").snapshot(3);
        }
        try (CapturedLogs logs = CapturedLogs.of(LingeringLoads.class);
                TestSink job = job().option("sink.label-prefix", "other").from(old).start()) {
            assertThat(logs.lines().stream().filter(line -> line.startsWith("WARN")))
                    .as("one on the prefix, one on the label that is VISIBLE")
                    .hasSize(2)
                    .anyMatch(line -> line.contains("'other'") && line.contains("'job'"))
                    .anyMatch(line -> line.contains("is VISIBLE"));
            job.write(0, "b").checkpoint(3);
            open(0);
        }
        rowsAre("a", "b", "b");
        assertThat(world().labels(LabelState.VISIBLE).get(2)).startsWith("other_test_t_0_");
    }

    @Test
    void fourSubtasksThenTwoThenFour() throws Exception {
        Checkpoint four;
        try (TestSink job = job().parallelism(4).start()) {
            job.write(0, "a0").write(1, "a1").write(2, "a2").write(3, "a3");
            four = job.checkpoint(1);
            job.write(0, "x").write(1, "x").write(2, "x").write(3, "x").snapshot(2);
        }
        open(4);
        Checkpoint two;
        try (TestSink job = job().from(four).parallelism(2).attempt(1).start()) {
            open(4);
            job.snapshot(2);
            open(0);
            // A body of a subtask that is gone arrives late.
            String late = world().labels(LabelState.ABORTED).get(3);
            preCommit(late, "x");
            job.write(0, "b0").write(1, "b1");
            two = job.snapshot(3);
            assertThat(state(late)).isEqualTo(LabelState.PRECOMMITTED);
            job.complete(3);
            assertThat(state(late))
                    .as("aborted after the first checkpoint")
                    .isEqualTo(LabelState.ABORTED);
            assertThat(job.committer().counter("abandonedLoadsAborted")).isEqualTo(1);
            job.write(0, "y").write(1, "y").snapshot(4);
        }
        try (TestSink job = job().from(two).parallelism(4).start()) {
            job.write(0, "c0").write(1, "c1").write(2, "c2").write(3, "c3").checkpoint(5);
        }
        rowsAre("a0", "a1", "a2", "a3", "b0", "b1", "c0", "c1", "c2", "c3");
        open(0);
    }

    @Test
    void aStopWithSavepointThatCommitsOneSubtaskAndThenFails() throws Exception {
        Checkpoint first;
        TestSink job = job().parallelism(2).start();
        first = job.write(0, "a0").write(1, "a1").checkpoint(1);
        Checkpoint stopped = job.write(0, "b0").write(1, "b1").snapshot(2);
        List<DorisCommittable> savepoint = job.pending(2);
        // Subtask 0 commits, the other fails; no savepoint enters the checkpoint store.
        new TestCommitter(world().transactions(), false, () -> 0).commit(savepoint.subList(0, 1));
        job.close();

        assertThatThrownBy(() -> job().from(first).attempt(1).start())
                .isInstanceOf(LabelConflict.class)
                .hasMessageContaining(savepoint.get(0).label())
                .hasMessageContaining("or savepoint");
        rowsAre("a0", "a1", "b0");
        // Subtask 1 alone finds nothing wrong; it must not undo what the remedy needs.
        TestSink other = job().from(first).attempt(1).startSubtask(1);
        other.close();
        try (TestSink restored = job().from(stopped).start()) {
            rowsAre("a0", "a1", "b0", "b1");
            restored.write(0, "c0").checkpoint(3);
        }
        rowsAre("a0", "a1", "b0", "b1", "c0");
    }

    @Test
    void twoLoadsOfOneTableInOneCheckpoint() throws Exception {
        try (TestSink job = job().start()) {
            List<DorisCommittable> committables = new ArrayList<>();
            job.write(0, "first").writer(0).flush(false);
            committables.addAll(job.writer(0).prepareCommit());
            job.write(0, "second").writer(0).flush(true);
            committables.addAll(0, job.writer(0).prepareCommit());
            assertThat(committables.get(0).number()).isEqualTo(1);
            job.committer().commit(committables);
        }
        rowsAre("first", "second");
    }

    @Test
    void ofTwoLoadsOfOneTableTheSecondIsNotCommittedWhenTheFirstFails() throws Exception {
        try (TestSink job = job().start()) {
            List<DorisCommittable> committables = new ArrayList<>();
            for (String row : List.of("first", "second")) {
                job.write(0, row, "u/" + row).writer(0).flush(false);
                committables.addAll(job.writer(0).prepareCommit());
            }
            String first = committables.get(0).label();
            world().fault((kind, label) -> kind.equals("commit") && label.equals(first));
            assertThatThrownBy(() -> job.committer().commit(committables))
                    .isInstanceOf(CommitFailure.class)
                    .hasMessageContaining(first);
            rowsAre();
            rowsOfAre("u", "first", "second");
            world().heal();
            job.committer().commit(committables);
        }
        rowsAre("first", "second");
    }

    @Test
    void aCrashLoopOfFiftyAttemptsWithCheckpointStorageDown() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").checkpoint(1);
        }
        for (int attempt = 1; attempt <= 50; attempt++) {
            try (TestSink job = job().from(first).attempt(attempt).start()) {
                // Each checkpoint of the attempt is pre-committed, none completes.
                job.write(0, "b").snapshot(2);
                open(1);
                job.write(0, "c").snapshot(3);
                open(2);
            }
        }
        try (TestSink job = job().from(first).attempt(51).start()) {
            job.write(0, "b", "c").checkpoint(4);
        }
        rowsAre("a", "b", "c");
        open(0);
    }

    @Test
    void checkpointsThatFailForLongerThanHalfThePreCommitTimeout() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").checkpoint(1);
            job.write(0, "b").snapshot(2);
            for (int minute = 1; minute < 30; minute++) {
                world().advance(Duration.ofMinutes(1));
                // Every checkpoint brings a newer label, the old one is at stake all the same.
                job.write(0, "c" + minute).snapshot(2 + minute);
                job.contexts.get(0).fireTimers();
            }
            world().advance(Duration.ofMinutes(2));
            assertThatThrownBy(
                            () -> {
                                for (long end = System.nanoTime() + PATIENCE.toNanos();
                                        System.nanoTime() < end;
                                        Thread.sleep(2)) {
                                    job.contexts.get(0).fireTimers();
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no checkpoint has completed since")
                    .hasMessageContaining("'sink.precommit-timeout'");
        }
        try (TestSink job = job().from(first).attempt(1).start()) {
            job.write(0, "b").checkpoint(40);
            open(0);
        }
        rowsAre("a", "b");
    }

    @Test
    void savepointThenFailOverThenRestoreFromThatSavepoint() throws Exception {
        Checkpoint first;
        Checkpoint savepoint;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").checkpoint(1);
            savepoint = job.write(0, "b").snapshot(2);
            // Flink does not tell an operator that a plain savepoint is complete.
        }
        try (TestSink job = job().from(first).attempt(1).start()) {
            job.snapshot(3);
            open(0);
        }
        assertThatThrownBy(() -> job().from(savepoint).start())
                .isInstanceOf(CommitFailure.class)
                .hasMessageContaining("already aborted")
                .hasMessageContaining("valid until the next fail-over")
                .hasMessageContaining("'sink.ignore.commit-error' = 'true' for one start");
        try (TestSink job =
                job().option("sink.ignore.commit-error", "true").from(savepoint).start()) {
            job.write(0, "c").checkpoint(3);
        }
        rowsAre("a", "c");
    }

    @Test
    void endOfABoundedInputInStreamingWithCheckpoints() throws Exception {
        Checkpoint last;
        try (TestSink job = job().start()) {
            job.write(0, "a").checkpoint(1);
            job.write(0, "b");
            job.writer(0).flush(true);
            List<DorisCommittable> atTheEnd = List.copyOf(job.writer(0).prepareCommit());
            rowsAre("a");
            // The last checkpoint completes; the task fails before it is told.
            last = job.snapshot(2);
            job.committer().commit(atTheEnd);
        }
        rowsAre("a", "b");
        try (TestSink job = job().from(last).attempt(1).start()) {
            job.writer(0).flush(true);
            assertThat(job.writer(0).prepareCommit()).isEmpty();
        }
        rowsAre("a", "b");
    }

    @Test
    void endOfABoundedInputInStreamingWithoutCheckpoints() throws Exception {
        try (TestSink job = job().parallelism(2).start()) {
            job.write(0, "a").write(1, "b");
            for (int subtask = 0; subtask < 2; subtask++) {
                job.writer(subtask).flush(true);
            }
            job.committer().commit(job.writer(0).prepareCommit());
            // Subtask 1 fails before it commits.
            job.writer(1).prepareCommit();
        }
        String visible = world().labels(LabelState.VISIBLE).get(0);
        assertThatThrownBy(() -> job().parallelism(2).attempt(1).start())
                .isInstanceOf(LabelConflict.class)
                .hasMessageContaining(visible)
                .hasMessageContaining("this run began without a checkpoint");
    }

    @Test
    void theAnswerOfACommitIsLost() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            job.write(0, "a");
            first = job.snapshot(1);
            world().fault((kind, label) -> kind.equals("commit")).times(1).answerLost();
            assertThatThrownBy(() -> job.complete(1)).isInstanceOf(CommitFailure.class);
        }
        try (TestSink job = job().from(first).attempt(1).start()) {
            job.write(0, "b").checkpoint(2);
        }
        rowsAre("a", "b");
    }

    @Test
    void aCommitIsAnsweredAlreadyAborted() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a", "u/1").snapshot(1);
        }
        String ofTable = open(2).stream().filter(label -> label.contains("_t_")).findFirst().get();
        Pause.await(
                world().transactions()
                        .abort(
                                List.of(new Label(TestSink.DATABASE, ofTable)),
                                Transactions.OnFailure.END_CALL),
                Pause.INTERRUPTS);
        assertThatThrownBy(() -> job().from(first).attempt(1).start())
                .isInstanceOf(CommitFailure.class)
                .hasMessageContaining("already aborted");
        assertThatThrownBy(() -> job().from(first).attempt(2).start())
                .as("it does not heal by itself")
                .isInstanceOf(CommitFailure.class);
        rowsOfAre("u", "1");
        try (CapturedLogs logs = CapturedLogs.of(TestCommitter.class.getPackageName());
                TestSink job =
                        job().option("sink.ignore.commit-error", "true")
                                .from(first)
                                .attempt(3)
                                .start()) {
            assertThat(job.committer().counter("commitErrorsIgnored")).isEqualTo(1);
            assertThat(logs.lines())
                    .anyMatch(line -> line.startsWith("ERROR") && line.contains("rows are lost"));
            job.write(0, "b").checkpoint(2);
        }
        rowsAre("b");
    }

    @Test
    void aChangedPrefixWithTheNewestCheckpoint() throws Exception {
        Checkpoint first;
        try (TestSink job = job().start()) {
            first = job.write(0, "a").snapshot(1);
        }
        try (TestSink job = job().option("sink.label-prefix", "new").from(first).start()) {
            rowsAre("a");
            job.write(0, "b").checkpoint(2);
        }
        rowsAre("a", "b");
    }
}
