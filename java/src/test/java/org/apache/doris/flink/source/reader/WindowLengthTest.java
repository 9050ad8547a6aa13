package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.OptionalLong;

/** The length of windows while a slice catches up; the tests' checkpoint interval is 10 s. */
class WindowLengthTest {

    private static final long MANY = 10_000;

    private final WindowLength length = new WindowLength(TestScans.changes().changelog());

    @Test
    void growsWhileWindowsAreReadQuickly() {
        assertThat(length.millis()).isEqualTo(60_000);
        length.wasRead(60_000, 2_499, MANY);
        assertThat(length.millis()).isEqualTo(120_000);
        length.wasRead(120_000, 2_500, MANY);
        assertThat(length.millis()).as("twice would take too long").isEqualTo(120_000);
    }

    @Test
    void aWindowThatWasCutByTheBoundTeachesNothingButThatItIsTooLong() {
        length.wasRead(10_000, 1, MANY);
        assertThat(length.millis()).isEqualTo(60_000);
        length.wasRead(11_000, 5_001, MANY);
        assertThat(length.millis()).isEqualTo(5_000);
    }

    @Test
    void shrinksToWholeSecondsAndNotBelowOne() {
        length.wasRead(60_000, 5_000, MANY);
        assertThat(length.millis()).as("half the interval is fine").isEqualTo(60_000);
        length.wasRead(60_000, 60_000, MANY);
        assertThat(length.millis()).isEqualTo(30_000);
        length.wasRead(7_000, 60_000, MANY);
        assertThat(length.millis()).isEqualTo(3_000);
        length.wasRead(1_000, 60_000, MANY);
        assertThat(length.millis()).isEqualTo(1_000);
    }

    /** A slow server with nothing to tell would else be asked for six years second by second. */
    @Test
    void windowsWithFewRowsGrowHoweverLongTheyTake() {
        length.wasRead(60_000, 60_000, MANY - 1);
        assertThat(length.millis()).isEqualTo(120_000);
        length.wasRead(60_000, 60_000, 0);
        assertThat(length.millis()).as("it was cut by the bound").isEqualTo(120_000);
    }

    @Test
    void hasAnEnd() {
        for (int i = 0; i < 100; i++) {
            length.wasRead(length.millis(), 0, MANY);
        }
        assertThat(length.millis()).isEqualTo(86_400_000);
    }

    @Test
    void whatHasExpiredIsOneWindow() {
        assertThat(length.from(1_000, Retention.UNKNOWN)).isEqualTo(60_000);
        assertThat(length.from(1_000, 0)).isEqualTo(60_000);
        assertThat(length.from(1_000, 61_000)).isEqualTo(60_000);
        assertThat(length.from(1_000, 200_000_900)).isEqualTo(199_999_000);
        WindowLength given =
                new WindowLength(
                        TestScans.changes("source.changelog.max-window", "2s").changelog());
        assertThat(given.from(1_000, 200_000_000)).isEqualTo(2_000);
    }

    @Test
    void aGivenLengthStays() {
        WindowLength given =
                new WindowLength(
                        TestScans.changes("source.changelog.max-window", "2999ms").changelog());
        given.wasRead(2_000, 60_000, MANY);
        given.wasRead(2_000, 0, MANY);
        assertThat(given.millis()).isEqualTo(2_000);
    }

    @Test
    void withoutACheckpointIntervalTenSecondsStandForIt() {
        WindowLength unknown =
                new WindowLength(
                        TestScans.changes()
                                .changelog()
                                .withCheckpointInterval(OptionalLong.empty()));
        unknown.wasRead(60_000, 5_001, MANY);
        assertThat(unknown.millis()).isEqualTo(30_000);
        WindowLength off =
                new WindowLength(
                        TestScans.changes().changelog().withCheckpointInterval(OptionalLong.of(0)));
        off.wasRead(60_000, 5_001, MANY);
        assertThat(off.millis()).isEqualTo(30_000);
    }
}
