package org.apache.doris.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The position after each row, with its sums over one TSO. */
class PositionFoldTest {

    private final PositionFold fold = new PositionFold();

    @Test
    void countsRowsAndSumsOfOneTso() {
        assertThat(fold.isPresent()).isFalse();
        assertThat(fold.position()).isNull();
        assertThat(fold.add(10, 1, 0, 100)).isTrue();
        assertThat(fold.position()).isEqualTo(at(10, 1, 0, 1, 1, 100));
        assertThat(fold.add(10, 1, 0, 20)).isFalse();
        assertThat(fold.position()).isEqualTo(at(10, 1, 0, 2, 2, 120));
        fold.add(10, 1, 2, 3);
        assertThat(fold.position()).isEqualTo(at(10, 1, 2, 1, 3, 123));
        fold.add(10, 4, 0, Long.MAX_VALUE);
        assertThat(fold.position()).isEqualTo(at(10, 4, 0, 1, 4, Long.MAX_VALUE + 123));
        assertThat(fold.add(11, 1, 0, 5)).isTrue();
        assertThat(fold.position()).isEqualTo(at(11, 1, 0, 1, 1, 5));
    }

    @Test
    void goesOnBehindAPosition() {
        PositionFold resumed = new PositionFold(at(10, 4, 1, 2, 7, 50), false);
        assertThat(resumed.position()).isEqualTo(at(10, 4, 1, 2, 7, 50));
        assertThat(resumed.add(10, 4, 1, 5)).isFalse();
        assertThat(resumed.position()).isEqualTo(at(10, 4, 1, 3, 8, 55));
    }

    @Test
    void aTsoThatIsReadAgainIsSummedAnew() {
        PositionFold again = new PositionFold(at(10, 4, 1, 2, 7, 50), false);
        again.add(10, 4, 0, 5);
        assertThat(again.position()).as("operation falls").isEqualTo(at(10, 4, 0, 1, 1, 5));
        again.add(10, 3, 3, 6);
        assertThat(again.position()).as("LSN falls").isEqualTo(at(10, 3, 3, 1, 1, 6));
    }

    @Test
    void aTsoThatIsKnownToComeAgainIsSummedAnewWhateverItsFirstRow() {
        PositionFold again = new PositionFold(at(10, 4, 1, 2, 7, 50), true);
        assertThat(again.repeats()).isTrue();
        assertThat(again.position()).isEqualTo(at(10, 4, 1, 2, 7, 50));
        assertThat(again.add(10, 4, 1, 5)).isFalse();
        assertThat(again.repeats()).isFalse();
        assertThat(again.position()).isEqualTo(at(10, 4, 1, 1, 1, 5));
    }

    private static ChangelogPosition at(
            long tso, long lsn, int operation, long rows, long rowsOfTso, long sum) {
        return new ChangelogPosition(tso, lsn, operation, rows, rowsOfTso, sum);
    }
}
