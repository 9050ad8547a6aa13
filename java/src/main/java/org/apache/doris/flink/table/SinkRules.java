package org.apache.doris.flink.table;

import org.apache.doris.flink.config.InvalidOption;
import org.apache.doris.flink.config.OptionValues;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.ValidationException;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Rules on the options of writing: those on single values hold whatever a table is used for, those
 * on combinations when it is written to.
 */
final class SinkRules {

    private static final int MAX = Integer.MAX_VALUE;
    private static final int MAX_LABEL_PREFIX = 64;
    private static final List<String> WRITE_MODES =
            List.of("STREAM_LOAD", "STREAM_LOAD_BATCH", "TVF");
    private static final Set<String> RESERVED =
            Set.of(
                    "label",
                    "two_phase_commit",
                    "authorization",
                    "expect",
                    "content-length",
                    "transfer-encoding",
                    "db",
                    "table");
    private static final List<String> FORMATS = List.of("csv", "json", "arrow");
    private static final List<String> GROUP_COMMIT = List.of("off_mode", "sync_mode", "async_mode");

    private SinkRules() {}

    /** Values that are wrong by themselves. */
    static void checkValues(OptionValues options) {
        checkWriteMode(options);
        options.bool(SinkOptions.ENABLE_DELETE);
        options.bool(SinkOptions.ENABLE_2PC);
        options.bool(SinkOptions.ENABLE_BATCH_MODE);
        options.bool(SinkOptions.IGNORE_UPDATE_BEFORE);
        options.bool(SinkOptions.IGNORE_COMMIT_ERROR);
        options.bool(SinkOptions.USE_CACHE);
        options.bool(SinkOptions.S3_PATH_STYLE_ACCESS);
        options.bytes(SinkOptions.BUFFER_SIZE, MemorySize.parse("1kb"));
        options.integer(SinkOptions.BUFFER_COUNT, 2, MAX);
        options.integer(SinkOptions.MAX_RETRIES, 0, MAX);
        options.integer(SinkOptions.FLUSH_QUEUE_SIZE, 1, MAX);
        options.integer(SinkOptions.FLUSH_MAX_ROWS, 1, MAX);
        options.bytes(SinkOptions.FLUSH_MAX_BYTES, MemorySize.parse("64kb"));
        options.duration(SinkOptions.FLUSH_INTERVAL, Duration.ofMillis(100));
        options.duration(SinkOptions.PRECOMMIT_TIMEOUT, Duration.ofSeconds(60));
        options.duration(SinkOptions.CHECK_INTERVAL, Duration.ZERO);
        options.bytes(SinkOptions.REPLAY_BUFFER_SIZE, MemorySize.ZERO);
        if (options.has(SinkOptions.PARALLELISM)) {
            options.integer(SinkOptions.PARALLELISM, 1, MAX);
        }
        if (options.has(SinkOptions.COMPRESS_LEVEL)) {
            options.integer(SinkOptions.COMPRESS_LEVEL, 0, MAX);
        }
        options.oneOf(SinkOptions.S3_CLEANUP, List.of("none", "after-commit"));
        checkLabelPrefix(options);
        properties(options).forEach(SinkRules::checkProperty);
    }

    /** Combinations that a table to be written to must not have. */
    static void checkSink(OptionValues options) {
        Map<String, String> properties = properties(options);
        boolean tvf = options.oneOf(SinkOptions.WRITE_MODE, WRITE_MODES).equals("TVF");
        checkPartialUpdate(properties);
        boolean groupCommit =
                !properties.getOrDefault("group_commit", "off_mode").equals("off_mode");
        boolean explicit2pc =
                options.has(SinkOptions.ENABLE_2PC) && options.bool(SinkOptions.ENABLE_2PC);
        if (groupCommit && explicit2pc) {
            throw options.invalid(
                    SinkOptions.ENABLE_2PC,
                    "group commit has no two-phase commit",
                    "Remove 'sink.enable-2pc', or 'sink.properties.group_commit'.");
        }
        if (explicit2pc && options.text(SinkOptions.LABEL_PREFIX).isEmpty()) {
            throw options.invalid(
                    SinkOptions.ENABLE_2PC,
                    "an explicit two-phase commit needs option 'sink.label-prefix'",
                    "Set 'sink.label-prefix' to a text that no other job uses.");
        }
        if (tvf) {
            checkTvf(options, properties);
        }
    }

