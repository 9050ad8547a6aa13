package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
import org.apache.doris.flink.source.split.SliceIds;
import org.apache.doris.flink.source.split.SliceScheme;
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
                    .contains(DorisBinlogIncrementType.APPEND_ONLY);
        }
    }

    private void fourKinds() {
        scan.changes.change(ms(100), 1, 0, 1).change(ms(200), 1, 2, 2);
        scan.changes.change(ms(200), 1, 3, 3).change(ms(300), 1, 1, 4);
    }

    private ReaderHarness harness(ScanConfig config) {
        return new ReaderHarness(scan, config);
    }

    private static void bound(ReaderHarness harness, long millis, SliceScheme scheme) {
        harness.reader.handleSourceEvents(
                new BoundEvent(
                        millis, OptionalLong.empty(), scheme, millis + 5, 0, Long.MIN_VALUE));
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
                SliceIds.of(scheme, slice), ChangelogProgress.starting(scheme, slice, 0));
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
