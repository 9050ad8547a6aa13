package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.doris.flink.source.GoldenBytes;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.SliceScheme;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checkpoint format of the enumerator: golden bytes and damage. */
class EnumeratorStateSerializerTest {

    private static final TableIdentifier TABLE = new TableIdentifier("", "test", "student");

    static Stream<Object[]> states() {
        return Stream.of(
                named(
                        "enumerator-unplanned",
                        new EnumeratorState(
                                TABLE,
                                OptionalLong.empty(),
                                DorisSourceScanMode.SNAPSHOT,
                                false,
                                0,
                                List.of(),
                                EnumeratorState.Changelog.NONE)),
                named(
                        "enumerator-snapshot",
                        new EnumeratorState(
                                new TableIdentifier("hive", "测试", "a`b"),
                                OptionalLong.of(10011),
                                DorisSourceScanMode.SNAPSHOT,
                                true,
                                32,
                                List.of(
                                        DorisSplit.snapshot(
                                                "a", new long[] {1, 2}, List.of("b1:9060")),
                                        DorisSplit.snapshot("b", new long[] {3}, List.of())),
                                EnumeratorState.Changelog.NONE)),
                named(
                        "enumerator-changelog",
                        new EnumeratorState(
                                TABLE,
                                OptionalLong.of(10011),
                                DorisSourceScanMode.INITIAL,
                                true,
                                3,
                                List.of(
                                        DorisSplit.slice(
                                                "s",
                                                new ChangelogProgress(
                                                        SliceScheme.hash(2), 1, 5, null, null, 7))),
                                new EnumeratorState.Changelog(
                                        EnumeratorState.Phase.CHANGELOG,
                                        OptionalLong.of(1760000000000L),
                                        OptionalLong.of(1760000010000L),
                                        SliceScheme.hash(2),
                                        OptionalLong.of(-1),
                                        Map.of("s0", 1L, "s1", 2L),
                                        Map.of()))),
                named(
                        "enumerator-partitions",
                        new EnumeratorState(
                                TABLE,
                                OptionalLong.empty(),
                                DorisSourceScanMode.LATEST,
                                true,
                                0,
                                List.of(),
                                new EnumeratorState.Changelog(
                                        EnumeratorState.Phase.CHANGELOG,
                                        OptionalLong.empty(),
                                        OptionalLong.of(0),
                                        SliceScheme.PARTITIONS,
                                        OptionalLong.empty(),
                                        Map.of("p10045", 3L),
                                        Map.of(10045L, 0L, 10046L, 9L)))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void isStable(String name, EnumeratorState state) throws IOException {
        GoldenBytes.check(EnumeratorStateSerializer.INSTANCE, 1, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void damageIsAnIoException(String name, EnumeratorState state) throws IOException {
        GoldenBytes.checkDamage(EnumeratorStateSerializer.INSTANCE, state);
    }

    private static Object[] named(String name, EnumeratorState state) {
        return new Object[] {name, state};
    }
}