    private static void checkWriteMode(OptionValues options) {
        if (options.text(SinkOptions.WRITE_MODE).orElse("").equalsIgnoreCase("COPY")) {
            throw options.invalid(
                    SinkOptions.WRITE_MODE,
                    "'COPY' belongs to one vendor's cloud service; allowed are '"
                            + String.join("', '", WRITE_MODES)
                            + "'",
                    "Use 'TVF' to write through object storage.");
        }
        options.oneOf(SinkOptions.WRITE_MODE, WRITE_MODES);
    }

    private static void checkLabelPrefix(OptionValues options) {
        String prefix = options.exact(SinkOptions.LABEL_PREFIX).orElse("");
        boolean legal = prefix.isBlank() || prefix.matches("[-_A-Za-z0-9:]+");
        if (!legal || prefix.length() > MAX_LABEL_PREFIX) {
            throw options.invalid(
                    SinkOptions.LABEL_PREFIX,
                    "allowed are 1 to "
                            + MAX_LABEL_PREFIX
                            + " characters of letters, digits, '-', '_' and ':'",
                    "Choose a shorter or plainer prefix.");
        }
    }

    private static void checkProperty(String name, String value) {
        String key = SinkOptions.PROPERTIES_PREFIX + name;
        if (RESERVED.contains(name)) {
            throw InvalidOption.of(
                    key, value, "the connector sets this parameter itself", "Remove the option.");
        }
        // The delimiter itself may be a control character; elsewhere it would end the header.
        boolean delimiter = name.equals("column_separator") || name.equals("line_delimiter");
        if (!delimiter && value.chars().anyMatch(Character::isISOControl)) {
            throw InvalidOption.of(
                    key,
                    value.replaceAll("\\p{Cntrl}", "?"),
                    "line breaks and control characters are not allowed",
                    "Write a delimiter as '\\n' or '\\x01', and anything else without them.");
        }
        if (name.equals("format") && FORMATS.stream().noneMatch(value.trim()::equalsIgnoreCase)) {
            throw InvalidOption.of(key, value, allowed(FORMATS), "");
        }
        if (name.equals("group_commit")
                && GROUP_COMMIT.stream().noneMatch(value.trim()::equalsIgnoreCase)) {
            throw InvalidOption.of(key, value, allowed(GROUP_COMMIT), "");
        }
    }

    private static void checkPartialUpdate(Map<String, String> properties) {
        boolean columns = !properties.getOrDefault("columns", "").isBlank();
        String partial = properties.getOrDefault("partial_columns", "false");
        if (partial.trim().equalsIgnoreCase("true") && !columns) {
            throw InvalidOption.of(
                    SinkOptions.PROPERTIES_PREFIX + "partial_columns",
                    partial,
                    "a partial update needs option 'sink.properties.columns'",
                    "List the columns to be written there.");
        }
        String flexible = properties.getOrDefault("unique_key_update_mode", "");
        if (flexible.trim().equalsIgnoreCase("UPDATE_FLEXIBLE_COLUMNS")) {
            for (String other : List.of("columns", "hidden_columns", "partial_columns")) {
                if (properties.containsKey(other)) {
                    throw InvalidOption.of(
                            SinkOptions.PROPERTIES_PREFIX + "unique_key_update_mode",
                            flexible,
                            "not allowed together with 'sink.properties." + other + "'",
                            "Remove one of the two.");
                }
            }
        }
        String group = properties.getOrDefault("group_commit", "off_mode");
        if (!group.trim().equalsIgnoreCase("off_mode")) {
            for (String other : List.of("partial_columns", "partitions")) {
                if (properties.containsKey(other)) {
                    throw InvalidOption.of(
                            SinkOptions.PROPERTIES_PREFIX + "group_commit",
                            group,
                            "Doris does not allow it together with 'sink.properties." + other + "'",
                            "Remove one of the two.");
                }
            }
        }
    }

