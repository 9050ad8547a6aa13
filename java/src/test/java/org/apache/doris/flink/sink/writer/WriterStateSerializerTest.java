package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.source.GoldenBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checkpoint format of writers: golden bytes, round trips, damage. */
class WriterStateSerializerTest {

    private static final WriterStateSerializer SERIALIZER = WriterStateSerializer.INSTANCE;

    static Stream<Object[]> states() {
        return Stream.of(
                named(
                        "writer-one-table",
                        new WriterState(
                                "job",
                                1,
                                4,
                                7,
                                2,
                                1760000000000L,
                                false,
                                List.of(new WriterState.Table("test", "t", "a1b2c3", 9)))),
                named(
                        "writer-many-tables",
                        new WriterState(
                                "flink_0123456789abcdef",
                                32767,
                                32768,
                                Long.MAX_VALUE,
                                Integer.MAX_VALUE,
                                Long.MIN_VALUE,
                                false,
                                List.of(
                                        new WriterState.Table("测试", "订单", "ffffff", 0),
                                        new WriterState.Table("d", "", "", Long.MAX_VALUE)))),
                named("writer-inherited", new WriterState("p", 0, 1, 0, 0, 0, true, List.of())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void isStable(String name, WriterState state) throws IOException {
        GoldenBytes.check(SERIALIZER, 1, name, state);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void damageIsAnIoException(String name, WriterState state) throws IOException {
        GoldenBytes.checkDamage(SERIALIZER, state);
    }

    @Test
    void manyTables() throws IOException {
        List<WriterState.Table> tables = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            tables.add(new WriterState.Table("d" + i % 7, "t".repeat(i % 300) + i, "0123ab", i));
        }
        WriterState state = new WriterState("job", 0, 1, 1, 0, 5, false, tables);
        assertThat(SERIALIZER.deserialize(1, SERIALIZER.serialize(state))).isEqualTo(state);
        assertThat(state.table("d3", "t".repeat(3) + 3).get().next()).isEqualTo(3);
        assertThat(state.table("d3", "none")).isEmpty();
    }

    @Test
    void twoPc21AnUnknownVersionIsNamedWithTheKnownOnes() {
        assertThatThrownBy(() -> SERIALIZER.deserialize(99, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "The checkpointed sink writer state has version 99; this release reads"
                                + " versions 1 to 1. Restore with the release that wrote it, or a"
                                + " newer one.");
    }

    private static Object[] named(String name, WriterState state) {
        return new Object[] {name, state};
    }
}
