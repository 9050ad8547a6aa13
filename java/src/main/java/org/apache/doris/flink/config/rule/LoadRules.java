package org.apache.doris.flink.config.rule;

import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.InvalidOption;
import org.apache.doris.flink.config.option.OptionKeys;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules on the Stream Load parameters, {@code sink.properties.*}. */
@Internal
public final class LoadRules {

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

    /** Parameters that Doris 5 reads; others go out as well, since servers gain some. */
    private static final Set<String> KNOWN =
            Set.of(
                    "format",
                    "read_json_by_line",
                    "strip_outer_array",
                    "compress_type",
                    "column_separator",
                    "line_delimiter",
                    "escape_delimiters",
                    "columns",
                    "hidden_columns",
                    "partial_columns",
                    "partial_update_new_key_behavior",
                    "unique_key_update_mode",
                    "group_commit",
                    "enclose",
                    "escape",
                    "trim_double_quotes",
                    "empty_field_as_null",
                    "timeout",
                    "where",
                    "max_filter_ratio",
                    "strict_mode",
                    "timezone",
                    "exec_mem_limit",
                    "merge_type",
                    "delete",
                    "function_column.sequence_col",
                    "jsonpaths",
                    "json_root",
                    "num_as_string",
                    "fuzzy_parse",
                    "ignore_json_size",
                    "load_to_single_tablet",
                    "send_batch_parallelism",
                    "memtable_on_sink_node",
                    "enable_profile",
                    "skip_lines",
                    "partitions",
                    "temporary_partitions",
                    "negative",
                    "comment",
                    "compute_group",
                    "cloud_cluster");

    private static final List<String> FORMATS = List.of("csv", "json", "arrow");
    private static final List<String> GROUP_COMMIT = List.of("off_mode", "sync_mode", "async_mode");
    private static final List<String> COMPRESS_TYPES = List.of("gz", "lz4", "zstd", "");
    private static final int MAX_TIMEOUT = 259200;
    private static final Pattern BROKEN_ESCAPE =
            Pattern.compile("\\\\[xX](?![0-9A-Fa-f]{2})", Pattern.DOTALL);

    private LoadRules() {}

    /** Values that are wrong by themselves, whatever a table is used for. */
    static void checkValue(String name, String value) {
        if (RESERVED.contains(name)) {
            throw invalid(
                    name, value, "the connector sets this parameter itself", "Remove the option.");
        }
        // The delimiter itself may be a control character; elsewhere it would end the header.
        if (!isDelimiter(name) && value.chars().anyMatch(Character::isISOControl)) {
            throw invalid(
                    name,
                    value.replaceAll("\\p{Cntrl}", "?"),
                    "line breaks and control characters are not allowed",
                    "Write a delimiter as '\\n' or '\\x01', and anything else without them.");
        }
        if (name.equals("format")) {
            checkOneOf(name, value, FORMATS, "");
        }
        if (name.equals("group_commit")) {
            checkOneOf(name, value, GROUP_COMMIT, "");
        }
    }

    /** What the parameters of a table that is written to must be, each and together. */
    static void checkLoad(OptionValues options, Map<String, String> properties) {
        checkDelimiters(properties);
        checkQuotes(properties);
        checkCompression(options, properties);
        checkTimeout(properties);
        checkJson(options, properties);
        checkPartialUpdate(properties);
        checkFlexibleUpdate(properties);
        checkGroupCommit(properties);
        warnOfUnknown(options, properties);
        warnOfIgnored(options, properties);
    }

