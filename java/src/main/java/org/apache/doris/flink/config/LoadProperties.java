package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The Stream Load parameters of a sink, {@code sink.properties.*}: what the user gave, by
 * lower-case name, and what they mean once the defaults are filled in.
 */
@Internal
public final class LoadProperties {

    /** Name of the parameter for the format of rows. */
    public static final String FORMAT = "format";

    /** Name of the parameter for the compression of the body. */
    public static final String COMPRESS_TYPE = "compress_type";

    /** Value of {@link #COMPRESS_TYPE} for gzip. */
    public static final String GZ = "gz";

    /** Value of {@link #FORMAT} for JSON. */
    public static final String JSON = "json";

    /** Value of {@link #FORMAT} for CSV. */
    public static final String CSV = "csv";

    /** Value of {@link #FORMAT} for Arrow. */
    public static final String ARROW = "arrow";

    /** How CSV spells NULL. */
    public static final String NULL_VALUE = "\\N";

    /** The hidden column that deletes a row: 1 for a delete, else 0. */
    public static final String DELETE_SIGN = "__DORIS_DELETE_SIGN__";

    /** Name of the parameter that makes each line of a body a JSON document. */
    public static final String READ_JSON_BY_LINE = "read_json_by_line";

    /** Name of the parameter that limits the load's run time on the server, in seconds. */
    public static final String TIMEOUT = "timeout";

    /** Name of the parameter for the character that encloses a field. */
    public static final String ENCLOSE = "enclose";

    /** Name of the parameter that takes double quotes off a field. */
    public static final String TRIM_DOUBLE_QUOTES = "trim_double_quotes";

    private static final String GROUP_COMMIT = "group_commit";
    private static final String GROUP_COMMIT_OFF = "off_mode";

    private static final String PARTIAL_COLUMNS = "partial_columns";
    private static final String UPDATE_MODE = "unique_key_update_mode";
    private static final String UPSERT = "upsert";
    private static final String SEQUENCE_COLUMN = "function_column.sequence_col";

    private LoadProperties() {}

    /** What the user gave, values unchanged, in order of the lower-case names. */
    public static Map<String, String> given(OptionValues options) {
        return options.withPrefix(
                SinkOptions.PROPERTIES_PREFIX, name -> name.toLowerCase(Locale.ROOT));
    }

    /**
     * The parameters as loads send them: format and compression are always named, in lower case,
     * and JSON is always read by line. Everything else is as given.
     */
    static Map<String, String> resolve(Map<String, String> given) {
        Map<String, String> resolved = new TreeMap<>(given);
        resolved.put(FORMAT, format(given));
        resolved.put(COMPRESS_TYPE, compressType(given));
        if (format(given).equals("json")) {
            resolved.put(READ_JSON_BY_LINE, "true");
        }
        if (!isGroupCommit(given)) {
            resolved.remove(GROUP_COMMIT);
        }
        return resolved;
    }

    /** {@code csv}, the default, {@code json} or {@code arrow}. */
    public static String format(Map<String, String> properties) {
        return plain(properties.getOrDefault(FORMAT, "csv"));
    }

    /** {@code gz}, the default, {@code lz4}, {@code zstd}, or empty for none. */
    public static String compressType(Map<String, String> properties) {
        return plain(properties.getOrDefault(COMPRESS_TYPE, "gz"));
    }

    /** Whether the server gathers loads into groups, in which case there is no label. */
    public static boolean isGroupCommit(Map<String, String> properties) {
        return !plain(properties.getOrDefault(GROUP_COMMIT, GROUP_COMMIT_OFF))
                .equals(GROUP_COMMIT_OFF);
    }

    /**
     * Whether a row that takes another one's place leaves something of it: columns that the load
     * does not write, or the whole row where its sequence is higher. A delete before the row would
     * not.
     */
    static boolean keepsOtherColumns(Map<String, String> properties) {
        String partial = properties.getOrDefault(PARTIAL_COLUMNS, "false");
        // Servers look at the former parameter only where the latter is absent.
        boolean parts =
                properties.containsKey(UPDATE_MODE)
                        ? !plain(properties.get(UPDATE_MODE)).equals(UPSERT)
                        : plain(partial).equals("true");
        return parts || !properties.getOrDefault(SEQUENCE_COLUMN, "").isBlank();
    }

    /** The user's own limit of a load's run time, in seconds; the value has been checked. */
    static OptionalLong timeout(Map<String, String> given) {
        return given.containsKey(TIMEOUT)
                ? OptionalLong.of(Long.parseLong(given.get(TIMEOUT).trim()))
                : OptionalLong.empty();
    }

    private static String plain(String value) {
        return value.trim().toLowerCase(Locale.ROOT);
    }
}
