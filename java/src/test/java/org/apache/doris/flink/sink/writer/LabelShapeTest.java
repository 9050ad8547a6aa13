package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashSet;
import java.util.Set;

/** The shape of labels: legal for Doris, the same after every restore, never shared. */
class LabelShapeTest {

    private static final String LEGAL = "[-_A-Za-z0-9:]{1,128}";
    private static final String OPERATOR = "0123456789abcdef0123456789abcdef";

    @Test
    void allPartsAreThere() {
        assertThat(series("job", "test", "t", 3, 7, 2).label(41))
                .isEqualTo("job_test_t_3_" + op("job", "test", "t") + "-7-2_41");
        assertThat(LabelShape.onePhase("job", "test", "t", 3, "00112233aabbccdd").label(0))
                .isEqualTo("job_test_t_3_00112233aabbccdd_0");
    }

    @Test
    void twoPc10NamesThatDoNotFitBecomeTheSameHashAfterEveryRestore() {
        String chinese = series("job", "test", "订单", 0, 1, 0).label(0);
        assertThat(chinese).matches("job_[0-9a-f]{16}_0_[0-9a-f]{6}-1-0_0");
        assertThat(series("job", "test", "订单", 0, 1, 0).label(0)).isEqualTo(chinese);
        assertThat(series("job", "test", "订单2", 0, 1, 0).label(0)).isNotEqualTo(chinese);
        String longName = series("job", "test", "x".repeat(120), 0, 1, 0).label(0);
        assertThat(longName).matches("job_[0-9a-f]{16}_0_[0-9a-f]{6}-1-0_0");
        // Written down, since labels of a release must be found by the next one.
        assertThat(chinese).isEqualTo("job_3b1204312e53abc2_0_7f63d2-1-0_0");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 82, true",
        "1, 83, false",
        "3, 80, true",
        "3, 81, false",
        "64, 19, true",
        "64, 20, false"
    })
    void namesAreKeptAsLongAsTheTailHasItsRoom(int prefix, int name, boolean kept) {
        String table = "t".repeat(name - 2);
        String label =
                series("p".repeat(prefix), "d", table, 32767, 9_999_999_999L, 999_999).label(0);
        assertThat(label.contains("d_" + table)).isEqualTo(kept);
        assertThat(label).matches(LEGAL);
    }

    @Test
    void theLongestLabelIsLegal() {
        LabelSeries series =
                series("p".repeat(64), "d", "t".repeat(17), 32767, 9_999_999_999L, 99_999);
        assertThat(series.label(999_999_999_999L)).matches(LEGAL);
        assertThat(
                        LabelShape.onePhase("p".repeat(64), "数", "据", 32767, LabelShape.randomId())
                                .label(Integer.MAX_VALUE))
                .matches(LEGAL);
    }

    @Test
    void whatCanBeNoLabelIsRefused() {
        assertThatThrownBy(() -> series("p".repeat(100), "d", "t", 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> series("job.", "d", "t", 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void twoSinksOnOneTableNeverMeet() {
        assertThat(op("job", "test", "t"))
                .isNotEqualTo(LabelShape.op("f".repeat(32), "job", "test", "t"));
    }

    @Test
    void namesThatReadTheSameWhenJoinedHaveDifferentLabels() {
        Set<String> labels = new HashSet<>();
        labels.add(series("job", "a_b", "c", 0, 1, 0).base());
        labels.add(series("job", "a", "b_c", 0, 1, 0).base());
        labels.add(series("job_a", "b", "c", 0, 1, 0).base());
        assertThat(labels).hasSize(3);
    }

    @Test
    void numbersNeverGoBack() {
        LabelSequence labels = new LabelSequence(series("job", "d", "t", 0, 0, 0), "op", 4);
        labels.advance(4);
        labels.advance(9);
        assertThat(labels.next()).isEqualTo(9);
        assertThatThrownBy(() -> labels.advance(8)).isInstanceOf(IllegalStateException.class);
    }

    private static String op(String prefix, String database, String table) {
        return LabelShape.op(OPERATOR, prefix, database, table);
    }

    private static LabelSeries series(
            String prefix, String database, String table, int subtask, long epoch, int attempt) {
        return LabelShape.twoPhase(
                prefix, database, table, subtask, op(prefix, database, table), epoch, attempt);
    }
}