    /**
     * With CSV the list of columns names the fields by their place: one that holds the declared
     * names in another order writes values into wrong columns.
     */
    public static void warnOfOtherOrder(
            OptionValues options, Map<String, String> properties, List<String> declared) {
        String columns = properties.getOrDefault("columns", "");
        if (!LoadProperties.format(properties).equals("csv") || columns.isBlank()) {
            return;
        }
        List<String> listed = new ArrayList<>();
        for (String element : columns.split(",")) {
            String name = element.trim();
            if (name.matches("`[^`]+`")) {
                name = name.substring(1, name.length() - 1);
            }
            listed.add(name.toLowerCase(Locale.ROOT));
        }
        List<String> names = new ArrayList<>();
        declared.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        boolean sameSet = Set.copyOf(listed).equals(Set.copyOf(names));
        if (sameSet && listed.size() == names.size() && !listed.equals(names)) {
            options.warn(
                    String.format(
                            "Option 'sink.properties.columns' = '%s' lists the columns in another"
                                + " order than the table declares them (%s). With CSV it names the"
                                + " fields by their place, so values go into other columns than"
                                + " those of their names.",
                            columns, String.join(", ", declared)));
        }
    }

    private static void checkDelimiters(Map<String, String> properties) {
        for (String name : List.of("column_separator", "line_delimiter")) {
            String value = properties.get(name);
            if (value == null) {
                continue;
            }
            if (value.isEmpty()) {
                throw invalid(name, value, "a delimiter has at least one character", "");
            }
            if (BROKEN_ESCAPE.matcher(value).find()) {
                throw invalid(
                        name, value, "'\\x' is followed by two hexadecimal digits per byte", "");
            }
        }
        String column = properties.getOrDefault("column_separator", "\\t");
        String line = properties.getOrDefault("line_delimiter", "\\n");
        if (Delimiter.resolve(column).equals(Delimiter.resolve(line))
                && LoadProperties.format(properties).equals("csv")) {
            throw invalid(
                    "column_separator",
                    column,
                    "columns and lines cannot end in the same delimiter",
                    "Change one of 'sink.properties.column_separator' and"
                            + " 'sink.properties.line_delimiter'.");
        }
    }

    private static void checkQuotes(Map<String, String> properties) {
        for (String name : List.of("enclose", "escape")) {
            String value = properties.get(name);
            if (value != null && (value.length() != 1 || value.charAt(0) >= 0x80)) {
                throw invalid(name, value, "allowed is a single ASCII character", "");
            }
        }
    }

    private static void checkCompression(OptionValues options, Map<String, String> properties) {
        String type = LoadProperties.compressType(properties);
        if (properties.containsKey(LoadProperties.COMPRESS_TYPE)) {
            checkOneOf(
                    LoadProperties.COMPRESS_TYPE,
                    properties.get(LoadProperties.COMPRESS_TYPE),
                    COMPRESS_TYPES,
                    "An empty value switches compression off.");
        }
        if (!options.has(SinkOptions.COMPRESS_LEVEL)) {
            return;
        }
        Integer max = SinkOptions.COMPRESS_LEVELS.get(type);
        if (max == null) {
            throw options.invalid(
                    SinkOptions.COMPRESS_LEVEL,
                    type.isEmpty() ? "compression is off" : "'" + type + "' has no levels",
                    "Remove the option, or set 'sink.properties.compress_type' to 'gz' or 'zstd'.");
        }
        int level = options.get(SinkOptions.COMPRESS_LEVEL);
        if (level < 1 || level > max) {
            throw options.invalid(
                    SinkOptions.COMPRESS_LEVEL,
                    "the levels of '" + type + "' are 1 to " + max,
                    "Leave the option out for the default.");
        }
    }

    private static void checkTimeout(Map<String, String> properties) {
        String value = properties.get(LoadProperties.TIMEOUT);
        if (value == null) {
            return;
        }
        String digits = value.trim();
        boolean legal =
                digits.matches("[0-9]{1,9}")
                        && Integer.parseInt(digits) >= 1
                        && Integer.parseInt(digits) <= MAX_TIMEOUT;
        if (!legal) {
            throw invalid(
                    LoadProperties.TIMEOUT,
                    value,
                    "allowed is a whole number of seconds from 1 to " + MAX_TIMEOUT,
                    "");
        }
    }

