package org.apache.doris.flink.sink.writer;

/** Names and values of Stream Load parameters. */
public class LoadConstants {

    public static final String COLUMNS_KEY = "columns";
    public static final String FIELD_DELIMITER_KEY = "column_separator";
    public static final String FIELD_DELIMITER_DEFAULT = "\t";
    public static final String LINE_DELIMITER_KEY = "line_delimiter";
    public static final String LINE_DELIMITER_DEFAULT = "\n";
    public static final String FORMAT_KEY = "format";
    public static final String JSON = "json";
    public static final String CSV = "csv";
    public static final String ARROW = "arrow";

    /** How CSV spells NULL. */
    public static final String NULL_VALUE = "\\N";

    /** The hidden column that deletes a row: 1 for a delete, else 0. */
    public static final String DORIS_DELETE_SIGN = "__DORIS_DELETE_SIGN__";

    public static final String READ_JSON_BY_LINE = "read_json_by_line";
    public static final String GROUP_COMMIT = "group_commit";
    public static final String GROUP_COMMIT_OFF_MODE = "off_mode";
    public static final String COMPRESS_TYPE = "compress_type";
    public static final String COMPRESS_TYPE_GZ = "gz";
}
