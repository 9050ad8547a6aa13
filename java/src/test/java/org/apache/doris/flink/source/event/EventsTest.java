package org.apache.doris.flink.source.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Events arrive as they were sent: Flink moves them by Java's own serialization. */
class EventsTest {

    @Test
    void bounds() throws Exception {
        BoundEvent event =
                moved(
                        new BoundEvent(
                                1_000,
                                OptionalLong.of(900),
                                SliceScheme.hash(4),
                                1_234,
                                86_400,
                                Long.MIN_VALUE,
                                true));
        assertThat(event.boundMillis()).isEqualTo(1_000);
        assertThat(event.lastMillis()).isEqualTo(OptionalLong.of(900));
        assertThat(event.scheme()).isEqualTo(SliceScheme.hash(4));
        assertThat(event.positionMillis()).isEqualTo(1_234);
        assertThat(event.ttlSeconds()).isEqualTo(86_400);
        assertThat(event.history()).isTrue();
        assertThat(
                        moved(
                                        new BoundEvent(
                                                1,
                                                OptionalLong.empty(),
                                                SliceScheme.PARTITIONS,
                                                1,
                                                0,
                                                Long.MIN_VALUE,
                                                true))
                                .lastMillis())
                .isEmpty();
    }

    @Test
    void slicesThatAreGone() throws Exception {
        assertThat(moved(new SlicesGoneEvent(List.of("a", "b"))).splitIds())
                .containsExactly("a", "b");
    }

    @Test
    void slicesThatAreHeld() throws Exception {
        HeldSlicesEvent.HeldSlice between =
                new HeldSlicesEvent.HeldSlice(
                        "a", SliceScheme.PARTITIONS, 5, 1_000, OptionalLong.empty());
        HeldSlicesEvent.HeldSlice inside =
                new HeldSlicesEvent.HeldSlice(
                        "b", SliceScheme.hash(2), 1, 1_000, OptionalLong.of(7_000));
        HeldSlicesEvent event = moved(new HeldSlicesEvent(List.of(between, inside)));
        assertThat(event.slices()).containsExactly(between, inside);
        assertThat(between.reachMillis()).isEqualTo(1_000);
        assertThat(inside.reachMillis()).isEqualTo(7_000);
        assertThat(event.slices().get(0).openEndMillis()).isEmpty();
        assertThat(event.slices().get(1).slice()).isEqualTo(1);
        assertThat(event.slices().get(1).scheme()).isEqualTo(SliceScheme.hash(2));
    }

    @Test
    void whatIsCovered() throws Exception {
        CoveredEvent event = moved(new CoveredEvent(7, Map.of("a", 1L, "b", 2L), 3));
        assertThat(event.checkpointId()).isEqualTo(7);
        assertThat(event.coveredMillis()).isEqualTo(Map.of("a", 1L, "b", 2L));
        assertThat(event.openSnapshotSplits()).isEqualTo(3);
    }

    private static <T> T moved(T event) throws Exception {
        return InstantiationUtil.deserializeObject(
                InstantiationUtil.serializeObject(event), EventsTest.class.getClassLoader());
    }
}
