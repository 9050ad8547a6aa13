package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.InvalidOption;
import org.apache.doris.flink.config.OptionValues;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Optional;

/**
 * Rules on the values of a table's options that hold at planning, whatever the table is used for,
 * and those of the scan mode. What only a sink needs is in {@link SinkRules}.
 */
final class OptionRules {

    private static final int MAX = Integer.MAX_VALUE;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration POSITIVE = Duration.ofMillis(1);
    private static final int MAX_SLICES = 1024;
    private static final int MAX_CONSUMER_ID_BYTES = 256;
    private static final List<String> INCREMENT_TYPES =
            List.of("detail", "min_delta", "append_only");
    private static final List<String> PROTOCOLS = List.of("http", "mysql", "thrift", "arrowflight");
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
                    .withResolverStyle(ResolverStyle.STRICT);

    private OptionRules() {}

    /** Values that are wrong by themselves, of every option that no config object reads. */
    static void checkValues(OptionValues options) {
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

        options.oneOf(ChangelogOptions.INCREMENT_TYPE, INCREMENT_TYPES);
        options.duration(ChangelogOptions.POLL_INTERVAL, SECOND);
        options.duration(ChangelogOptions.VISIBLE_WAIT_TIMEOUT, Duration.ZERO);
        options.duration(ChangelogOptions.MAX_WINDOW, SECOND);
        options.oneOf(ChangelogOptions.ON_EXPIRED, List.of("doris-default", "fail", "resnapshot"));
        options.oneOf(ChangelogOptions.CHANGELOG_MODE, List.of("all", "upsert", "audit"));
        checkSlices(options);

        SinkRules.checkValues(options);
    }

    /** The scan mode and what it allows; refuses the modes that are not built yet. */
    static void checkScan(
            OptionValues options, ConnectionConfig connection, boolean hasPrimaryKey) {
        DorisSourceScanMode mode = scanMode(options);
        checkScanTimestamp(options, mode);
        checkOffsetTable(options, mode);
        boolean flight = options.bool(ReadOptions.USE_FLIGHT_SQL);
        boolean oldApi = options.bool(ReadOptions.USE_OLD_API);
        if (mode.hasIncrementalPhase()) {
            checkIncremental(options, mode, connection, flight, oldApi, hasPrimaryKey);
            throw InvalidOption.notSupportedYet(
                    "Reading the changelog",
                    options.name(ChangelogOptions.SCAN_MODE),
                    mode.option(),
                    "Use 'snapshot', the default, which reads the current content and finishes.");
        }
        if (!flight) {
            throw InvalidOption.notSupportedYet(
                    "Reading through the back ends' Thrift service",
                    ReadOptions.USE_FLIGHT_SQL.key(),
                    "false",
                    "Leave the option out, or set it to 'true', to read through Arrow Flight SQL.");
        }
        warnOfIgnored(options, oldApi);
    }

    private static DorisSourceScanMode scanMode(OptionValues options) {
        return DorisSourceScanMode.fromOption(
                options.oneOf(
                        ChangelogOptions.SCAN_MODE,
                        List.of("snapshot", "initial", "latest", "from-timestamp")));
    }

    private static void checkIncremental(
            OptionValues options,
            DorisSourceScanMode mode,
            ConnectionConfig connection,
            boolean flight,
            boolean oldApi,
            boolean hasPrimaryKey) {
        String remedy = "Remove it, or set 'source.scan.mode' to 'snapshot'.";
        String with = "not allowed with 'source.scan.mode' = '" + mode.option() + "'";
        if (!flight) {
            throw options.invalid(ReadOptions.USE_FLIGHT_SQL, with, remedy);
        }
        if (oldApi) {
            throw options.invalid(ReadOptions.USE_OLD_API, with, remedy);
        }
        String type = options.oneOf(ChangelogOptions.INCREMENT_TYPE, INCREMENT_TYPES);
        if (options.text(ReadOptions.FILTER_QUERY).isPresent() && !type.equals("append_only")) {
            throw options.invalid(
                    ReadOptions.FILTER_QUERY,
                    with + " unless 'source.changelog.increment-type' is 'append_only'",
                    "Write the condition into the WHERE clause of the query.");
        }
        if (connection.table().hasCatalog()) {
            throw options.invalid(
                    CommonOptions.TABLE_IDENTIFIER,
                    "a table of an external catalog has no changelog, so a name of three parts is "
                            + with,
                    "Name a table of Doris as 'database.table'.");
        }
        String changelog =
                options.oneOf(ChangelogOptions.CHANGELOG_MODE, List.of("all", "upsert", "audit"));
        if (changelog.equals("upsert") && !hasPrimaryKey) {
            throw options.invalid(
                    ChangelogOptions.CHANGELOG_MODE,
                    "'upsert' needs a primary key",
                    "Declare PRIMARY KEY (…) NOT ENFORCED on the table.");
        }
        String onExpired =
                options.oneOf(
                        ChangelogOptions.ON_EXPIRED,
                        List.of("doris-default", "fail", "resnapshot"));
        if (onExpired.equals("resnapshot")) {
            throw InvalidOption.notSupportedYet(
                    "A new snapshot after an expiry",
                    ChangelogOptions.ON_EXPIRED.key(),
                    onExpired,
                    "Use 'doris-default' or 'fail'.");
        }
    }

