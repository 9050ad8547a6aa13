package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.option.ChangelogOptions;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

/**
 * What must hold between the options of a source at planning: the scan mode and what it allows.
 * Values that are wrong by themselves were refused when {@link ChangelogConfig} was read.
 */
@Internal
public final class ChangelogRules {

    /** For an option of another mode; a hint cannot take one out of the table. */
    private static final String ELSEWHERE =
            "Remove the option, in a hint by the value '', or change the mode.";

    private ChangelogRules() {}

    /**
     * Checks the options of a source.
     *
     * @param hasPrimaryKey whether the table declares one
     * @param batch whether the statement is planned for batch execution
     * @throws ValidationException for the first rule that is broken
     */
    public static void check(
            OptionValues options,
            ChangelogConfig changelog,
            ConnectionConfig connection,
            boolean hasPrimaryKey,
            boolean batch) {
        checkScanTimestamp(options, changelog);
        checkOffsetTable(options, changelog);
        boolean flight = options.get(ReadOptions.USE_FLIGHT_SQL);
        boolean oldApi = options.get(ReadOptions.USE_OLD_API);
        if (changelog.scanMode().hasIncrementalPhase()) {
            checkBounded(options, changelog, batch);
            checkTransport(options, changelog, flight, oldApi);
            checkIncremental(options, changelog, connection, hasPrimaryKey);
        } else if (!flight) {
            throw InvalidOption.notSupportedYet(
                    "Reading through the back ends' Thrift service",
                    ReadOptions.USE_FLIGHT_SQL.key(),
                    "false",
                    "Leave the option out, or set it to 'true', to read through Arrow Flight SQL.");
        }
    }

    private static void checkScanTimestamp(OptionValues options, ChangelogConfig changelog) {
        boolean wanted = changelog.scanMode() == ScanMode.FROM_TIMESTAMP;
        if (wanted && changelog.scanTimestamp().isEmpty()) {
            throw new ValidationException(
                    String.format(
                            "Option '%s' = 'from-timestamp' needs option '%s': set it to the start"
                                    + " as 'yyyy-MM-dd HH:mm:ss', in the time zone of the account.",
                            ChangelogOptions.SCAN_MODE.key(),
                            ChangelogOptions.SCAN_TIMESTAMP.key()));
        }
        if (!wanted && changelog.scanTimestamp().isPresent()) {
            throw options.invalid(
                    ChangelogOptions.SCAN_TIMESTAMP,
                    "allowed only with 'source.scan.mode' = 'from-timestamp', and the mode is '"
                            + changelog.scanMode().option()
                            + "'",
                    ELSEWHERE);
        }
    }

    private static void checkOffsetTable(OptionValues options, ChangelogConfig changelog) {
        boolean table = changelog.offsetTable().isPresent();
        boolean consumer = changelog.consumerId().isPresent();
        if (!table && !consumer) {
            return;
        }
        DorisOption<String> given =
                table ? ChangelogOptions.OFFSET_TABLE : ChangelogOptions.CONSUMER_ID;
        if (changelog.scanMode().isSnapshotOnly()) {
            throw options.invalid(
                    given,
                    "not allowed with 'source.scan.mode' = 'snapshot', which keeps no offsets",
                    ELSEWHERE);
        }
        if (!table || !consumer) {
            DorisOption<String> missing =
                    table ? ChangelogOptions.CONSUMER_ID : ChangelogOptions.OFFSET_TABLE;
            throw options.invalid(
                    given,
                    "'source.changelog.offset-table' and 'source.changelog.consumer-id' go"
                            + " together, and '"
                            + missing.key()
                            + "' is missing or blank",
                    "Set '" + missing.key() + "' as well, or remove this one.");
        }
        if (changelog.jdbcUrl().isEmpty()) {
            throw options.invalid(
                    given,
                    "the offset table needs option 'jdbc-url'",
                    "Set 'jdbc-url' to the MySQL port of the front ends, for example"
                            + " 'jdbc:mysql://127.0.0.1:9030'.");
        }
    }

    /** Flink would refuse it as well, without a word on what made the table unbounded. */
    private static void checkBounded(
            OptionValues options, ChangelogConfig changelog, boolean batch) {
        if (batch) {
            throw options.invalid(
                    ChangelogOptions.SCAN_MODE,
                    "a table whose changes are followed is unbounded, and 'execution.runtime-mode'"
                            + " is 'batch'; allowed there is 'snapshot'",
                    "SET 'execution.runtime-mode' = 'streaming', or read '"
                            + ScanMode.SNAPSHOT.option()
                            + "', for example with the hint /*+ OPTIONS('"
                            + ChangelogOptions.SCAN_MODE.key()
                            + "' = 'snapshot') */ instead of '"
                            + changelog.scanMode().option()
                            + "'.");
        }
    }

    private static void checkTransport(
            OptionValues options, ChangelogConfig changelog, boolean flight, boolean oldApi) {
        String remedy = "Remove it, or set 'source.scan.mode' to 'snapshot'.";
        if (!flight) {
            throw options.invalid(
                    ReadOptions.USE_FLIGHT_SQL,
                    "changes come through Arrow Flight SQL, so 'false' is " + notWith(changelog),
                    remedy);
        }
        if (oldApi) {
            throw options.invalid(
                    ReadOptions.USE_OLD_API,
                    "the retired source cannot follow changes, so 'true' is " + notWith(changelog),
                    remedy);
        }
    }

    private static void checkIncremental(
            OptionValues options,
            ChangelogConfig changelog,
            ConnectionConfig connection,
            boolean hasPrimaryKey) {
        boolean insertsOnly = changelog.incrementType() == IncrementType.APPEND_ONLY;
        if (options.text(ReadOptions.FILTER_QUERY).isPresent() && !insertsOnly) {
            throw options.invalid(
                    ReadOptions.FILTER_QUERY,
                    notWith(changelog)
                            + " unless 'source.changelog.increment-type' is 'append_only'",
                    "Write the condition into the WHERE clause of the query.");
        }
        if (connection.table().hasCatalog()) {
            throw options.invalid(
                    CommonOptions.TABLE_IDENTIFIER,
                    "a table of an external catalog has no changelog, so a name of three parts is "
                            + notWith(changelog),
                    "Name a table of Doris as 'database.table'.");
        }
        if (changelog.changelogMode() == ChangelogConfig.ChangeMode.UPSERT && !hasPrimaryKey) {
            throw options.invalid(
                    ChangelogOptions.CHANGELOG_MODE,
                    "'upsert' needs a primary key, and the table declares none",
                    "Declare PRIMARY KEY (…) NOT ENFORCED on the table.");
        }
        String onExpired = options.get(ChangelogOptions.ON_EXPIRED);
        if (onExpired.equals("resnapshot")) {
            throw InvalidOption.notSupportedYet(
                    "A new snapshot after an expiry",
                    options.name(ChangelogOptions.ON_EXPIRED),
                    onExpired,
                    "Use 'doris-default' or 'fail'.");
        }
        if (changelog.changelogMode() == ChangelogConfig.ChangeMode.UPSERT && insertsOnly) {
            options.warn(
                    "Option 'source.changelog.changelog-mode' = 'upsert' has no effect with"
                        + " 'source.changelog.increment-type' = 'append_only', which reads inserts"
                        + " alone.");
        }
    }

    private static String notWith(ChangelogConfig changelog) {
        return "not allowed with 'source.scan.mode' = '" + changelog.scanMode().option() + "'";
    }
}
