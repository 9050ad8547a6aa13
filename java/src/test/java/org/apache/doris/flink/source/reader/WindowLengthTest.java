package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.OptionalLong;

/** The length of windows while a slice catches up; the tests' checkpoint interval is 10 s. */
class WindowLengthTest {

    private final WindowLength length = new WindowLength(TestScans.changes().changelog());

    @Test
    void growsWhileWindowsAreReadQuickly() {
        assertThat(length.millis()).isEqualTo(60_000);
        length.wasRead(60_000, 2_499);
        assertThat(length.millis()).isEqualTo(120_000);
        length.wasRead(120_000, 2_500);
        assertThat(length.millis()).as("twice would take too long").isEqualTo(120_000);
    }

    @Test
    void aWindowThatWasCutByTheBoundTeachesNothingButThatItIsTooLong() {
        length.wasRead(10_000, 1);
        assertThat(length.millis()).isEqualTo(60_000);
        length.wasRead(11_000, 5_001);
        assertThat(length.millis()).isEqualTo(5_000);
    }

    @Test
    void shrinksToWholeSecondsAndNotBelowOne() {
        length.wasRead(60_000, 5_000);
        assertThat(length.millis()).as("half the interval is fine").isEqualTo(60_000);
        length.wasRead(60_000, 60_000);
        assertThat(length.millis()).isEqualTo(30_000);
        length.wasRead(7_000, 60_000);
        assertThat(length.millis()).isEqualTo(3_000);
        length.wasRead(1_000, 60_000);
        assertThat(length.millis()).isEqualTo(1_000);
    }

    @Test
    void hasAnEnd() {
        for (int i = 0; i < 100; i++) {
            length.wasRead(length.millis(), 0);
        }
        assertThat(length.millis()).isEqualTo(86_400_000);
    }

    @Test
    void aGivenLengthStays() {
        WindowLength given =
                new WindowLength(
                        TestScans.changes("source.changelog.max-window", "2999ms").changelog());
        given.wasRead(2_000, 60_000);
        given.wasRead(2_000, 0);
        assertThat(given.millis()).isEqualTo(2_000);
    }

    @Test
    void withoutACheckpointIntervalTenSecondsStandForIt() {
        WindowLength unknown =
                new WindowLength(
                        TestScans.changes()
                                .changelog()
                                .withCheckpointInterval(OptionalLong.empty()));
        unknown.wasRead(60_000, 5_001);
        assertThat(unknown.millis()).isEqualTo(30_000);
        WindowLength off =
                new WindowLength(
                        TestScans.changes().changelog().withCheckpointInterval(OptionalLong.of(0)));
        off.wasRead(60_000, 5_001);
        assertThat(off.millis()).isEqualTo(30_000);
    }
}
