package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.flink.annotation.Internal;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Rules on the values of a table's options that hold at planning, whatever the table is used for.
 * What only a source needs is in {@link ChangelogRules}, what only a sink needs in {@link
 * SinkRules}.
 */
@Internal
public final class OptionRules {

    private static final int MAX = Integer.MAX_VALUE;
    private static final Duration POSITIVE = Duration.ofMillis(1);
    private static final List<String> PROTOCOLS = List.of("http", "mysql", "thrift", "arrowflight");

    private OptionRules() {}

    /** Values that are wrong by themselves, of every option that no config object reads. */
    public static void checkValues(OptionValues options) {
        options.bool(CommonOptions.AUTO_REDIRECT);
        options.bool(CommonOptions.HTTP_UTF8_CHARSET);
        checkTls(options);
        checkJdbcUrl(options);

        options.bool(ReadOptions.DESERIALIZE_ARROW_ASYNC);
        options.integer(ReadOptions.THRIFT_MAX_MESSAGE_SIZE, 1, MAX);
        if (options.has(ReadOptions.SCAN_PARALLELISM)) {
            options.integer(ReadOptions.SCAN_PARALLELISM, 1, MAX);
        }

        options.bool(ReadOptions.LOOKUP_ASYNC);
        options.longInteger(ReadOptions.LOOKUP_CACHE_MAX_ROWS, -1, Long.MAX_VALUE);
        options.duration(ReadOptions.LOOKUP_CACHE_TTL, POSITIVE);
        options.integer(ReadOptions.LOOKUP_MAX_RETRIES, 0, MAX);
        options.integer(ReadOptions.LOOKUP_BATCH_SIZE, 1, MAX);
        options.integer(ReadOptions.LOOKUP_QUEUE_SIZE, 1, MAX);
        options.integer(ReadOptions.LOOKUP_THREAD_SIZE, 1, MAX);

        ChangelogConfig.from(options);

        SinkRules.checkValues(options);
    }

    private static void checkTls(OptionValues options) {
        options.bool(CommonOptions.TLS_SKIP_HOSTNAME_VERIFICATION);
        for (String protocol : options.list(CommonOptions.TLS_EXCLUDED_PROTOCOLS)) {
            if (PROTOCOLS.stream().noneMatch(protocol::equalsIgnoreCase)) {
                throw options.invalid(
                        CommonOptions.TLS_EXCLUDED_PROTOCOLS,
                        "'" + protocol + "' is none of '" + String.join("', '", PROTOCOLS) + "'",
                        "");
            }
        }
        if (options.bool(CommonOptions.TLS_ENABLED)) {
            throw InvalidOption.notSupportedYet(
                    "TLS",
                    CommonOptions.TLS_ENABLED.key(),
                    "true",
                    "Leave the option out and use the plain ports of the cluster in a trusted"
                            + " network.");
        }
    }

    private static void checkJdbcUrl(OptionValues options) {
        Optional<String> url = options.text(CommonOptions.JDBC_URL);
        boolean legal =
                url.isEmpty() || url.get().matches("(?i)jdbc:(mysql|mariadb)://[^\\s/?#]+(/.*)?");
        if (!legal) {
            throw options.invalid(
                    CommonOptions.JDBC_URL,
                    "allowed is 'jdbc:mysql://host:port[,host:port][/database][?parameters]'",
                    "Name the MySQL port of the front ends, 9030 by default.");
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
        if (options.bool(ReadOptions.USE_OLD_API)) {
            options.warn("Option 'source.use-old-api' has no effect: there is one source.");
        }
        if (options.bool(ReadOptions.DESERIALIZE_ARROW_ASYNC)) {
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
