package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;

/** The whole reader on Flink's base: what comes out, and what a restore makes of it. */
@Timeout(120)
class ChangelogReaderTest {

    private static final SliceScheme ONE = SliceScheme.hash(1);
    private static final SliceScheme TWO = SliceScheme.hash(2);

    private final FakeScan scan = new FakeScan();

    @Test
    void rowsHaveTheKindOfTheirOperation() throws Exception {
        fourKinds();
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            bound(harness, 1_000, ONE);
            harness.runUntil(() -> harness.rows.size() == 4);
            assertThat(harness.rows).containsExactly("+I1", "-U2", "+U3", "-D4");
        }
    }

    @Test
    void upsertsHaveNoRowBeforeAnUpdate() throws Exception {
        fourKinds();
        ScanConfig config = TestScans.changes("source.changelog.changelog-mode", "upsert");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            bound(harness, 1_000, ONE);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 1_000);
            assertThat(harness.rows).containsExactly("+I1", "+U3", "-D4");
            assertThat(harness.metrics.count("numRecordsIn")).as("all were read").isEqualTo(4);
        }
    }

    @Test
    void anAuditIsInsertOnly() throws Exception {
        fourKinds();
        ScanConfig config = TestScans.changes("source.changelog.changelog-mode", "audit");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            bound(harness, 1_000, ONE);
            harness.runUntil(() -> harness.rows.size() == 4);
            assertThat(harness.rows).containsExactly("+I1", "+I2", "+I3", "+I4");
        }
    }

    /** What a server tells as the row before an update is the row after it, which never was. */
    @Test
    void withoutHistoryNoRowIsTakenBackAndAnUpdateIsAnInsert() throws Exception {
        fourKinds();
        try (ReaderHarness harness = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            withoutHistory(harness, 1_000);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 1_000);
            assertThat(harness.rows).containsExactly("+I1", "+I3", "-D4");
            assertThat(harness.metrics.count("changelogBeforeRowsDropped")).isEqualTo(1);
            assertThat(harness.metrics.count("numRecordsIn")).as("all were read").isEqualTo(4);
        }
    }

    @Test
    void withoutHistoryUpsertsKeepTheirUpdates() throws Exception {
        fourKinds();
        ScanConfig config = TestScans.changes("source.changelog.changelog-mode", "upsert");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            withoutHistory(harness, 1_000);
            harness.runUntil(() -> harness.metrics.value("changelogPositionTimestamp") == 1_000);
            assertThat(harness.rows).containsExactly("+I1", "+U3", "-D4");
            assertThat(harness.metrics.count("changelogBeforeRowsDropped")).isEqualTo(1);
        }
    }

    @Test
    void withoutHistoryAnAuditShowsWhatTheServerSaid() throws Exception {
        fourKinds();
        ScanConfig config = TestScans.changes("source.changelog.changelog-mode", "audit");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            withoutHistory(harness, 1_000);
            harness.runUntil(() -> harness.rows.size() == 4);
            assertThat(harness.rows).containsExactly("+I1", "+I2", "+I3", "+I4");
            assertThat(harness.metrics.count("changelogBeforeRowsDropped")).isZero();
        }
    }

    @Test
    void withoutHistoryAnInsertOnlyReadRefusesUpdatesAllTheSame() throws Exception {
        scan.changes.change(ms(100), 1, 2, 4);
        ScanConfig config = TestScans.changes("source.changelog.increment-type", "append_only");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            withoutHistory(harness, 1_000);
            assertThatThrownBy(() -> harness.runUntil(() -> false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("operation 2");
        }
    }

    /** Dropped rows count for the position: the server sends them again. */
    @Test
    void withoutHistoryACheckpointBetweenAnyTwoRecordsIsExact() throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            long tso = FakeChanges.tso(200L * (i / 4), 0);
            if (i % 3 == 0) {
                scan.changes.change(tso, i, 0, i);
            } else {
                scan.changes.change(tso, i, 2, i).change(tso, i, 3, i);
            }
            all.add("+I" + i);
        }
        scan.changes.batchSize = 3;
        for (int cut = 0; cut <= 12; cut++) {
            for (int more = 0; more < 2; more++) {
                int rows = cut;
                List<DorisSplit> state = new ArrayList<>();
                List<String> before;
                ReaderHarness first = harness(TestScans.changes()).start(List.of(slice(ONE, 0)));
                try (first) {
                    withoutHistory(first, 1_000);
                    first.runUntil(() -> first.rows.size() == rows);
                    for (int i = 0; i < more; i++) {
                        // Behind a row that was dropped, where one follows.
                        first.step();
                    }
                    for (DorisSplit split : first.reader.snapshotState(1)) {
                        state.add(stored(split));
                    }
                    before = new ArrayList<>(first.rows);
                }
                try (ReaderHarness second = harness(TestScans.changes()).start(state)) {
                    withoutHistory(second, 1_000);
                    second.runUntil(
                            () -> second.metrics.value("changelogPositionTimestamp") == 1_000);
                    assertThat(second.metrics.value("changelogPositionMismatches")).isZero();
                    before.addAll(second.rows);
                    assertThat(before).as("cut after %d rows", rows).isEqualTo(all);
                }
            }
        }
        assertThat(scan.live()).isZero();
    }

    /** A server that was upgraded in between tells the same update in another form. */
    @Test
    void withoutHistoryAnotherFormOfTheSameUpdatesRepeatsACommitAndSkipsNothing() throws Exception {
        FakeScan newer = new FakeScan();
        for (int i = 0; i < 6; i++) {
            scan.changes.change(ms(100 * (i / 3)), i, 0, i);
            newer.changes.change(ms(100 * (i / 3)), i, 2, i).change(ms(100 * (i / 3)), i, 3, i);
        }
        for (int cut = 1; cut < 6; cut++) {
            for (boolean upgrade : new boolean[] {true, false}) {
                int rows = cut;
                List<DorisSplit> state;
                ReaderHarness first =
                        new ReaderHarness(upgrade ? scan : newer, TestScans.changes())
                                .start(List.of(slice(ONE, 0)));
                try (first) {
                    withoutHistory(first, 1_000);
                    first.runUntil(() -> first.rows.size() == rows);
                    state = first.reader.snapshotState(1);
                }
                ReaderHarness second =
                        new ReaderHarness(upgrade ? newer : scan, TestScans.changes()).start(state);
                try (second) {
                    withoutHistory(second, 1_000);
                    second.runUntil(
                            () -> second.metrics.value("changelogPositionTimestamp") == 1_000);
                    List<String> expected = new ArrayList<>();
                    for (int i = 3 * ((cut - 1) / 3); i < 6; i++) {
                        expected.add("+I" + i);
                    }
                    assertThat(second.rows)
                            .as("%d rows, upgrade %s", cut, upgrade)
                            .isEqualTo(expected);
                    assertThat(second.metrics.value("changelogPositionMismatches")).isEqualTo(1);
                }
            }
        }
        assertThat(scan.live() + newer.live()).isZero();
    }

    @Test
    void anInsertOnlyReadRefusesOtherChanges() throws Exception {
        scan.changes.change(ms(100), 1, 1, 4);
        ScanConfig config = TestScans.changes("source.changelog.increment-type", "append_only");
        try (ReaderHarness harness = harness(config).start(List.of(slice(ONE, 0)))) {
            bound(harness, 1_000, ONE);
            assertThatThrownBy(() -> harness.runUntil(() -> false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("operation 1")
                    .hasMessageContaining("slice-hash-1-0");
        }
    }

    /**
     * Rules 1, 3, 7: a checkpoint between any two records, at whatever position of the fetcher, and
     * a restore from it, loses nothing and repeats nothing.
     */
    @Test
    void aCheckpointBetweenAnyTwoRecordsIsExact() throws Exception {
        Random random = new Random(20261130);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            // Few TSOs and LSNs: many rows share a position.
            long tso = FakeChanges.tso(200L * (i / 5), 0);
            scan.changes.change(tso, random.nextInt(2), random.nextInt(4), i);
        }
        scan.changes.batchSize = 3;
        try (ReaderHarness whole = harness(TestScans.changes()).start(slices(TWO))) {
            bound(whole, 1_000, TWO);
            whole.runUntil(() -> whole.rows.size() == 24);
            all.addAll(whole.rows);
        }
        for (int cut = 0; cut <= 24; cut++) {
            int rows = cut;
            List<DorisSplit> state = new ArrayList<>();
            List<String> before;
            try (ReaderHarness first = harness(TestScans.changes()).start(slices(TWO))) {
                bound(first, 1_000, TWO);
                first.runUntil(() -> first.rows.size() == rows);
                for (DorisSplit split : first.reader.snapshotState(1)) {
                    state.add(stored(split));
                }
                before = new ArrayList<>(first.rows);
            }
            try (ReaderHarness second = harness(TestScans.changes()).start(state)) {
                bound(second, 1_000, TWO);
                second.runUntil(() -> second.metrics.value("changelogPositionTimestamp") == 1_000);
                assertThat(second.metrics.value("changelogPositionMismatches")).isZero();
                before.addAll(second.rows);
                assertThat(sorted(before)).as("cut after %d rows", rows).isEqualTo(sorted(all));
            }
        }
        assertThat(scan.live()).isZero();
    }

    /** Rule 7: where the dropped rows are others than before, their TSO comes again, no more. */
    @Test
    void rowsThatAreOthersThanBeforeComeAgain() throws Exception {
        scan.changes.insert(ms(100), 1, 1).insert(ms(200), 1, 2).insert(ms(200), 2, 3);
        scan.changes.insert(ms(300), 1, 4);
        List<DorisSplit> state;
        try (ReaderHarness first = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            bound(first, 1_000, ONE);
            first.runUntil(() -> first.rows.size() == 2);
            state = first.reader.snapshotState(1);
        }
        scan.changes.replace(2, 20);
        try (ReaderHarness second = harness(TestScans.changes()).start(state)) {
            bound(second, 1_000, ONE);
            second.runUntil(() -> second.rows.size() == 3);
            assertThat(second.rows).containsExactly("+I20", "+I3", "+I4");
            assertThat(second.metrics.value("changelogPositionMismatches")).isEqualTo(1);
        }
    }

    /** Rule 8: what was opened keeps its border, also when the bound is further by now. */
    @Test
    void anOpenWindowKeepsItsBorderForEver() throws Exception {
        ScanConfig config = TestScans.changes("source.changelog.increment-type", "min_delta");
        scan.changes.insert(ms(100), 1, 1).insert(ms(200), 1, 2).insert(ms(5_000), 1, 3);
        List<DorisSplit> state;
        try (ReaderHarness first = harness(config).start(List.of(slice(ONE, 0)))) {
            bound(first, 1_000, ONE);
            first.runUntil(() -> first.rows.size() == 1);
            state = first.reader.snapshotState(1);
        }
        scan.windows.clear();
        try (ReaderHarness second = harness(config).start(state)) {
            bound(second, 9_000, ONE);
            second.runUntil(() -> second.rows.size() == 2);
            assertThat(second.rows).containsExactly("+I2", "+I3");
            assertThat(scan.windows.get(0).window().endMillis()).isEqualTo(1_000);
            assertThat(scan.windows.get(1).window().startMillis()).isEqualTo(1_000);
        }
    }

    @Test
    void anotherIncrementTypeReadsTheWindowFromItsStart() throws Exception {
        scan.changes.insert(ms(100), 1, 1).insert(ms(200), 1, 2);
        List<DorisSplit> state;
        try (ReaderHarness first = harness(TestScans.changes()).start(List.of(slice(ONE, 0)))) {
            bound(first, 1_000, ONE);
            first.runUntil(() -> first.rows.size() == 1);
            state = first.reader.snapshotState(1);
        }
        ScanConfig config = TestScans.changes("source.changelog.increment-type", "append_only");
        try (ReaderHarness second = harness(config).start(state)) {
            assertThat(second.reader.snapshotState(1).get(0).changelog().get().position())
                    .isEmpty();
            bound(second, 9_000, ONE);
            second.runUntil(() -> second.rows.size() == 2);
            assertThat(second.rows).containsExactly("+I1", "+I2");
            assertThat(scan.windows.get(1).window().endMillis()).isEqualTo(1_000);
            assertThat(scan.windows.get(1).window().incrementType())
                    .contains(IncrementType.APPEND_ONLY);
        }
    }

    private void fourKinds() {
        scan.changes.change(ms(100), 1, 0, 1).change(ms(200), 1, 2, 2);
        scan.changes.change(ms(200), 1, 3, 3).change(ms(300), 1, 1, 4);
    }

    private ReaderHarness harness(ScanConfig config) {
        return new ReaderHarness(scan, config);
    }

    private static void withoutHistory(ReaderHarness harness, long millis) {
        harness.reader.handleSourceEvents(
                new BoundEvent(
                        millis, OptionalLong.empty(), ONE, millis + 5, 0, Long.MIN_VALUE, false));
    }

    private static void bound(ReaderHarness harness, long millis, SliceScheme scheme) {
        harness.reader.handleSourceEvents(
                new BoundEvent(
                        millis, OptionalLong.empty(), scheme, millis + 5, 0, Long.MIN_VALUE, true));
    }

    private static List<DorisSplit> slices(SliceScheme scheme) {
        List<DorisSplit> slices = new ArrayList<>();
        for (int i = 0; i < scheme.count(); i++) {
            slices.add(slice(scheme, i));
        }
        return slices;
    }

    private static DorisSplit slice(SliceScheme scheme, long slice) {
        return DorisSplit.slice(
                scheme.splitId(slice), ChangelogProgress.starting(scheme, slice, 0));
    }

    private static long ms(long millis) {
        return FakeChanges.tso(millis, 0);
    }

    private static DorisSplit stored(DorisSplit split) throws IOException {
        DorisSplitSerializer serializer = DorisSplitSerializer.INSTANCE;
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(split));
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().collect(Collectors.toList());
    }
}