    private static void checkTvf(OptionValues options, Map<String, String> properties) {
        String remedy = "Change one of the two.";
        String with = "not allowed with 'sink.write-mode' = 'TVF'";
        if (options.bool(SinkOptions.ENABLE_BATCH_MODE)) {
            throw options.invalid(SinkOptions.ENABLE_BATCH_MODE, with, remedy);
        }
        if (!options.bool(SinkOptions.ENABLE_2PC)) {
            throw options.invalid(SinkOptions.ENABLE_2PC, with, remedy);
        }
        for (ConfigOption<String> needed :
                List.of(
                        CommonOptions.JDBC_URL,
                        SinkOptions.LABEL_PREFIX,
                        SinkOptions.S3_ENDPOINT,
                        SinkOptions.S3_REGION,
                        SinkOptions.S3_BUCKET,
                        SinkOptions.S3_PREFIX)) {
            if (options.text(needed).isEmpty()) {
                throw new ValidationException(
                        String.format(
                                "Option 'sink.write-mode' = 'TVF' needs option '%s': set it.",
                                needed.key()));
            }
        }
        if (options.text(SinkOptions.S3_PREFIX)
                .get()
                .matches(".*[*?\\[\\]{},\\\\].*|(.*/)?\\.\\.(/.*)?")) {
            throw options.invalid(
                    SinkOptions.S3_PREFIX,
                    "glob characters (* ? [ ] { } , \\) and '..' are not allowed",
                    "Choose a plain folder.");
        }
        checkTvfLogin(options);
        String format = properties.getOrDefault("format", "json");
        if (!format.trim().equalsIgnoreCase("json")) {
            throw InvalidOption.of(
                    SinkOptions.PROPERTIES_PREFIX + "format",
                    format,
                    "only 'json' goes with 'TVF'",
                    "");
        }
    }

    private static void checkTvfLogin(OptionValues options) {
        boolean access = options.text(SinkOptions.S3_ACCESS_KEY).isPresent();
        boolean secret = options.text(SinkOptions.S3_SECRET_KEY).isPresent();
        boolean role = options.text(SinkOptions.S3_ROLE_ARN).isPresent();
        if (access != secret) {
            throw options.invalid(
                    access ? SinkOptions.S3_ACCESS_KEY : SinkOptions.S3_SECRET_KEY,
                    "'sink.s3.access-key' and 'sink.s3.secret-key' go together",
                    "Set the other one as well.");
        }
        if (!access && !role) {
            throw new ValidationException(
                    "Option 'sink.write-mode' = 'TVF' needs options 'sink.s3.access-key' and"
                            + " 'sink.s3.secret-key', or 'sink.s3.role-arn': set them.");
        }
        if (options.text(SinkOptions.S3_EXTERNAL_ID).isPresent() && !role) {
            throw options.invalid(
                    SinkOptions.S3_EXTERNAL_ID,
                    "it goes with option 'sink.s3.role-arn' only",
                    "Set the role, or remove the external id.");
        }
    }

    /** Stream Load parameters by lower-case name. */
    private static Map<String, String> properties(OptionValues options) {
        return options.withPrefix(
                SinkOptions.PROPERTIES_PREFIX, name -> name.toLowerCase(Locale.ROOT));
    }

    private static String allowed(List<String> values) {
        return "allowed are '" + String.join("', '", values) + "'";
    }
}
