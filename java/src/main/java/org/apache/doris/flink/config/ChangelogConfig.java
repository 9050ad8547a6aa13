package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.List;
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

    /** Words of {@code source.scan.mode}. */
    public static final List<String> SCAN_MODES =
            List.of("snapshot", "initial", "latest", "from-timestamp");

    /** Words of {@code source.changelog.on-expired}; the last one is refused where it matters. */
    public static final List<String> ON_EXPIRED = List.of("doris-default", "fail", "resnapshot");

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAX_SLICES = 1024;
    private static final int MAX_CONSUMER_ID_BYTES = 256;
    private static final int BY_PARTITION = 0;
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
                    .withResolverStyle(ResolverStyle.STRICT);

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
        scanMode = ScanMode.fromOption(options.oneOf(DorisConfigOptions.SCAN_MODE, SCAN_MODES));
        scanTimestamp = scanTimestamp(options);
        incrementType =
                IncrementType.fromOption(
                        options.oneOf(
                                DorisConfigOptions.INCREMENT_TYPE,
                                List.of("detail", "min_delta", "append_only")));
        pollInterval = options.duration(DorisConfigOptions.POLL_INTERVAL, SECOND);
        visibleWaitTimeout =
                options.duration(DorisConfigOptions.VISIBLE_WAIT_TIMEOUT, Duration.ZERO);
        offsetTable = offsetTable(options);
        consumerId = consumerId(options);
        jdbcUrl = options.text(DorisConfigOptions.JDBC_URL).orElse(null);
        slices = slices(options);
        maxWindow = options.duration(DorisConfigOptions.MAX_WINDOW, SECOND);
        onExpired =
                options.oneOf(DorisConfigOptions.ON_EXPIRED, ON_EXPIRED).equals("fail")
                        ? OnExpired.FAIL
                        : OnExpired.DORIS_DEFAULT;
        changelogMode =
                ChangeMode.valueOf(
                        options.oneOf(
                                        DorisConfigOptions.CHANGELOG_MODE,
                                        List.of("all", "upsert", "audit"))
                                .toUpperCase(Locale.ROOT));
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

    private static String scanTimestamp(OptionValues options) {
        Optional<String> given = options.text(DorisConfigOptions.SCAN_TIMESTAMP);
        if (given.isEmpty()) {
            return null;
        }
        String text = given.get();
        try {
            LocalDateTime.parse(text, TIMESTAMP);
        } catch (DateTimeParseException e) {
            throw options.invalid(
                    DorisConfigOptions.SCAN_TIMESTAMP,
                    "allowed is an existing time as 'yyyy-MM-dd HH:mm:ss', without fraction and"
                            + " zone",
                    "Write for example '2026-10-09 10:00:00', in the time zone of the account.");
        }
        return text;
    }

    private static TableIdentifier offsetTable(OptionValues options) {
        Optional<String> given = options.text(DorisConfigOptions.OFFSET_TABLE);
        if (given.isEmpty()) {
            return null;
        }
        return TableIdentifier.parse(given.get())
                .filter(id -> !id.hasCatalog())
                .orElseThrow(
                        () ->
                                options.invalid(
                                        DorisConfigOptions.OFFSET_TABLE,
                                        "allowed is 'database.table', parts quoted with backticks"
                                                + " where they hold dots or blanks",
                                        "Name the table with its database."));
    }

    private static String consumerId(OptionValues options) {
        Optional<String> given = options.text(DorisConfigOptions.CONSUMER_ID);
        if (given.isEmpty()) {
            return null;
        }
        String id = options.exact(DorisConfigOptions.CONSUMER_ID).orElse("");
        int bytes = id.getBytes(StandardCharsets.UTF_8).length;
        if (!id.equals(given.get()) || bytes > MAX_CONSUMER_ID_BYTES) {
            throw options.invalid(
                    DorisConfigOptions.CONSUMER_ID,
                    "allowed are 1 to 256 bytes of UTF-8 without blanks at either end, these are "
                            + bytes
                            + " bytes",
                    "Choose a shorter id, or remove the blanks.");
        }
        return id;
    }

    private static int slices(OptionValues options) {
        String slices = options.text(DorisConfigOptions.SLICES).orElse("");
        if (slices.equalsIgnoreCase("partitions")) {
            return BY_PARTITION;
        }
        boolean legal =
                slices.matches("[0-9]{1,4}")
                        && Integer.parseInt(slices) >= 1
                        && Integer.parseInt(slices) <= MAX_SLICES;
        if (!legal) {
            throw options.invalid(
                    DorisConfigOptions.SLICES,
                    "allowed are a whole number from 1 to " + MAX_SLICES + " and 'partitions'",
                    "Leave the option out for one slice, the whole table.");
        }
        return Integer.parseInt(slices);
    }
}
