package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.flink.annotation.PublicEvolving;

/** Names and values of Stream Load parameters. */
@PublicEvolving
public class LoadConstants {

    public static final String COLUMNS_KEY = "columns";
    public static final String FIELD_DELIMITER_KEY = "column_separator";
    public static final String FIELD_DELIMITER_DEFAULT = "\t";
    public static final String LINE_DELIMITER_KEY = "line_delimiter";
    public static final String LINE_DELIMITER_DEFAULT = "\n";
    public static final String FORMAT_KEY = LoadProperties.FORMAT;
    public static final String JSON = LoadProperties.JSON;
    public static final String CSV = LoadProperties.CSV;
    public static final String ARROW = LoadProperties.ARROW;

    /** How CSV spells NULL. */
    public static final String NULL_VALUE = LoadProperties.NULL_VALUE;

    /** The hidden column that deletes a row: 1 for a delete, else 0. */
    public static final String DORIS_DELETE_SIGN = LoadProperties.DELETE_SIGN;

    public static final String READ_JSON_BY_LINE = LoadProperties.READ_JSON_BY_LINE;
    public static final String GROUP_COMMIT = "group_commit";
    public static final String GROUP_COMMIT_OFF_MODE = "off_mode";
    public static final String COMPRESS_TYPE = LoadProperties.COMPRESS_TYPE;
    public static final String COMPRESS_TYPE_GZ = LoadProperties.GZ;
}
