package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.GoldenBytes;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
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
                                ScanMode.SNAPSHOT,
                                false,
                                0,
                                List.of(),
                                Set.of(),
                                ChangelogState.NONE)),
                named(
                        "enumerator-snapshot",
                        new EnumeratorState(
                                new TableIdentifier("hive", "测试", "a`b"),
                                OptionalLong.of(10011),
                                ScanMode.SNAPSHOT,
                                true,
                                32,
                                List.of(
                                        DorisSplit.snapshot(
                                                        "a", new long[] {1, 2}, List.of("b1:9060"))
                                                .lookedUpByReader(),
                                        DorisSplit.snapshot("b", new long[] {3}, List.of())
                                                .lookedUpByReader()),
                                Set.of(),
                                ChangelogState.NONE)),
                named(
                        "enumerator-changelog",
                        new EnumeratorState(
                                TABLE,
                                OptionalLong.of(10011),
                                ScanMode.INITIAL,
                                true,
                                3,
                                List.of(
                                        DorisSplit.slice(
                                                "s",
                                                new ChangelogProgress(
                                                        SliceScheme.hash(2), 1, 5, null, null, 7))),
                                Set.of(),
                                ChangelogState.builder()
                                        .phase(EnumeratorState.Phase.CHANGELOG)
                                        .start(OptionalLong.of(1760000000000L))
                                        .bound(OptionalLong.of(1760000010000L))
                                        .listed(OptionalLong.of(1760000010000L))
                                        .scheme(SliceScheme.hash(2))
                                        .probe(OptionalLong.of(-1))
                                        .covered(Map.of("s0", 1L, "s1", 2L))
                                        .build())),
                named(
                        "enumerator-partitions",
                        new EnumeratorState(
                                TABLE,
                                OptionalLong.empty(),
                                ScanMode.LATEST,
                                true,
                                0,
                                List.of(),
                                Set.of(),
                                ChangelogState.builder()
                                        .phase(EnumeratorState.Phase.CHANGELOG)
                                        .bound(OptionalLong.of(0))
                                        .listed(OptionalLong.of(0))
                                        .scheme(SliceScheme.PARTITIONS)
                                        .covered(Map.of("p10045", 3L))
                                        .partitions(Map.of(10045L, 0L, 10046L, 9L))
                                        .build())));
    }

    static Stream<Object[]> statesOfVersion2() {
        return Stream.concat(
                states(),
                Stream.<Object[]>of(
                        named(
                                "enumerator-moving",
                                new EnumeratorState(
                                        TABLE,
                                        OptionalLong.of(10011),
                                        ScanMode.LATEST,
                                        true,
                                        0,
                                        List.of(),
                                        Set.of(),
                                        ChangelogState.builder()
                                                .phase(EnumeratorState.Phase.CHANGELOG)
                                                .start(OptionalLong.of(1760000000000L))
                                                .bound(OptionalLong.of(1760000010000L))
                                                .listed(OptionalLong.of(1760000005000L))
                                                .scheme(SliceScheme.hash(4))
                                                .former(
                                                        SliceScheme.PARTITIONS,
                                                        OptionalLong.of(1760000009000L))
                                                .probe(OptionalLong.of(-1))
                                                .covered(Map.of("slice-partition-7", 8L))
                                                .partitions(Map.of(7L, 0L))
                                                .build()))));
    }

    static Stream<Object[]> statesOfVersion3() {
        return Stream.concat(
                statesOfVersion2(),
                Stream.<Object[]>of(
                        named(
                                "enumerator-net",
                                new EnumeratorState(
                                        TABLE,
                                        OptionalLong.of(10011),
                                        ScanMode.INITIAL,
                                        true,
                                        3,
                                        List.of(),
                                        Set.of(),
                                        ChangelogState.builder()
                                                .phase(EnumeratorState.Phase.CHANGELOG)
                                                .start(OptionalLong.of(1760000000000L))
                                                .bound(OptionalLong.of(1760000010000L))
                                                .listed(OptionalLong.of(1760000010000L))
                                                .scheme(SliceScheme.hash(1))
                                                .netFrom(OptionalLong.of(1760000006000L))
                                                .covered(Map.of("slice-hash-1-0", 8L))
                                                .build()))));
    }

    static Stream<Object[]> statesOfVersion4() {
        return Stream.concat(
                statesOfVersion3(),
                Stream.<Object[]>of(
                        named(
                                "enumerator-tablets",
                                new EnumeratorState(
                                        TABLE,
                                        OptionalLong.empty(),
                                        ScanMode.SNAPSHOT,
                                        true,
                                        2,
                                        List.of(
                                                DorisSplit.snapshot(
                                                        "a", new long[] {1, 2}, List.of("b:1"))),
                                        Set.of(1L, 2L, 3L, Long.MAX_VALUE),
                                        ChangelogState.NONE))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void version1IsStillRead(String name, EnumeratorState state) throws IOException {
        GoldenBytes.check(EnumeratorStateSerializer.INSTANCE, 1, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statesOfVersion2")
    void version2IsStillRead(String name, EnumeratorState state) throws IOException {
        GoldenBytes.check(EnumeratorStateSerializer.INSTANCE, 2, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statesOfVersion3")
    void version3IsStillRead(String name, EnumeratorState state) throws IOException {
        GoldenBytes.check(EnumeratorStateSerializer.INSTANCE, 3, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statesOfVersion4")
    void version4IsStable(String name, EnumeratorState state) throws IOException {
        GoldenBytes.check(EnumeratorStateSerializer.INSTANCE, 4, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("statesOfVersion4")
    void damageIsAnIoException(String name, EnumeratorState state) throws IOException {
        GoldenBytes.checkDamage(EnumeratorStateSerializer.INSTANCE, state);
    }

    private static Object[] named(String name, EnumeratorState state) {
        return new Object[] {name, state};
    }
}
