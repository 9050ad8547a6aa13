package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

/** Rules on the options of a table that {@code INSERT OVERWRITE} writes to. */
@Internal
public final class OverwriteRules {

    private OverwriteRules() {}

    /**
     * What an overwrite needs, and what cannot be had with it.
     *
     * @throws ValidationException names the option and what to do
     */
    public static void check(SinkConfig target) {
        if (target.write().jdbcUrl().isEmpty()) {
            throw refused(
                    target,
                    "needs option 'jdbc-url', since tables are made and swapped over the MySQL"
                            + " port",
                    "Set it to the MySQL port of the front ends, for example"
                            + " 'jdbc:mysql://127.0.0.1:9030'.");
        }
        if (target.write().groupCommit()) {
            throw refused(
                    target,
                    "does not go with group commit ('sink.properties.group_commit'), which does not"
                            + " say when all rows are in",
                    "Remove that option from the table that is overwritten.");
        }
        for (String name : new String[] {"partitions", "temporary_partitions"}) {
            if (target.write().properties().containsKey(name)) {
                throw refused(
                        target,
                        String.format(
                                "replaces the whole table, and option 'sink.properties.%s' would"
                                        + " leave the other partitions empty",
                                name),
                        "Remove the option, or use INSERT INTO after emptying these partitions in"
                                + " Doris.");
            }
        }
    }

    /** An input that has no end would never be swapped in. */
    public static void checkBounded(SinkConfig target, boolean bounded) {
        if (!bounded) {
            throw refused(
                    target,
                    "needs an input that ends, and batch execution, since the former rows are"
                            + " replaced at the end of the job",
                    "SET 'execution.runtime-mode' = 'batch', or use INSERT INTO for a stream.");
        }
    }

    private static ValidationException refused(SinkConfig target, String why, String what) {
        return new ValidationException(
                String.format(
                        "INSERT OVERWRITE of table %s %s. %s",
                        target.connection().table(), why, what));
    }
}
