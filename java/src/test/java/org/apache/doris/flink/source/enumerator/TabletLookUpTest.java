package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.jni.ScanPlan;
import org.apache.doris.flink.jni.ScanPlans;
import org.apache.doris.flink.source.event.LimitReachedEvent;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A tablet that is gone is noticed by few looks, whatever fails, and splits follow parallelism. */
class TabletLookUpTest {

    private final FakeEnumeratorContext context = new FakeEnumeratorContext();
    private final Planner planner = new Planner();

    @Test
    void thousandsOfTabletsAreAHandfulOfSplitsAndOneLookPerReaderAtMost() throws Exception {
        planner.tablets(2048);
        context.register(0, 1);
        DorisEnumerator enumerator = started(Map.of());
        context.readAll(enumerator, 2100, 0, 1);
        assertThat(context.finished).containsExactlyInAnyOrder(0, 1);
        assertThat(context.allAssigned())
                .hasSize(2 * SnapshotPhase.SPLITS_PER_SUBTASK)
                .allSatisfy(split -> assertThat(split.tablets()).hasSize(128))
                .noneMatch(DorisSplit::looksUpTablets);
        assertThat(planner.looks).isBetween(1, 2);
    }

    @Test
    void theUsersTabletsPerSplitRule() throws Exception {
        planner.tablets(100);
        context.register(0, 1);
        context.readAll(started(Map.of("doris.request.tablet.size", "1")), 2100, 0, 1);
        assertThat(context.allAssigned()).hasSize(100);
        assertThat(planner.looks).isBetween(1, 2);
    }

    @Test
    void aTabletThatIsGoneInMidReadFailsTheJobBeforeAnyReaderEnds() throws Exception {
        planner.tablets(3);
        context.register(0);
        DorisEnumerator enumerator = started(Map.of());
        planner.present.remove(10001L);
        assertThatThrownBy(() -> context.readAll(enumerator, 2100, 0))
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("test.t has no tablet [10001] any more")
                .hasMessageContaining("start the job anew");
        assertThat(context.finished).isEmpty();
    }

    @Test
    void aLookThatFailsFailsTheJobInItsOwnWords() throws Exception {
        planner.tablets(1);
        context.register(0);
        DorisEnumerator enumerator = started(Map.of());
        planner.failure = new IOException("fe1:8030 cannot be reached");
        assertThatThrownBy(() -> context.readAll(enumerator, 2100, 0))
                .hasMessageContaining("test.t")
                .hasMessageContaining("fe1:8030 cannot be reached");
        assertThat(context.finished).isEmpty();
    }

    /** Its rows went on before the checkpoint, so nobody reads it again. */
    @Test
    void aSplitThatWasFinishedBeforeACheckpointIsLookedBehindAfterTheRestore() throws Exception {
        planner.tablets(3);
        context.register(0);
        DorisEnumerator first = started(Map.of());
        first.handleSplitRequest(0, "h");
        long finished = context.assignedTo(0).get(0).tablets()[0];
        first.handleSplitRequest(0, "h");
        EnumeratorStateSerializer serializer = EnumeratorStateSerializer.INSTANCE;
        EnumeratorState state =
                serializer.deserialize(
                        serializer.getVersion(), serializer.serialize(first.snapshotState(1)));
        planner.present.remove(finished);

        FakeEnumeratorContext restored = new FakeEnumeratorContext();
        restored.register(0);
        DorisEnumerator second = enumerator(restored, Map.of());
        second.adopt(state);
        second.start();
        assertThatThrownBy(() -> restored.readAll(second, 2100, 0))
                .hasMessageContaining("no tablet [" + finished + "]");
        assertThat(second.snapshotState(2).tablets()).contains(finished);
    }

    @Test
    void aRequestDuringALookWaitsForTheNextOne() throws Exception {
        planner.tablets(2);
        context.register(0, 1);
        DorisEnumerator enumerator = started(Map.of());
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSplitRequest(1, "h");
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSplitRequest(1, "h");
        context.runOne();
        assertThat(context.finished).as("asked before the look began").containsExactly(0);
        context.runBackground();
        assertThat(context.finished).containsExactlyInAnyOrder(0, 1);
        assertThat(planner.looks).isEqualTo(2);
    }

