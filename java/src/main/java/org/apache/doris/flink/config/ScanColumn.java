package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/** A column that a scan produces: where it lies in the table and the Flink type it has. */
@Internal
public final class ScanColumn implements Serializable {

    private static final long serialVersionUID = 1L;

    private final List<String> path;
    private final LogicalType type;

    /**
     * @param path names from the table's column inwards; one for a plain column
     * @param type type that Flink expects, nullable where any step of the path is
     */
    public ScanColumn(List<String> path, LogicalType type) {
        this.path = List.copyOf(path);
        this.type = type;
    }

    /** All columns of a table, in its order. */
    public static List<ScanColumn> allOf(RowType declared) {
        return declared.getFields().stream()
                .map(field -> new ScanColumn(List.of(field.getName()), field.getType()))
                .collect(Collectors.toUnmodifiableList());
    }

    /** Names from the table's column inwards. */
    public List<String> path() {
        return path;
    }

    /** Names in backticks joined by dots, a backtick inside doubled. */
    public String quotedPath() {
        return path.stream()
                .map(name -> "`" + name.replace("`", "``") + "`")
                .collect(Collectors.joining("."));
    }

    /** The Flink type. */
    public LogicalType type() {
        return type;
    }

    /** Name of the column in the produced rows: the path joined by underscores. */
    public String name() {
        return String.join("_", path);
    }

    @Override
    public String toString() {
        return quotedPath() + " " + type;
    }
}
