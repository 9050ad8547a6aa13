package org.apache.doris.flink.config.plan;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.WriteConfig;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.OptionKeys;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.doris.flink.config.rule.LoadRules;
import org.apache.doris.flink.config.rule.OptionRules;
import org.apache.doris.flink.config.rule.SinkRules;
import org.apache.doris.flink.types.DorisTypes;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * From the options of a sink to its configuration: the one way for tables and for DataStream jobs.
 * Checks everything that can be known before a job runs; contacts no server and loads no native
 * code.
 */
@Internal
public final class SinkPlan {

    private final SinkConfig config;
    private final Integer parallelism;
    private final List<String> warnings;

    private SinkPlan(SinkConfig config, Integer parallelism, List<String> warnings) {
        this.config = config;
        this.parallelism = parallelism;
        this.warnings = warnings;
    }

    /**
     * Plans a sink of rows with declared columns.
     *
     * @param options keys and values as in a {@code WITH} clause
     * @param declared the columns of the rows, in order
     * @param localTimeZone zone id in which {@code TIMESTAMP_LTZ} values are shown
     * @throws ValidationException for whatever is wrong with the options or the columns
     */
    public static SinkPlan ofRows(
            Map<String, String> options, RowType declared, String localTimeZone) {
        OptionValues values = resolve(options);
        OptionRules.checkValues(values);
        ConnectionConfig connection = ConnectionConfig.from(values);
        checkTable(values, connection);
        SinkRules.checkSink(values, true);
        LoadRules.warnOfOtherOrder(values, LoadProperties.given(values), declared.getFieldNames());
        WriteConfig write = WriteConfig.from(values);
        DorisTypes.checkWritable(connection.table().toString(), declared);
        checkNames(connection.table().toString(), declared, write.enableDelete());
        RowType plain = (RowType) DorisTypes.plain(declared.copy(true));
        return of(new SinkConfig(connection, write, plain, localTimeZone), values);
    }

    /**
     * Plans a sink whose serializer writes the bytes of the rows; the serializer may name the table
     * of each record, so that the options need not.
     *
     * @param options keys and values as in a {@code WITH} clause
     * @param localTimeZone zone id of the job
     * @throws ValidationException for whatever is wrong with the options
     */
    public static SinkPlan ofBytes(Map<String, String> options, String localTimeZone) {
        OptionValues values = resolve(options);
        OptionRules.checkValues(values);
        ConnectionConfig connection = ConnectionConfig.withTableByRecord(values);
        checkTable(values, connection);
        SinkRules.checkSink(values, false);
        WriteConfig write = WriteConfig.from(values);
        return of(new SinkConfig(connection, write, null, localTimeZone), values);
    }

    /** The configuration. */
    public SinkConfig config() {
        return config;
    }

    /** Number of subtasks that the options set, or null for the planner's. */
    public Integer parallelism() {
        return parallelism;
    }

    /** What the user should know, to be logged once. */
    public List<String> warnings() {
        return warnings;
    }

    private static OptionValues resolve(Map<String, String> options) {
        return OptionKeys.resolve(options, true);
    }

    private static SinkPlan of(SinkConfig config, OptionValues values) {
        return new SinkPlan(config, values.get(SinkOptions.PARALLELISM), values.warnings());
    }

    private static void checkTable(OptionValues values, ConnectionConfig connection) {
        if (connection.hasTable() && connection.table().hasCatalog()) {
            throw values.invalid(
                    CommonOptions.TABLE_IDENTIFIER,
                    "a table of an external catalog can only be read, so a name of three parts is"
                            + " not allowed here",
                    "Name a table of Doris as 'database.table'.");
        }
    }

    /** Doris knows names without regard to case, and adds the delete sign by itself. */
    private static void checkNames(String table, RowType declared, boolean enableDelete) {
        Map<String, String> seen = new HashMap<>();
        for (String name : declared.getFieldNames()) {
            String earlier = seen.put(name.toLowerCase(Locale.ROOT), name);
            if (earlier != null) {
                throw new ValidationException(
                        String.format(
                                "Table %s declares columns `%s` and `%s`, which are one column in"
                                        + " Doris: names are the same there in any case. Remove or"
                                        + " rename one of the two.",
                                table, earlier, name));
            }
            if (enableDelete && name.equalsIgnoreCase(LoadProperties.DELETE_SIGN)) {
                throw new ValidationException(
                        String.format(
                                "Table %s declares column `%s`, which the sink writes by itself,"
                                    + " from the kind of each row. Set option 'sink.enable-delete'"
                                    + " to 'false' to write it as an ordinary column, or leave the"
                                    + " column out.",
                                table, name));
            }
        }
    }
}