    @Test
    void aReaderThatFailsDuringTheLookGetsItsSplitAgainAndNotTheEnd() throws Exception {
        planner.tablets(1);
        context.register(0);
        DorisEnumerator enumerator = started(Map.of());
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSplitRequest(0, "h");
        enumerator.addSplitsBack(context.assignedTo(0), 0);
        context.runBackground();
        assertThat(context.finished).isEmpty();
        enumerator.handleSplitRequest(0, "h");
        assertThat(context.assignedTo(0)).hasSize(2);
        context.readAll(enumerator, 2100, 0);
        assertThat(context.finished).containsExactly(0);
    }

    @Test
    void aReaderWithEnoughRowsEndsTheReadingForAll() throws Exception {
        planner.tablets(2048);
        context.register(0, 1, 2);
        DorisEnumerator enumerator = started(Map.of());
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSplitRequest(1, "h");
        enumerator.handleSourceEvent(0, new LimitReachedEvent());
        context.readAll(enumerator, 2100, 0, 1, 2);
        assertThat(context.finished).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(context.allAssigned()).hasSize(2);
        assertThat(planner.looks).as("rows that are not wanted are not looked for").isZero();
        assertThat(enumerator.snapshotState(1).unassigned()).hasSize(22);
    }

    /** With speculative execution Flink tells which attempt an event is from. */
    @Test
    void anyAttemptOfAReaderMayHaveEnoughRows() throws Exception {
        planner.tablets(8);
        context.register(0, 1);
        DorisEnumerator enumerator = started(Map.of());
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSourceEvent(0, 1, new LimitReachedEvent());
        context.readAll(enumerator, 2100, 0, 1);
        assertThat(context.allAssigned()).hasSize(1);
    }

    /** What it had emitted is taken back, so the others are needed again. */
    @Test
    void aReaderThatHadEnoughRowsAndFailsIsReadFor() throws Exception {
        planner.tablets(4);
        context.register(0, 1);
        DorisEnumerator enumerator = started(Map.of());
        enumerator.handleSplitRequest(0, "h");
        enumerator.handleSourceEvent(0, new LimitReachedEvent());
        enumerator.handleSplitRequest(1, "h");
        enumerator.addSplitsBack(context.assignedTo(0), 0);
        context.readAll(enumerator, 2100, 0);
        assertThat(context.assignedTo(0))
                .extracting(DorisSplit::splitId)
                .hasSize(5)
                .contains(context.assignedTo(0).get(0).splitId());
    }

    private DorisEnumerator started(Map<String, String> options) {
        DorisEnumerator enumerator = enumerator(context, options);
        enumerator.start();
        context.runBackground();
        return enumerator;
    }

    private DorisEnumerator enumerator(FakeEnumeratorContext context, Map<String, String> options) {
        return new DorisEnumerator(context, scan(options), planner, null, () -> 0);
    }

    private static ScanConfig scan(Map<String, String> more) {
        Map<String, String> map = new HashMap<>(more);
        map.put("fenodes", "h:1");
        map.put("table.identifier", "test.t");
        OptionValues options = OptionValues.of(map);
        return new ScanConfig(
                ConnectionConfig.from(options),
                ReadConfig.from(options),
                RowType.of(new IntType()),
                List.of(),
                "",
                ScanConfig.NO_LIMIT,
                "UTC");
    }

    /** A cluster with a table whose tablets come and go. */
    private static final class Planner implements ScanPlanner {

        private final Map<Long, List<String>> present = new TreeMap<>();
        private int looks;
        private Exception failure;

        private void tablets(int count) {
            for (long i = 0; i < count; i++) {
                present.put(10000 + i, List.of("be:9060"));
            }
        }

        @Override
        public ScanPlan plan(BooleanSupplier cancelled) throws Exception {
            return ScanPlans.of(new TreeMap<>(present));
        }

        @Override
        public ScanPlan lookUp(BooleanSupplier cancelled) throws Exception {
            looks++;
            if (failure != null) {
                throw failure;
            }
            return ScanPlans.of(new TreeMap<>(present));
        }
    }
}
