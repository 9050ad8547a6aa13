package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.flink.annotation.Internal;

/**
 * Rules on the values of a table's options that hold at planning, whatever the table is used for.
 * What only a source needs is in {@link ChangelogRules}, what only a sink needs in {@link
 * SinkRules}.
 */
@Internal
public final class OptionRules {

    private OptionRules() {}

    /**
     * Values that are wrong by themselves: of every option by its definition, and of the Stream
     * Load parameters. Refuses what is not built yet.
     */
    public static void checkValues(OptionValues options) {
        options.checkAll(DorisConfigOptions.all());
        LoadProperties.given(options).forEach(LoadRules::checkValue);
        if (options.get(CommonOptions.TLS_ENABLED)) {
            throw InvalidOption.notSupportedYet(
                    "TLS",
                    CommonOptions.TLS_ENABLED.key(),
                    "true",
                    "Leave the option out and use the plain ports of the cluster in a trusted"
                            + " network.");
        }
    }

    /** Options of a table in SQL whose values change nothing, or that have a better successor. */
    public static void warnOfIgnoredInSql(OptionValues options) {
        if (options.text(ReadOptions.READ_FIELD).isPresent()) {
            options.warn(
                    "Option 'doris.read.field' has no effect in SQL: the query decides on the"
                            + " columns.");
        }
        if (options.text(ReadOptions.FILTER_QUERY).isPresent()) {
            options.warn(
                    "Option 'doris.filter.query' is deprecated: write the condition into the WHERE"
                            + " clause where it can say the same.");
        }
        warnOfIgnored(options);
    }

    /** Options of a source whose values change nothing. */
    public static void warnOfIgnored(OptionValues options) {
        if (options.get(ReadOptions.USE_OLD_API)) {
            options.warn("Option 'source.use-old-api' has no effect: there is one source.");
        }
        if (options.get(ReadOptions.DESERIALIZE_ARROW_ASYNC)) {
            options.warn(
                    "Option 'doris.deserialize.arrow.async' has no effect: decoding always takes"
                            + " place outside the task thread.");
        }
        if (options.has(ReadOptions.THRIFT_MAX_MESSAGE_SIZE)) {
            options.warn(
                    "Option 'doris.thrift.max.message.size' has no effect: reading uses Arrow"
                            + " Flight SQL.");
        }
    }
}
