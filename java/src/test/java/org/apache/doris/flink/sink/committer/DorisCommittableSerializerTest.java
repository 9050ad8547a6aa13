package org.apache.doris.flink.sink.committer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.source.GoldenBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checkpoint format of committables: golden bytes, round trips, damage. */
class DorisCommittableSerializerTest {

    private static final DorisCommittableSerializer SERIALIZER =
            DorisCommittableSerializer.INSTANCE;

    private static final Abandoned ABANDONED =
            new Abandoned(
                    List.of(
                            new Label("test", "job_test_t_0_a1b2c3-7-2_8"),
                            new Label("测试", "job_0123456789abcdef_0_a1b2c3-7-2_0")),
                    List.of(new LabelSeries("test", "job_test_t_3_a1b2c3-4-0_").from(12)));

    static Stream<Object[]> committables() {
        return Stream.of(
                named(
                        "committable-transaction",
                        DorisCommittable.of(
                                "test",
                                "t",
                                "job_test_t_0_a1b2c3-7-2_9",
                                4005,
                                0,
                                7,
                                2,
                                9,
                                1760000000000L,
                                Abandoned.NONE)),
                named(
                        "committable-abandoned",
                        DorisCommittable.of(
                                "测试",
                                "订单",
                                "job_0123456789abcdef_32767_ffffff-9-9_1",
                                Long.MAX_VALUE,
                                32767,
                                Long.MAX_VALUE,
                                Integer.MAX_VALUE,
                                Long.MAX_VALUE,
                                Long.MIN_VALUE,
                                ABANDONED)),
                named(
                        "committable-carrying",
                        DorisCommittable.carrying("test", "", 1, 7, 0, 5, ABANDONED)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("committables")
    void isStable(String name, DorisCommittable committable) throws IOException {
        GoldenBytes.check(SERIALIZER, 1, name, committable);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("committables")
    void damageIsAnIoException(String name, DorisCommittable committable) throws IOException {
        GoldenBytes.checkDamage(SERIALIZER, committable);
    }

    @Test
    void manyLabels() throws IOException {
        List<Label> labels = new ArrayList<>();
        List<LabelSeries.Tail> series = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            labels.add(new Label("d", "l" + i));
            series.add(new LabelSeries("d", "s" + i + "_").from(i));
        }
        DorisCommittable committable =
                DorisCommittable.carrying("d", "", 0, 0, 0, 0, new Abandoned(labels, series));
        assertThat(SERIALIZER.deserialize(1, SERIALIZER.serialize(committable)))
                .isEqualTo(committable);
        assertThat(committable.txnId()).isEmpty();
    }

    @Test
    void twoPc21AnUnknownVersionIsNamedWithTheKnownOnes() {
        assertThatThrownBy(() -> SERIALIZER.deserialize(99, new byte[0]))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "The checkpointed sink committable has version 99; this release reads"
                                + " versions 1 to 1. Restore with the release that wrote it, or a"
                                + " newer one.");
    }

    private static Object[] named(String name, DorisCommittable committable) {
        return new Object[] {name, committable};
    }
}
