package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.jni.ScanPlans;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Planning, assignment, fail-over and restore, with a coordinator that the test drives. */
class DorisEnumeratorTest {

    private final FakeEnumeratorContext context = new FakeEnumeratorContext();

    @Test
    void requestsWaitForThePlan() throws Exception {
        DorisEnumerator enumerator = enumerator(plan(5, 1));
        enumerator.start();
        context.register(0, 1);
        enumerator.handleSplitRequest(0, "h");
        assertThat(context.allAssigned()).isEmpty();
        context.runBackground();
        assertThat(context.assignedTo(0)).hasSize(1);
        context.readAll(enumerator, 100, 0, 1);
        assertThat(context.allAssigned())
                .hasSize(5)
                .extracting(DorisSplit::splitId)
                .doesNotHaveDuplicates();
        assertThat(context.finished).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void fewerSplitsThanReaders() throws Exception {
        DorisEnumerator enumerator = started(plan(1, 1));
        context.register(0, 1, 2, 3);
        context.readAll(enumerator, 100, 0, 1, 2, 3);
        assertThat(context.allAssigned()).hasSize(1);
        assertThat(context.finished).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void noTabletsLeftMeansTheEnd() throws Exception {
        DorisEnumerator enumerator = started(ScanPlans.of(Map.of()));
        context.register(0);
        enumerator.handleSplitRequest(0, "h");
        assertThat(context.allAssigned()).isEmpty();
        assertThat(context.finished).containsExactly(0);
    }

    @Test
    void aViewIsOneSplit() throws Exception {
        DorisEnumerator enumerator = started(ScanPlans.withoutTablets());
        context.register(0);
        context.readAll(enumerator, 100, 0);
        assertThat(context.assignedTo(0))
                .singleElement()
                .satisfies(split -> assertThat(split.tablets()).isEmpty());
    }

    @Test
    void readersSpreadOverBackends() throws Exception {
        DorisEnumerator enumerator = started(plan(30, 3));
        context.register(0, 1, 2);
        for (int subtask = 0; subtask < 3; subtask++) {
            enumerator.handleSplitRequest(subtask, "h");
        }
        assertThat(context.allAssigned())
                .extracting(split -> split.backends().get(0))
                .doesNotHaveDuplicates();
    }

    @Test
    void aFailedPlanFailsTheJobInItsOwnWords() {
        IOException cause = new IOException("fe1:8030 refused the login of 'u'");
        DorisEnumerator enumerator =
                enumerator(
                        context,
                        scan("test.t"),
                        cancelled -> {
                            throw cause;
                        });
        enumerator.start();
        assertThatThrownBy(context::runBackground)
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("test.t")
                .hasMessageContaining("fe1:8030 refused the login of 'u'")
                .hasCause(cause);
    }

    @Test
    void aHopelessPlanEndsTheJobUnlessItGoesOnFromACheckpoint() {
        NativeException refused = new NativeException(ErrorCode.AUTH, "user 'u' refused");
        ScanPlanner planner =
                cancelled -> {
                    throw refused;
                };
        DorisEnumerator fresh = enumerator(context, scan("test.t"), planner);
        fresh.start();
        assertThatThrownBy(context::runBackground)
                .isInstanceOf(PlanRefusedException.class)
                .hasMessageContaining("user 'u' refused")
                .hasCause(refused);

        FakeEnumeratorContext again = new FakeEnumeratorContext();
        DorisEnumerator restored = enumerator(again, scan("test.t"), planner);
        restored.adopt(fresh.snapshotState(1));
        restored.start();
        assertThatThrownBy(again::runBackground).isExactlyInstanceOf(FlinkRuntimeException.class);
    }

    @Test
    void splitsOfAFailedReaderAreGivenOutAgain() throws Exception {
        DorisEnumerator enumerator = started(plan(3, 1));
        context.register(0, 1);
        enumerator.handleSplitRequest(0, "h");
        DorisSplit lost = context.assignedTo(0).get(0);
        enumerator.addSplitsBack(List.of(lost), 0);
        context.readAll(enumerator, 100, 1);
        assertThat(context.assignedTo(1)).hasSize(3).contains(lost);
    }

    @Test
    void aReaderThatIsGoneGetsNothing() throws Exception {
        DorisEnumerator enumerator = enumerator(plan(2, 1));
        enumerator.start();
        context.register(0);
        enumerator.handleSplitRequest(0, "h");
        context.readers.clear();
        context.runBackground();
        assertThat(context.allAssigned()).isEmpty();
        assertThat(enumerator.snapshotState(1).unassigned()).hasSize(2);
    }

    @Test
    void finishedSplitsAreNotReadAgainAfterARestore() throws Exception {
        DorisEnumerator first = started(plan(6, 2));
        context.register(0, 1);
        first.handleSplitRequest(0, "h");
        first.handleSplitRequest(1, "h");
        first.handleSplitRequest(0, "h");
        EnumeratorState state = first.snapshotState(1);
        assertThat(state.unassigned()).hasSize(3);
        assertThat(state.splitsTotal()).isEqualTo(6);

        FakeEnumeratorContext restored = new FakeEnumeratorContext();
        ScanPlan present = plan(6, 2);
        DorisEnumerator second =
                enumerator(
                        restored,
                        scan("test.t"),
                        new ScanPlanner() {
                            @Override
                            public ScanPlan plan(BooleanSupplier cancelled) {
                                throw new AssertionError("planned twice");
                            }

                            @Override
                            public ScanPlan lookUp(BooleanSupplier cancelled) {
                                return present;
                            }
                        });
        second.adopt(roundTrip(state));
        second.start();
        assertThat(restored.hasBackground()).isFalse();
        restored.register(0, 1, 2, 3, 4);
        restored.readAll(second, 100, 0, 1, 2, 3, 4);
        List<DorisSplit> all = new ArrayList<>(context.allAssigned());
        all.addAll(restored.allAssigned());
        assertThat(all).hasSize(6).extracting(DorisSplit::splitId).doesNotHaveDuplicates();
        assertThat(second.snapshotState(2).splitsTotal()).isEqualTo(6);
    }

    @Test
    void anUnplannedStateIsPlannedAfterARestore() throws Exception {
        DorisEnumerator first = enumerator(plan(2, 1));
        first.start();
        EnumeratorState state = first.snapshotState(1);
        FakeEnumeratorContext restored = new FakeEnumeratorContext();
        ScanPlan plan = plan(2, 1);
        DorisEnumerator second = enumerator(restored, scan("test.t"), cancelled -> plan);
        second.adopt(roundTrip(state));
        second.start();
        restored.runBackground();
        restored.register(0);
        restored.readAll(second, 100, 0);
        assertThat(restored.assignedTo(0)).hasSize(2);
    }

    @Test
    void anotherTableThanInTheCheckpointIsAnError() throws Exception {
        EnumeratorState state = started(plan(1, 1)).snapshotState(1);
        DorisEnumerator restored = DorisEnumerator.restore(context, scan("test.other"), state);
        assertThatThrownBy(() -> restored.snapshotState(2)).hasMessageContaining("test.other");
        assertThatThrownBy(restored::start)
                .hasMessageContaining("test.t")
                .hasMessageContaining("test.other")
                .hasMessageContaining("table.identifier");
    }

    @Test
    void aScanModeOfTheChangelogInTheCheckpointIsAnError() {
        EnumeratorState state =
                new EnumeratorState(
                        new TableIdentifier("", "test", "t"),
                        OptionalLong.empty(),
                        ScanMode.FROM_TIMESTAMP,
                        true,
                        0,
                        List.of(),
                        Set.of(),
                        ChangelogState.NONE);
        assertThatThrownBy(DorisEnumerator.restore(context, scan("test.t"), state)::start)
                .hasMessageContaining("from-timestamp")
                .hasMessageContaining("source.scan.mode");
    }

    @Test
    void aClosedEnumeratorCancelsItsPlan() {
        AtomicInteger asked = new AtomicInteger();
        DorisEnumerator[] enumerator = new DorisEnumerator[1];
        enumerator[0] =
                enumerator(
                        context,
                        scan("test.t"),
                        cancelled -> {
                            while (!cancelled.getAsBoolean()) {
                                if (asked.incrementAndGet() == 3) {
                                    enumerator[0].close();
                                }
                            }
                            throw new InterruptedException();
                        });
        enumerator[0].start();
        context.runBackground();
        assertThat(asked).hasValue(3);
    }

    private DorisEnumerator enumerator(ScanPlan plan) {
        return enumerator(context, scan("test.t"), cancelled -> plan);
    }

    private static DorisEnumerator enumerator(
            FakeEnumeratorContext context, ScanConfig scan, ScanPlanner planner) {
        return new DorisEnumerator(context, scan, planner, null, () -> 0);
    }

    private DorisEnumerator started(ScanPlan plan) {
        DorisEnumerator enumerator = enumerator(plan);
        enumerator.start();
        context.runBackground();
        return enumerator;
    }

    private static EnumeratorState roundTrip(EnumeratorState state) throws IOException {
        EnumeratorStateSerializer serializer = EnumeratorStateSerializer.INSTANCE;
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
    }

    private static ScanPlan plan(int tablets, int backends) throws IOException {
        Map<Long, List<String>> plan = new TreeMap<>();
        for (int i = 0; i < tablets; i++) {
            plan.put(10000L + i, List.of("be" + i % backends + ":9060"));
        }
        return ScanPlans.of(plan);
    }

    private static ScanConfig scan(String table) {
        OptionValues options = OptionValues.of(Map.of("fenodes", "h:1", "table.identifier", table));
        return new ScanConfig(
                ConnectionConfig.from(options),
                ReadConfig.from(options),
                RowType.of(new IntType()),
                List.of(),
                "",
                ScanConfig.NO_LIMIT,
                "UTC");
    }
}
