package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.config.option.ChangelogOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;

/**
 * Which rows of offset tables the sources of one statement have taken: two sources with one row
 * would overwrite each other's position. Sources of other statements are other jobs and not looked
 * at: a job that is submitted again has the same row.
 */
final class ConsumerIds {

    /** When the planner began with the statement at hand; only there while it translates. */
    private static final ConfigOption<Long> STATEMENT =
            ConfigOptions.key("__table.query-start.epoch-time__").longType().noDefaultValue();

    private static final Map<StreamExecutionEnvironment, ConsumerIds> LAST = new WeakHashMap<>();

    private final long statement;
    private final Map<String, TableIdentifier> taken = new HashMap<>();

    private ConsumerIds(long statement) {
        this.statement = statement;
    }

    /**
     * Takes the row of a source that becomes part of a job.
     *
     * @param planner configuration of the planner at this moment
     * @throws ValidationException if another source of the same statement has it
     */
    static void take(
            ScanConfig scan, ReadableConfig planner, StreamExecutionEnvironment environment) {
        Optional<String> id = scan.changelog().consumerId();
        Optional<Long> statement = planner.getOptional(STATEMENT);
        if (id.isEmpty() || statement.isEmpty()) {
            return;
        }
        String row =
                scan.changelog().offsetTable().map(String::valueOf).orElse("") + '\n' + id.get();
        TableIdentifier table = scan.connection().table();
        TableIdentifier other;
        synchronized (LAST) {
            ConsumerIds ids = LAST.get(environment);
            if (ids == null || ids.statement != statement.get()) {
                ids = new ConsumerIds(statement.get());
                LAST.put(environment, ids);
            }
            other = ids.taken.putIfAbsent(row, table);
        }
        if (other != null) {
            throw new ValidationException(
                    String.format(
                            "Two sources of one statement have the same option '%s' = '%s': those"
                                + " of the tables %s and %s. They would overwrite each other's"
                                + " position. Give each its own id, where they read one table with"
                                + " a hint: /*+ OPTIONS('%s' = '…') */.",
                            ChangelogOptions.CONSUMER_ID.key(),
                            id.get(),
                            other,
                            table,
                            ChangelogOptions.CONSUMER_ID.key()));
        }
    }
}
