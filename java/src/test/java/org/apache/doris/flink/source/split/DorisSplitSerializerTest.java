package org.apache.doris.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.GoldenBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Checkpoint format of splits: golden bytes, round trips, damage. */
class DorisSplitSerializerTest {

    static Stream<Object[]> splits() {
        return Stream.concat(
                splitsOfVersion2(),
                Stream.<Object[]>of(
                        named(
                                "split-snapshot-looked-behind",
                                DorisSplit.snapshot(
                                        "test.student/10012x2-0011223344556677",
                                        new long[] {10012, 10016},
                                        List.of("127.0.0.1:9060"),
                                        OptionalLong.of(1760000000000L)))));
    }

    /** As version 2 wrote them, when every reader looked up its tablets by itself. */
    static Stream<Object[]> splitsOfVersion2() {
        return Stream.of(
                named(
                        "split-snapshot",
                        DorisSplit.snapshot(
                                        "test.student/10012x2-0011223344556677",
                                        new long[] {10012, 10016},
                                        List.of("127.0.0.1:9060", "[::1]:9060"))
                                .lookedUpByReader()),
                named(
                        "split-snapshot-fence",
                        DorisSplit.snapshot(
                                        "test.student/10012x1-0011223344556677",
                                        new long[] {10012},
                                        List.of("127.0.0.1:9060"),
                                        OptionalLong.of(1760000000000L))
                                .lookedUpByReader()),
                named(
                        "split-whole",
                        DorisSplit.snapshot("测试.t/all", new long[0], List.of()).lookedUpByReader()),
                named(
                        "split-slice-hash",
                        slice(
                                SliceScheme.hash(4),
                                3,
                                window(IncrementType.DETAIL),
                                position(Long.MIN_VALUE))),
                named(
                        "split-slice-opened",
                        slice(SliceScheme.hash(1), 0, window(IncrementType.MIN_DELTA), null)),
                named(
                        "split-slice-inserts",
                        slice(
                                SliceScheme.hash(1),
                                0,
                                window(IncrementType.APPEND_ONLY),
                                position(-1))),
                named("split-slice-partition", slice(SliceScheme.PARTITIONS, 10045, null, null)));
    }

    /** As version 1 wrote them, which knew neither the fence nor the increment type. */
    static Stream<Object[]> splitsOfVersion1() {
        return Stream.of(
                named(
                        "split-snapshot",
                        DorisSplit.snapshot(
                                        "test.student/10012x2-0011223344556677",
                                        new long[] {10012, 10016},
                                        List.of("127.0.0.1:9060", "[::1]:9060"))
                                .lookedUpByReader()),
                named(
                        "split-whole",
                        DorisSplit.snapshot("测试.t/all", new long[0], List.of()).lookedUpByReader()),
                named(
                        "split-slice-hash",
                        changes(SliceScheme.hash(4), 3, window(null), position(Long.MIN_VALUE))),
                named("split-slice-opened", changes(SliceScheme.hash(1), 0, window(null), null)),
                named("split-slice-partition", changes(SliceScheme.PARTITIONS, 10045, null, null)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("splits")
    void isStable(String name, DorisSplit split) throws IOException {
        GoldenBytes.check(DorisSplitSerializer.INSTANCE, 3, name, split);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("splitsOfVersion2")
    void version2IsStillRead(String name, DorisSplit split) throws IOException {
        GoldenBytes.check(DorisSplitSerializer.INSTANCE, 2, name, split);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("splitsOfVersion1")
    void version1IsStillRead(String name, DorisSplit split) throws IOException {
        GoldenBytes.check(DorisSplitSerializer.INSTANCE, 1, name, split);
    }

    @Test
    void aPositionNeedsAWindow() {
        assertThatThrownBy(() -> roundTrip(slice(SliceScheme.hash(1), 0, null, position(0))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("position without a window");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("splits")
    void damageIsAnIoException(String name, DorisSplit split) throws IOException {
        GoldenBytes.checkDamage(DorisSplitSerializer.INSTANCE, split);
    }

    @Test
    void textOfAnyLength() throws IOException {
        DorisSplit split =
                DorisSplit.snapshot(
                        "x".repeat(300_000) + "😀",
                        LongStream.range(0, 50_000).toArray(),
                        List.of("h".repeat(70_000) + ":1", ""));
        assertThat(roundTrip(split)).isEqualTo(split);
    }

    @Test
    void numbersAtTheirEnds() throws IOException {
        DorisSplit split =
                DorisSplit.snapshot("s", new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 0}, List.of());
        assertThat(roundTrip(split)).isEqualTo(split);
    }

    private static DorisSplit roundTrip(DorisSplit split) throws IOException {
        DorisSplitSerializer serializer = DorisSplitSerializer.INSTANCE;
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(split));
    }

    private static DorisSplit slice(
            SliceScheme scheme, long slice, ChangelogWindow window, ChangelogPosition position) {
        return DorisSplit.slice(scheme.splitId(slice), progress(scheme, slice, window, position));
    }

    private static DorisSplit changes(
            SliceScheme scheme, long slice, ChangelogWindow window, ChangelogPosition position) {
        return DorisSplit.slice(
                "test.student/changes-" + slice, progress(scheme, slice, window, position));
    }

    private static ChangelogProgress progress(
            SliceScheme scheme, long slice, ChangelogWindow window, ChangelogPosition position) {
        return new ChangelogProgress(
                scheme, slice, 1760000000000L, window, position, 0x0123456789ABCDEFL);
    }

    private static ChangelogWindow window(IncrementType type) {
        return new ChangelogWindow(
                1760000000000L, 1760000010000L, "2025-10-09 08:53:20", "2025-10-09 08:53:30", type);
    }

    private static ChangelogPosition position(long hashSum) {
        return new ChangelogPosition(461373440000000001L, 17, 3, 2, 5, hashSum);
    }

    private static Object[] named(String name, DorisSplit split) {
        return new Object[] {name, split};
    }
}
