package org.apache.doris.flink.chaos.changelog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The comparison finds what is missing, doubled, wrong or out of order. */
class ChangeComparisonTest {

    private static final List<String> OPERATIONS = List.of("+I", "-D", "-U", "+U");

    private static Change logged(long tso, String operation, String k, String n) {
        return Change.logged(
                Arrays.asList(
                        k,
                        "0",
                        n,
                        null,
                        String.valueOf(OPERATIONS.indexOf(operation)),
                        String.valueOf(tso),
                        "7"));
    }

    private static Change received(long tso, String operation, String k, String n) {
        return Change.received(
                String.join("\t", operation, k, "0", n, "\\N", operation, "" + tso, "7"));
    }

    private static Change content(String k, String n) {
        return Change.received(String.join("\t", "+I", k, "0", n, "\\N", "\\N", "\\N", "\\N"));
    }

    private static ChangeComparison of(Change... received) {
        return new ChangeComparison(Arrays.asList(received));
    }

    private static List<Long> figures(ChangeComparison comparison) {
        return List.of(comparison.missing(), comparison.doubled(), comparison.wrong());
    }

    private static List<List<String>> rows(String... kAndN) {
        return Stream.of(kAndN)
                .map(row -> Arrays.asList(row.split(",")[0], "0", row.split(",")[1], null))
                .collect(Collectors.toList());
    }

    private static final List<Change> LOG =
            List.of(
                    logged(1, "+I", "a", "1"),
                    logged(2, "-U", "a", "1"),
                    logged(2, "+U", "a", "2"));

    @Test
    void allRecordsOnceAreExact() {
        ChangeComparison comparison =
                of(
                                content("b", "9"),
                                received(1, "+I", "a", "1"),
                                received(2, "-U", "a", "1"),
                                received(2, "+U", "a", "2"))
                        .records(LOG)
                        .result(rows("a,2", "b,9"), Map.of());
        assertThat(figures(comparison)).containsExactly(0L, 0L, 0L);
        assertThat(comparison.isExact()).isTrue();
    }

    @Test
    void aRecordThatDidNotComeIsMissing() {
        assertThat(
                        figures(
                                of(received(1, "+I", "a", "1"), received(2, "+U", "a", "2"))
                                        .records(LOG)))
                .containsExactly(1L, 0L, 0L);
    }

    @Test
    void aRecordThatCameTwiceIsDoubled() {
        ChangeComparison comparison =
                of(
                                received(1, "+I", "a", "1"),
                                received(1, "+I", "a", "1"),
                                received(2, "-U", "a", "1"),
                                received(2, "+U", "a", "2"))
                        .records(LOG);
        assertThat(figures(comparison)).containsExactly(0L, 1L, 0L);
        assertThat(comparison.findings()).hasSize(1);
    }

    @Test
    void anotherValueAnUnknownStampAndAWrongOrderAreWrong() {
        assertThat(figures(of(received(1, "+I", "a", "3")).records(LOG.subList(0, 1))))
                .containsExactly(1L, 0L, 1L);
        assertThat(figures(of(received(3, "+I", "a", "1")).records(List.of())))
                .containsExactly(0L, 0L, 1L);
        assertThat(
                        figures(
                                of(
                                                received(2, "-U", "a", "1"),
                                                received(2, "+U", "a", "2"),
                                                received(1, "+I", "a", "1"))
                                        .records(LOG)))
                .containsExactly(0L, 0L, 1L);
    }

    @Test
    void theResultIsComparedRowByRow() {
        List<List<String>> table = rows("a,1", "b,2");
        assertThat(figures(of(content("a", "1")).result(table, Map.of())))
                .containsExactly(1L, 0L, 0L);
        assertThat(figures(of(content("a", "1"), content("b", "3")).result(table, Map.of())))
                .containsExactly(0L, 0L, 1L);
        Change[] more = {content("a", "1"), content("b", "2"), received(5, "+I", "c", "3")};
        assertThat(figures(of(more).result(table, Map.of()))).containsExactly(0L, 0L, 1L);
        assertThat(figures(of(more).result(table, Map.of(1, 9L)))).containsExactly(0L, 0L, 1L);
    }

    @Test
    void rowsOfADroppedPartitionAreGoneUnlessTheyCameAfterwards() {
        Map<Integer, Long> dropped = Map.of(0, 5L);
        Change[] changes = {content("a", "1"), received(5, "+I", "b", "2")};
        assertThat(figures(of(changes).result(List.of(), dropped))).containsExactly(0L, 0L, 0L);
        assertThat(figures(of(received(6, "+I", "b", "2")).result(rows("b,2"), dropped)))
                .containsExactly(0L, 0L, 0L);
    }

    @Test
    void withoutKeysEveryRowComesAtLeastOnce() {
        List<List<String>> table = rows("a,1", "a,1", "b,2");
        Change[] changes = {content("a", "1"), received(5, "+I", "a", "1"), content("b", "2")};
        assertThat(figures(of(changes).atLeastOnce(table))).containsExactly(0L, 0L, 0L);
        assertThat(figures(of(content("a", "1"), content("b", "2")).atLeastOnce(table)))
                .containsExactly(1L, 0L, 0L);
    }
}
