package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.ChangelogOptions;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a read starts and how it follows the table's changes. Immutable; every value is checked by
 * itself when this is built, what must hold between options is checked by the planner's rules.
 */
@Internal
public final class ChangelogConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    /** What a user can do where needed changes have expired. */
    public static final String EXPIRED_REMEDY =
            "What has expired cannot be read any more. To align downstream data with the table"
                + " again, start with 'source.scan.mode' = 'initial', without the checkpoint or"
                + " savepoint, and with a 'source.changelog.consumer-id' that has no row yet, or"
                + " without it and 'source.changelog.offset-table'. A larger changelog.ttl_seconds"
                + " helps from now on only.";

    private static final int BY_PARTITION = 0;

    private final ScanMode scanMode;
    private final String scanTimestamp;
    private final IncrementType incrementType;
    private final Duration pollInterval;
    private final Duration visibleWaitTimeout;
    private final TableIdentifier offsetTable;
    private final String consumerId;
    private final String jdbcUrl;
    private final int slices;
    private final Duration maxWindow;
    private final OnExpired onExpired;
    private final ChangeMode changelogMode;
    private final Long checkpointInterval;

    private ChangelogConfig(OptionValues options) {
        scanMode = ScanMode.fromOption(options.get(ChangelogOptions.SCAN_MODE));
        scanTimestamp = options.text(ChangelogOptions.SCAN_TIMESTAMP).orElse(null);
        incrementType = IncrementType.fromOption(options.get(ChangelogOptions.INCREMENT_TYPE));
        pollInterval = options.get(ChangelogOptions.POLL_INTERVAL);
        visibleWaitTimeout = options.get(ChangelogOptions.VISIBLE_WAIT_TIMEOUT);
        offsetTable = offsetTable(options);
        consumerId = options.text(ChangelogOptions.CONSUMER_ID).orElse(null);
        jdbcUrl = options.text(CommonOptions.JDBC_URL).orElse(null);
        slices = slices(options.get(ChangelogOptions.SLICES));
        maxWindow = options.get(ChangelogOptions.MAX_WINDOW);
        onExpired =
                options.get(ChangelogOptions.ON_EXPIRED).equals("fail")
                        ? OnExpired.FAIL
                        : OnExpired.DORIS_DEFAULT;
        changelogMode =
                ChangeMode.valueOf(
                        options.get(ChangelogOptions.CHANGELOG_MODE).toUpperCase(Locale.ROOT));
        checkpointInterval = null;
    }

    private ChangelogConfig(ChangelogConfig other, Long checkpointInterval) {
        scanMode = other.scanMode;
        scanTimestamp = other.scanTimestamp;
        incrementType = other.incrementType;
        pollInterval = other.pollInterval;
        visibleWaitTimeout = other.visibleWaitTimeout;
        offsetTable = other.offsetTable;
        consumerId = other.consumerId;
        jdbcUrl = other.jdbcUrl;
        slices = other.slices;
        maxWindow = other.maxWindow;
        onExpired = other.onExpired;
        changelogMode = other.changelogMode;
        this.checkpointInterval = checkpointInterval;
    }

    /**
     * Reads the options; the checkpoint interval is unknown at first.
     *
     * @throws org.apache.flink.table.api.ValidationException for a value that is wrong by itself
     */
    public static ChangelogConfig from(OptionValues options) {
        return new ChangelogConfig(options);
    }

    /** Of a read of the current content alone: all defaults. */
    public static ChangelogConfig snapshot() {
        return from(OptionValues.of(Map.of()));
    }

    /** The same with what is known of the job's checkpoints, as {@link #checkpointInterval}. */
    public ChangelogConfig withCheckpointInterval(OptionalLong millis) {
        return new ChangelogConfig(this, millis.isPresent() ? millis.getAsLong() : null);
    }

    /** What a new consumer reads. */
    public ScanMode scanMode() {
        return scanMode;
    }

    /**
     * Start of {@code from-timestamp} as {@code yyyy-MM-dd HH:mm:ss}, a wall clock time of the
     * account's zone.
     */
    public Optional<String> scanTimestamp() {
        return Optional.ofNullable(scanTimestamp);
    }

    /** Which changes are read. */
    public IncrementType incrementType() {
        return incrementType;
    }

    /** How often the newest position is looked up; 1 s or more. */
    public Duration pollInterval() {
        return pollInterval;
    }

    /** How long a window waits for transactions that are not visible yet; 0 for not at all. */
    public Duration visibleWaitTimeout() {
        return visibleWaitTimeout;
    }

    /** Table that publishes progress; present together with {@link #consumerId}. */
    public Optional<TableIdentifier> offsetTable() {
        return Optional.ofNullable(offsetTable);
    }

    /** The job's row in the offset table. */
    public Optional<String> consumerId() {
        return Optional.ofNullable(consumerId);
    }

    /** MySQL port of the front ends as {@code jdbc:mysql://…}. */
    public Optional<String> jdbcUrl() {
        return Optional.ofNullable(jdbcUrl);
    }

    /** How the table's keys are cut into slices that are followed in parallel. */
    public SliceScheme slices() {
        return slices == BY_PARTITION ? SliceScheme.PARTITIONS : SliceScheme.hash(slices);
    }

    /** Upper length of one window, 1 s or more; empty: fitted to the checkpoint interval. */
    public Optional<Duration> maxWindow() {
        return Optional.ofNullable(maxWindow);
    }

    /** What follows when needed changes have expired. */
    public OnExpired onExpired() {
        return onExpired;
    }

    /** The shape in which changes reach Flink. */
    public ChangeMode changelogMode() {
        return changelogMode;
    }

    /** Milliseconds between checkpoints, 0 when they are off; empty when that is not known. */
    public OptionalLong checkpointInterval() {
        return checkpointInterval == null
                ? OptionalLong.empty()
                : OptionalLong.of(checkpointInterval);
    }

    /** Whether every row reaches Flink as an insert. */
    public boolean isInsertOnly() {
        return scanMode.isSnapshotOnly()
                || incrementType == IncrementType.APPEND_ONLY
                || changelogMode == ChangeMode.AUDIT;
    }

    /** Whether the job fails when needed changes have expired; else it continues without them. */
    public boolean failsOnExpired() {
        return incrementType == IncrementType.MIN_DELTA || onExpired == OnExpired.FAIL;
    }

    /** Why it fails then: with net changes by Doris' own text, at a start as in mid-stream. */
    public String whyItFailsOnExpired() {
        return incrementType == IncrementType.MIN_DELTA
                ? "Changelog offset has expired according to changelog.ttl_seconds: the job fails,"
                        + " as it always does with 'source.changelog.increment-type' = 'min_delta'."
                : "The job fails, as option 'source.changelog.on-expired' = 'fail' says.";
    }

    private static TableIdentifier offsetTable(OptionValues options) {
        Optional<String> given = options.text(ChangelogOptions.OFFSET_TABLE);
        if (given.isEmpty()) {
            return null;
        }
        return TableIdentifier.parse(given.get())
                .filter(id -> !id.hasCatalog())
                .orElseThrow(
                        () ->
                                options.invalid(
                                        ChangelogOptions.OFFSET_TABLE,
                                        "allowed is 'database.table', parts quoted with backticks"
                                                + " where they hold dots or blanks",
                                        "Name the table with its database."));
    }

    private static int slices(String text) {
        return text.equalsIgnoreCase(ChangelogOptions.PARTITIONS)
                ? BY_PARTITION
                : Integer.parseInt(text);
    }

    /**
     * Values of {@code source.changelog.on-expired}: what follows when needed changes have expired.
     */
    public enum OnExpired {
        /**
         * As Doris has it: {@code min_delta} fails, the others continue with what is left, which is
         * logged as an error and counted.
         */
        DORIS_DEFAULT,
        /** The job fails with the lost range, whatever the increment type. */
        FAIL
    }

    /**
     * Values of {@code source.changelog.changelog-mode}: the shape in which changes reach Flink.
     */
    public enum ChangeMode {
        /** {@code +I}, {@code -U}, {@code +U} and {@code -D} as Doris has them. */
        ALL,
        /** {@code -U} is dropped; what is left is an upsert by primary key. */
        UPSERT,
        /** Every change is an inserted row; a metadata column holds its kind. */
        AUDIT
    }
}
