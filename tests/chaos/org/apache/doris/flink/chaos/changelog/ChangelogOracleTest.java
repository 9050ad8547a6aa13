package org.apache.doris.flink.chaos.changelog;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.chaos.RunArguments;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/**
 * Random writers and a job that follows them, without a fault: at each quiet point the job has what
 * the server recorded, and its result is the table. Seven seeds in a row meet every combination of
 * model, history and increment type.
 */
@Timeout(180)
class ChangelogOracleTest {

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void theJobHasWhatTheServerRecorded(long seed) throws Exception {
        RunArguments arguments =
                RunArguments.of("seed=" + seed, "faults=0", "quiet=2", "folder=" + folder);
        assertThat(new ChangelogChaos(arguments).run()).isTrue();
    }
}