    private static void checkJson(OptionValues options, Map<String, String> properties) {
        if (!LoadProperties.format(properties).equals("json")) {
            return;
        }
        if (isTrue(properties.get("strip_outer_array"))) {
            throw invalid(
                    "strip_outer_array",
                    properties.get("strip_outer_array"),
                    "not allowed with 'sink.properties.format' = 'json': rows are sent one a line,"
                            + " not as an array",
                    "Remove the option.");
        }
        String byLine = properties.get("read_json_by_line");
        if (byLine != null && !isTrue(byLine)) {
            options.warn(
                    "Option 'sink.properties.read_json_by_line' has no effect: rows are always sent"
                            + " one a line, so 'true' is sent.");
        }
    }

    private static void checkPartialUpdate(Map<String, String> properties) {
        String partial = properties.get("partial_columns");
        if (isTrue(partial) && properties.getOrDefault("columns", "").isBlank()) {
            throw invalid(
                    "partial_columns",
                    partial,
                    "a partial update needs option 'sink.properties.columns'",
                    "List the columns to be written there.");
        }
    }

    private static void checkFlexibleUpdate(Map<String, String> properties) {
        String mode = properties.getOrDefault("unique_key_update_mode", "");
        if (!mode.trim().equalsIgnoreCase("UPDATE_FLEXIBLE_COLUMNS")) {
            return;
        }
        for (String other : List.of("columns", "hidden_columns", "partial_columns")) {
            if (properties.containsKey(other)) {
                throw invalid(
                        "unique_key_update_mode",
                        mode,
                        "not allowed together with 'sink.properties." + other + "'",
                        "Remove one of the two.");
            }
        }
        if (!LoadProperties.format(properties).equals("json")) {
            throw invalid(
                    "unique_key_update_mode",
                    mode,
                    "only JSON rows can leave columns out, and 'sink.properties.format' is '"
                            + LoadProperties.format(properties)
                            + "'",
                    "Set 'sink.properties.format' to 'json'.");
        }
    }

    private static void checkGroupCommit(Map<String, String> properties) {
        if (!LoadProperties.isGroupCommit(properties)) {
            return;
        }
        for (String other : List.of("partial_columns", "partitions")) {
            if (properties.containsKey(other)) {
                throw invalid(
                        "group_commit",
                        properties.get("group_commit"),
                        "Doris does not allow it together with 'sink.properties." + other + "'",
                        "Remove one of the two.");
            }
        }
    }

    private static void warnOfUnknown(OptionValues options, Map<String, String> properties) {
        for (String name : properties.keySet()) {
            if (!KNOWN.contains(name)) {
                options.warn(
                        String.format(
                                "Option 'sink.properties.%s' is sent as it is, but this version"
                                        + " does not know such a parameter of Stream Load.%s",
                                name,
                                OptionKeys.nearest(name, KNOWN)
                                        .map(near -> " The nearest known one is '" + near + "'.")
                                        .orElse("")));
            }
        }
    }

    private static void warnOfIgnored(OptionValues options, Map<String, String> properties) {
        String format = LoadProperties.format(properties);
        if (format.equals("csv")) {
            return;
        }
        List<String> ignored =
                new ArrayList<>(
                        List.of("column_separator", "enclose", "escape", "trim_double_quotes"));
        if (format.equals("arrow")) {
            ignored.add("line_delimiter");
        }
        for (String name : ignored) {
            if (properties.containsKey(name)) {
                options.warn(
                        String.format(
                                "Option 'sink.properties.%s' has no effect with"
                                        + " 'sink.properties.format' = '%s'.",
                                name, format));
            }
        }
    }

    private static void checkOneOf(String name, String value, List<String> allowed, String remedy) {
        if (allowed.stream().noneMatch(value.trim()::equalsIgnoreCase)) {
            throw invalid(
                    name, value, "allowed are '" + String.join("', '", allowed) + "'", remedy);
        }
    }

    private static boolean isDelimiter(String name) {
        return name.equals("column_separator") || name.equals("line_delimiter");
    }

    static boolean isTrue(String value) {
        return value != null && value.trim().equalsIgnoreCase("true");
    }

    static ValidationException invalid(String name, String value, String allowed, String remedy) {
        return InvalidOption.of(SinkOptions.PROPERTIES_PREFIX + name, value, allowed, remedy);
    }
}
