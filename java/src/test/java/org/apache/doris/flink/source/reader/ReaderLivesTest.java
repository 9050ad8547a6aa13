package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Random lives of a reader: bounds that come when they come, pauses, checkpoints, crashes, other
 * distributions of the slices. Each change arrives exactly once and each slice in its order.
 */
@Timeout(120)
class ReaderLivesTest {

    private static final int SECONDS = 6;
    private static final int CHANGES = 60;

    private final FakeScan scan = new FakeScan();
    private final List<Long> partitions = new ArrayList<>();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void nothingIsLostTwiceOrOutOfOrder(int seed) throws Exception {
        Random random = new Random(seed);
        SliceScheme scheme =
                random.nextInt(4) == 0 ? SliceScheme.PARTITIONS : SliceScheme.hash(1 + seed % 3);
        fill(random);
        scan.changes.batchSize = 1 + random.nextInt(4);
        List<DorisSplit> state = slices(scheme);
        List<String> kept = new ArrayList<>();
        int bound = 0;
        int lives = 2 + random.nextInt(5);
        for (int life = 0; life < lives; life++) {
            Collections.shuffle(state, random);
            List<String> before = kept;
            try (ReaderHarness harness = harness().start(state)) {
                bound(harness, bound, scheme);
                int steps = random.nextInt(80);
                for (int step = 0; step < steps; step++) {
                    act(harness, random, scheme);
                    if (random.nextInt(8) == 0 && bound < SECONDS) {
                        bound(harness, ++bound, scheme);
                    }
                    if (random.nextInt(6) == 0) {
                        state = stored(harness.reader.snapshotState(step));
                        kept = new ArrayList<>(before);
                        kept.addAll(harness.rows);
                    }
                }
            }
        }
        try (ReaderHarness harness = harness().start(state)) {
            bound(harness, SECONDS, scheme);
            harness.runUntil(
                    () -> harness.metrics.value("changelogPositionTimestamp") == SECONDS * 1000L);
            kept.addAll(harness.rows);
            assertThat(harness.metrics.value("changelogPositionMismatches")).isZero();
        }
        assertThat(kept).hasSize(CHANGES);
        for (DorisSplit slice : slices(scheme)) {
            long number = slice.changelog().get().slice();
            assertThat(ofSlice(kept, scheme, number))
                    .as("slice %d of %s", number, scheme)
                    .isEqualTo(ofSlice(expected(), scheme, number));
        }
        assertThat(scan.live()).isZero();
    }

    private static void act(ReaderHarness harness, Random random, SliceScheme scheme)
            throws Exception {
        List<String> ids =
                slices(scheme).stream().map(DorisSplit::splitId).collect(Collectors.toList());
        String slice = ids.get(random.nextInt(ids.size()));
        switch (random.nextInt(10)) {
            case 0:
                harness.reader.pauseOrResumeSplits(List.of(slice), List.of());
                break;
            case 1:
                harness.reader.pauseOrResumeSplits(List.of(), ids);
                break;
            default:
                harness.step();
        }
    }

    private void fill(Random random) {
        for (int i = 0; i < CHANGES; i++) {
            // Few TSOs and LSNs, so that positions are shared.
            long tso = FakeChanges.tso(random.nextInt(SECONDS * 4) * 250L, random.nextInt(2));
            long partition = 1 + random.nextInt(2);
            partitions.add(partition);
            scan.changes.change(tso, random.nextInt(3), random.nextInt(4), i, partition);
        }
    }

    /** All values in the order of the log. */
    private List<String> expected() {
        return scan.changes.ordered().stream()
                .map(row -> "xx" + row.value)
                .collect(Collectors.toList());
    }

    private List<Integer> ofSlice(List<String> rows, SliceScheme scheme, long slice) {
        return rows.stream()
                .map(row -> Integer.parseInt(row.substring(2)))
                .filter(
                        value ->
                                scheme.kind() == SliceScheme.Kind.PARTITIONS
                                        ? partitions.get(value) == slice
                                        : value % scheme.count() == slice)
                .collect(Collectors.toList());
    }

    private ReaderHarness harness() {
        return new ReaderHarness(scan, TestScans.changes("source.changelog.max-window", "2s"));
    }

    private static void bound(ReaderHarness harness, int second, SliceScheme scheme) {
        harness.reader.handleSourceEvents(
                new BoundEvent(
                        second * 1000L,
                        OptionalLong.empty(),
                        scheme,
                        second * 1000L + 999,
                        0,
                        Long.MIN_VALUE,
                        true));
    }

    private static List<DorisSplit> slices(SliceScheme scheme) {
        boolean partitions = scheme.kind() == SliceScheme.Kind.PARTITIONS;
        return IntStream.range(0, partitions ? 2 : scheme.count())
                .mapToObj(i -> slice(scheme, partitions ? i + 1 : i))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static DorisSplit slice(SliceScheme scheme, long slice) {
        return DorisSplit.slice(
                scheme.splitId(slice), ChangelogProgress.starting(scheme, slice, 0));
    }

    private static List<DorisSplit> stored(List<DorisSplit> splits) throws IOException {
        DorisSplitSerializer serializer = DorisSplitSerializer.INSTANCE;
        List<DorisSplit> stored = new ArrayList<>();
        for (DorisSplit split : splits) {
            stored.add(
                    serializer.deserialize(serializer.getVersion(), serializer.serialize(split)));
        }
        return stored;
    }
}
