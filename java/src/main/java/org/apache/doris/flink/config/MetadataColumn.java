package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;

import java.util.Arrays;
import java.util.Optional;

/**
 * Metadata of a change, as a {@code METADATA} column of a table. All are NULL on rows of the
 * snapshot. The order is the one in which they follow the columns of a produced row.
 */
@Internal
public enum MetadataColumn {
    /** {@code +I}, {@code -U}, {@code +U} or {@code -D}. */
    OP("op", DataTypes.STRING().nullable()),
    /** Commit order number that Doris stamped on the change's transaction. */
    TSO("tso", DataTypes.BIGINT().nullable()),
    /** Order of the changes of one tablet with the same {@link #TSO}. */
    LSN("lsn", DataTypes.BIGINT().nullable()),
    /** Instant of the commit: the clock part of {@link #TSO}, in milliseconds. */
    COMMIT_TIME("commit_time", DataTypes.TIMESTAMP_LTZ(3).nullable());

    private final String key;
    private final DataType type;

    MetadataColumn(String key, DataType type) {
        this.key = key;
        this.type = type;
    }

    /** The column with this key, exactly as written. */
    public static Optional<MetadataColumn> ofKey(String key) {
        return Arrays.stream(values()).filter(column -> column.key.equals(key)).findFirst();
    }

    /** Name after {@code METADATA FROM}, and of the column where that is left out. */
    public String key() {
        return key;
    }

    /** Type of the produced value, nullable. */
    public DataType type() {
        return type;
    }
}
