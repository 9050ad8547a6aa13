package org.apache.doris.flink.it;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Table environments for jobs that follow tables: short checkpoints, and no restart unless asked
 * for.
 */
final class ChangelogJobs {

    private ChangelogJobs() {}

    /** An environment; arguments are keys and values that take the place of the common ones. */
    static StreamTableEnvironment streaming(FlinkCluster flink, String... configuration) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "execution.checkpointing.interval", "100 ms",
                                "restart-strategy.type", "none",
                                "parallelism.default", "2"));
        all.addAll(Arrays.asList(configuration));
        return flink.streaming(all.toArray(new String[0]));
    }

    /** An environment that restores a savepoint or checkpoint. */
    static StreamTableEnvironment restoring(
            FlinkCluster flink, String path, String... configuration) {
        List<String> all = new ArrayList<>(List.of("execution.state-recovery.path", path));
        all.addAll(Arrays.asList(configuration));
        return streaming(flink, all.toArray(new String[0]));
    }

    /** Settings of a job that is started again after each failure. */
    static String[] restarting(String... more) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "restart-strategy.type", "fixed-delay",
                                "restart-strategy.fixed-delay.attempts", "100",
                                "restart-strategy.fixed-delay.delay", "10 ms"));
        all.addAll(Arrays.asList(more));
        return all.toArray(new String[0]);
    }
}
