package org.apache.doris.flink.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.chaos.job.ChaosRows;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The comparison sees every kind of row that is not as it should be. */
class ComparisonTest {

    private static final int END = 5000;

    private final ChaosRows rows = new ChaosRows(7);
    private final Comparison comparison =
            new Comparison(rows, END, (stream, partition, position) -> 1);
    private List<List<String>> latest;
    private List<List<String>> inserts;

    /** Applies the rows as a table would, not as the comparison does. */
    @BeforeEach
    void apply() {
        Map<Long, List<String>> table = new TreeMap<>();
        inserts = new ArrayList<>();
        for (long position = 0; position < END; position++) {
            for (int partition = 0; partition < ChaosRows.PARTITIONS; partition++) {
                Row change = rows.row(Stream.UPDATES, partition, position);
                Long key = (Long) change.getField(0);
                if (change.getKind() == RowKind.DELETE) {
                    table.remove(key);
                } else {
                    table.put(key, texts(change));
                }
                inserts.add(texts(rows.row(Stream.SIDE_A, partition, position)));
                inserts.add(texts(rows.row(Stream.SIDE_B, partition, position)));
            }
        }
        latest = new ArrayList<>(table.values());
    }

    private static List<String> texts(Row row) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < row.getArity(); i++) {
            texts.add(String.valueOf(row.getField(i)));
        }
        return texts;
    }

    private List<String> changed(List<String> row, int column, String value) {
        List<String> changed = new ArrayList<>(row);
        changed.set(column, value);
        return changed;
    }

    private void assertFound(long missing, long doubled, long wrong) {
        comparison.latest(latest);
        comparison.inserts(inserts);
        assertThat(Arrays.asList(comparison.missing(), comparison.doubled(), comparison.wrong()))
                .as("missing, doubled, wrong: %s", comparison.findings())
                .containsExactly(missing, doubled, wrong);
    }

    @Test
    void whatWasSentIsAsItShouldBe() {
        assertThat(comparison.sent()).isEqualTo(3L * 4 * END);
        assertThat(latest).hasSizeBetween(1000, 1999);
        assertFound(0, 0, 0);
        assertThat(comparison.findings()).isEmpty();
    }

    @Test
    void aLostInsertIsMissing() {
        inserts.remove(1234);
        assertFound(1, 0, 0);
        assertThat(comparison.findings().get(0)).startsWith("missing: side-");
    }

    @Test
    void aDoubledInsertIsDoubled() {
        inserts.add(inserts.get(17));
        inserts.add(inserts.get(17));
        assertFound(0, 2, 0);
    }

    @Test
    void aLostKeyIsMissing() {
        latest.remove(3);
        assertFound(1, 0, 0);
    }

    @Test
    void aKeyThatIsThereTwiceIsDoubled() {
        latest.add(latest.get(5));
        assertFound(0, 1, 0);
    }

    @Test
    void anOlderChangeOfAKeyIsWrong() {
        List<String> row = latest.get(9);
        int partition = Integer.parseInt(row.get(1));
        long older = Long.parseLong(row.get(2)) - 1;
        while (rows.key(partition, older) != Long.parseLong(row.get(0))) {
            older--;
        }
        latest.set(9, texts(rows.row(Stream.UPDATES, partition, older)));
        assertFound(0, 0, 1);
    }

    @Test
    void aKeyWhoseDeletionWasLostIsWrong() {
        long deleted = END - 1;
        while (!rows.deletes(0, deleted)) {
            deleted--;
        }
        latest.add(texts(rows.row(Stream.UPDATES, 0, deleted)));
        assertFound(0, 0, 1);
    }

    @Test
    void aDamagedValueIsWrongOnEitherTable() {
        inserts.set(0, changed(inserts.get(0), 3, "x"));
        latest.set(0, changed(latest.get(0), 3, null));
        assertFound(0, 0, 2);
    }

    @Test
    void rowsThatWereNeverSentAreWrong() {
        inserts.add(texts(rows.row(Stream.SIDE_A, 0, END)));
        inserts.add(changed(inserts.get(0), 0, "9"));
        inserts.add(changed(inserts.get(0), 1, null));
        assertFound(0, 0, 3);
    }

    @Test
    void aRowThatWasSentAgainMayBeThereTwiceAndNotThrice() {
        Comparison lenient =
                new Comparison(rows, END, (stream, partition, position) -> position == 9 ? 2 : 1);
        List<String> again = texts(rows.row(Stream.SIDE_A, 1, 9));
        inserts.add(again);
        lenient.latest(latest);
        lenient.inserts(inserts);
        assertThat(lenient.doubled()).isEqualTo(1);
        assertThat(lenient.doubledAllowed()).isEqualTo(1);
        assertThat(lenient.isExact()).isTrue();

        Comparison thrice =
                new Comparison(rows, END, (stream, partition, position) -> position == 9 ? 2 : 1);
        inserts.add(again);
        inserts.add(texts(rows.row(Stream.SIDE_B, 0, 8)));
        thrice.latest(latest);
        thrice.inserts(inserts);
        assertThat(thrice.doubled()).isEqualTo(3);
        assertThat(thrice.doubledAllowed()).isEqualTo(1);
        assertThat(thrice.isExact()).isFalse();
    }
}
