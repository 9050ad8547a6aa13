package org.apache.doris.flink.table;

import org.apache.doris.flink.config.MetadataColumn;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The {@code METADATA} columns that a table may declare, and what is wrong with declared ones. */
final class MetadataColumns {

    private MetadataColumns() {}

    /** What can be read, in the order of the produced rows. */
    static Map<String, DataType> readable() {
        Map<String, DataType> readable = new LinkedHashMap<>();
        for (MetadataColumn column : MetadataColumn.values()) {
            readable.put(column.key(), column.type());
        }
        return readable;
    }

    /**
     * Refuses columns of other names and types, all of them in one message. Flink would take every
     * type that it can cast to, so that an error came with the first row.
     *
     * @param table name of the table, for the message
     */
    static void check(String table, ResolvedSchema schema) {
        List<String> refused = new ArrayList<>();
        for (Column column : schema.getColumns()) {
            if (column instanceof Column.MetadataColumn) {
                reasonAgainst((Column.MetadataColumn) column).ifPresent(refused::add);
            }
        }
        if (!refused.isEmpty()) {
            throw new ValidationException(
                    String.format(
                            "Table %s declares METADATA columns that cannot be read: %s. There are"
                                    + " %s.",
                            table,
                            String.join("; ", refused),
                            Arrays.stream(MetadataColumn.values())
                                    .map(known -> known.key() + " " + known.type())
                                    .collect(Collectors.joining(", "))));
        }
    }

    private static Optional<String> reasonAgainst(Column.MetadataColumn column) {
        String key = column.getMetadataKey().orElse(column.getName());
        LogicalType declared = column.getDataType().getLogicalType();
        String shown = String.format("`%s` %s", column.getName(), declared.asSummaryString());
        return MetadataColumn.ofKey(key)
                .map(known -> mismatch(known, declared).map(reason -> shown + " (" + reason + ")"))
                .orElseGet(
                        () -> Optional.of(shown + " ('" + key + "' is no metadata of a change)"));
    }

    private static Optional<String> mismatch(MetadataColumn known, LogicalType declared) {
        LogicalType type = known.type().getLogicalType();
        boolean fits =
                known == MetadataColumn.OP
                        ? declared.is(LogicalTypeFamily.CHARACTER_STRING)
                        : declared.getTypeRoot() == type.getTypeRoot();
        if (!fits) {
            return Optional.of("'" + known.key() + "' is " + type.asSummaryString());
        }
        return declared.isNullable()
                ? Optional.empty()
                : Optional.of("it is NULL on rows of the snapshot, so remove NOT NULL");
    }
}
