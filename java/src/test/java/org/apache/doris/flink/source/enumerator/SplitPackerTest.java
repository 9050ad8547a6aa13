package org.apache.doris.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Tablets into splits. */
class SplitPackerTest {

    private static final TableIdentifier TABLE = new TableIdentifier("", "test", "t");

    @Test
    void aSplitHasTabletsOfOneBackendOnly() {
        Map<Long, List<String>> tablets = new LinkedHashMap<>();
        for (long id = 1; id <= 9; id++) {
            tablets.put(id, List.of("be" + id % 3 + ":9060"));
        }
        List<DorisSplit> splits = pack(TABLE, tablets, 2);
        assertThat(splits).hasSize(6);
        for (DorisSplit split : splits) {
            assertThat(split.tablets().length).isBetween(1, 2);
            assertThat(split.backends()).hasSize(1);
            for (long tablet : split.tablets()) {
                assertThat(tablets.get(tablet)).contains(split.backends().get(0));
            }
        }
        assertThat(allTablets(splits)).containsExactlyInAnyOrderElementsOf(tablets.keySet());
    }

    @Test
    void replicasSpreadTheLoad() {
        Map<Long, List<String>> tablets = new LinkedHashMap<>();
        for (long id = 0; id < 30; id++) {
            tablets.put(id, List.of("a:1", "b:1", "c:1"));
        }
        Map<String, Long> perBackend =
                pack(TABLE, tablets, 1).stream()
                        .collect(
                                Collectors.groupingBy(
                                        split -> split.backends().get(0), Collectors.counting()));
        assertThat(perBackend)
                .containsOnly(Map.entry("a:1", 10L), Map.entry("b:1", 10L), Map.entry("c:1", 10L));
    }

    @Test
    void theOrderOfThePlanDoesNotMatter() {
        List<Long> ids = LongStream.range(0, 50).boxed().collect(Collectors.toList());
        List<DorisSplit> expected = pack(TABLE, plan(ids), 3);
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(ids, new Random(seed));
            assertThat(pack(TABLE, plan(ids), 3)).isEqualTo(expected);
        }
    }

    @Test
    void idsAreUniqueAndStable() {
        Map<Long, List<String>> tablets = new LinkedHashMap<>();
        for (long id = 0; id < 2000; id++) {
            tablets.put(id, List.of("a:1"));
        }
        assertThat(pack(TABLE, tablets, 1)).extracting(DorisSplit::splitId).doesNotHaveDuplicates();
        DorisSplit one = pack(TABLE, Map.of(7L, List.of("a:1")), 4).get(0);
        DorisSplit moved = pack(TABLE, Map.of(7L, List.of("b:1")), 4).get(0);
        assertThat(one.splitId())
                .isEqualTo(moved.splitId())
                .isEqualTo("test.t/7x1-13ef27371c0948fc");
        TableIdentifier other = new TableIdentifier("", "test", "u");
        assertThat(pack(other, Map.of(7L, List.of("a:1")), 4).get(0).splitId())
                .isNotEqualTo(one.splitId());
    }

    @Test
    void theSameFirstTabletGivesAnotherId() {
        DorisSplit two = pack(TABLE, Map.of(1L, List.of("a:1"), 2L, List.of("a:1")), 2).get(0);
        DorisSplit three = pack(TABLE, Map.of(1L, List.of("a:1"), 3L, List.of("a:1")), 2).get(0);
        assertThat(two.splitId()).isNotEqualTo(three.splitId());
    }

    @Test
    void tabletsWithoutBackendAreReadToo() {
        List<DorisSplit> splits = pack(TABLE, Map.of(1L, List.of(), 2L, List.of("a:1")), 5);
        assertThat(allTablets(splits)).containsExactlyInAnyOrder(1L, 2L);
        assertThat(splits.get(0).backends()).isEmpty();
    }

    @Test
    void aTableWithoutTabletsIsOneSplit() {
        DorisSplit split = SplitPacker.wholeTable(TABLE, OptionalLong.of(5000));
        assertThat(split.tablets()).isEmpty();
        assertThat(split.splitId()).isEqualTo("test.t/all");
        assertThat(split.fenceMillis()).hasValue(5000);
    }

    @Test
    void allSplitsCarryTheFence() {
        assertThat(SplitPacker.pack(TABLE, plan(List.of(1L, 2L, 3L)), 1, OptionalLong.of(5000)))
                .hasSize(3)
                .allSatisfy(split -> assertThat(split.fenceMillis()).hasValue(5000));
    }

    private static List<DorisSplit> pack(
            TableIdentifier table, Map<Long, List<String>> tablets, int tabletsPerSplit) {
        return SplitPacker.pack(table, tablets, tabletsPerSplit, OptionalLong.empty());
    }

    private static Map<Long, List<String>> plan(List<Long> ids) {
        Map<Long, List<String>> tablets = new LinkedHashMap<>();
        ids.forEach(
                id -> tablets.put(id, id % 2 == 0 ? List.of("a:1", "b:1") : List.of("b:1", "c:1")));
        return tablets;
    }

    private static List<Long> allTablets(List<DorisSplit> splits) {
        return splits.stream()
                .flatMap(split -> Arrays.stream(split.tablets()).boxed())
                .collect(Collectors.toList());
    }
}