    private static void checkScanTimestamp(OptionValues options, DorisSourceScanMode mode) {
        Optional<String> timestamp = options.exact(ChangelogOptions.SCAN_TIMESTAMP);
        if (mode != DorisSourceScanMode.FROM_TIMESTAMP) {
            if (timestamp.isPresent()) {
                throw options.invalid(
                        ChangelogOptions.SCAN_TIMESTAMP,
                        "allowed only with 'source.scan.mode' = 'from-timestamp', which is '"
                                + mode.option()
                                + "'",
                        "Remove the option or change the mode.");
            }
            return;
        }
        if (timestamp.isEmpty()) {
            throw new ValidationException(
                    "Option 'source.scan.mode' = 'from-timestamp' needs option"
                            + " 'source.scan.timestamp': set it to the start as 'yyyy-MM-dd"
                            + " HH:mm:ss'.");
        }
        try {
            LocalDateTime.parse(timestamp.get().trim(), TIMESTAMP);
        } catch (DateTimeParseException e) {
            throw options.invalid(
                    ChangelogOptions.SCAN_TIMESTAMP,
                    "allowed is an existing time as 'yyyy-MM-dd HH:mm:ss', without fraction and"
                            + " zone",
                    "Write for example '2026-10-09 10:00:00'.");
        }
    }

    private static void checkOffsetTable(OptionValues options, DorisSourceScanMode mode) {
        Optional<String> table = options.text(ChangelogOptions.OFFSET_TABLE);
        Optional<String> consumer = options.text(ChangelogOptions.CONSUMER_ID);
        if (table.isEmpty() && consumer.isEmpty()) {
            return;
        }
        ConfigOption<String> given =
                table.isPresent() ? ChangelogOptions.OFFSET_TABLE : ChangelogOptions.CONSUMER_ID;
        if (mode.isSnapshotOnly()) {
            throw options.invalid(
                    given,
                    "not allowed with 'source.scan.mode' = 'snapshot', which keeps no offsets",
                    "Remove the option or change the mode.");
        }
        if (table.isEmpty() || consumer.isEmpty()) {
            throw options.invalid(
                    given,
                    "'source.changelog.offset-table' and 'source.changelog.consumer-id' go"
                            + " together",
                    "Set the other one as well, or remove this one.");
        }
        if (options.text(CommonOptions.JDBC_URL).isEmpty()) {
            throw options.invalid(
                    given,
                    "the offset table needs option 'jdbc-url'",
                    "Set 'jdbc-url' to the MySQL port of the front ends.");
        }
        if (TableIdentifier.parse(table.get()).filter(id -> !id.hasCatalog()).isEmpty()) {
            throw options.invalid(
                    ChangelogOptions.OFFSET_TABLE,
                    "allowed is 'database.table'",
                    "Name the table with its database.");
        }
        String id = options.exact(ChangelogOptions.CONSUMER_ID).orElse("");
        if (!id.equals(id.trim())
                || id.getBytes(StandardCharsets.UTF_8).length > MAX_CONSUMER_ID_BYTES) {
            throw options.invalid(
                    ChangelogOptions.CONSUMER_ID,
                    "allowed are 1 to 256 bytes of UTF-8 without blanks at either end",
                    "Choose a shorter id, or remove the blanks.");
        }
    }

    private static void checkSlices(OptionValues options) {
        String slices = options.text(ChangelogOptions.SLICES).orElse("");
        if (slices.equalsIgnoreCase("partitions")) {
            return;
        }
        boolean legal =
                slices.matches("[0-9]{1,4}")
                        && Integer.parseInt(slices) >= 1
                        && Integer.parseInt(slices) <= MAX_SLICES;
        if (!legal) {
            throw options.invalid(
                    ChangelogOptions.SLICES,
                    "allowed are a whole number from 1 to " + MAX_SLICES + " and 'partitions'",
                    "");
        }
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

    private static void warnOfIgnored(OptionValues options, boolean oldApi) {
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
        if (oldApi) {
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
