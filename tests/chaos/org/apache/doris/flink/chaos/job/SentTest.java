package org.apache.doris.flink.chaos.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** What attempts sent is known, however they ended. */
class SentTest {

    @TempDir Path control;

    @Test
    void rowsOfTwoAttemptsAreThoseAfterTheCheckpointOfTheFirst() throws Exception {
        String folder = control.toString();
        Sent.Range first = new Sent.Range(folder, Stream.SIDE_A, 2, 0);
        first.end(70);
        // Restored from a checkpoint at 50.
        new Sent.Range(folder, Stream.SIDE_A, 2, 50).end(100);
        new Sent.Range(folder, Stream.SIDE_B, 2, 0).end(100);

        Sent sent = Sent.read(folder, 100);
        assertThat(sent.again()).isEqualTo(20);
        assertThat(sent.times(Stream.SIDE_A, 2, 49)).isEqualTo(1);
        assertThat(sent.times(Stream.SIDE_A, 2, 50)).isEqualTo(2);
        assertThat(sent.times(Stream.SIDE_A, 2, 69)).isEqualTo(2);
        assertThat(sent.times(Stream.SIDE_A, 2, 70)).isEqualTo(1);
        assertThat(sent.times(Stream.SIDE_B, 2, 50)).isEqualTo(1);
        assertThat(sent.times(Stream.SIDE_B, 1, 50)).isZero();
    }
}
