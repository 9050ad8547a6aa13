package org.apache.doris.flink.sink.writer.serializer.debezium;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.annotation.Internal;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What one Debezium record changes: a row that was, a row that is, or both. */
@Internal
public final class DebeziumChange {

    private static final String DELETE = "1";
    private static final String UPSERT = "0";

    private final TableIdentifier table;
    private final Map<String, Object> before;
    private final Map<String, Object> after;

    /**
     * @param table null for the sink's own
     * @param before null for an insert, and where the source does not log former rows
     * @param after null for a delete
     */
    DebeziumChange(TableIdentifier table, Map<String, Object> before, Map<String, Object> after) {
        this.table = table;
        this.before = before;
        this.after = after;
    }

    /** The table of Doris; empty for the sink's own. */
    public Optional<TableIdentifier> table() {
        return Optional.ofNullable(table);
    }

    /** Whether the former row is known. */
    public boolean hasBefore() {
        return before != null;
    }

    /** Whether there is a row now. */
    public boolean hasAfter() {
        return after != null;
    }

    /**
     * Whether an update moved its row to another key, so that the former row would stay.
     *
     * @param keys the key columns of the table, in any case
     */
    public boolean movesKey(Collection<String> keys) {
        return before != null
                && after != null
                && keys.stream()
                        .anyMatch(key -> !Objects.equals(find(before, key), find(after, key)));
    }

    /**
     * The line that deletes the former row.
     *
     * @param sign whether it holds the delete sign; without it is an ordinary row
     * @param names the names of columns as Doris has them, by those of the source
     */
    public byte[] former(boolean sign, UnaryOperator<String> names) {
        return RowLine.of(before, sign ? DELETE : null, names);
    }

    /**
     * The line of the row.
     *
     * @param sign whether it holds the delete sign
     * @param names the names of columns as Doris has them, by those of the source
     */
    public byte[] row(boolean sign, UnaryOperator<String> names) {
        return RowLine.of(after, sign ? UPSERT : null, names);
    }

    private static Object find(Map<String, Object> row, String column) {
        Object value = row.get(column);
        if (value != null) {
            return value;
        }
        return row.entrySet().stream()
                .filter(entry -> entry.getKey().equalsIgnoreCase(column))
                .map(Map.Entry::getValue)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
