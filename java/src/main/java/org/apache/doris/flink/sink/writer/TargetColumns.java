package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.TableIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The columns of a table that JSON rows go to, by the names that the rows have. Doris takes a field
 * for a column only if it is spelled the same, and ignores all others.
 */
final class TargetColumns implements UnaryOperator<String> {

    private static final Logger LOG = LoggerFactory.getLogger(TargetColumns.class);

    private final TableIdentifier table;
    private final boolean byName;
    private final List<String> keys;
    private final Map<String, String> spelled = new HashMap<>();
    private final Map<String, String> names = new HashMap<>();

    /**
     * @param columns of the table
     * @param byName whether the fields of rows are columns of the table, not names that the load
     *     parameters use
     */
    TargetColumns(TableIdentifier table, List<TableCheck.Column> columns, boolean byName) {
        this.table = table;
        this.byName = byName;
        this.keys =
                columns.stream()
                        .filter(TableCheck.Column::isKey)
                        .map(TableCheck.Column::name)
                        .collect(Collectors.toList());
        columns.forEach(column -> spelled.put(lower(column.name()), column.name()));
    }

    /** The key columns of the table. */
    List<String> keys() {
        return keys;
    }

    /** The name of a column as Doris has it; one that is not there stays as it is. */
    @Override
    public String apply(String name) {
        if (!byName) {
            return name;
        }
        String known = names.get(name);
        if (known == null) {
            known = spelled.get(lower(name));
            if (known == null) {
                known = name;
                LOG.warn(
                        "Records for table {} have a column '{}' that the table lacks, so Doris"
                            + " leaves its values out. Add the column to the table and restart the"
                            + " job if they are wanted.",
                        table,
                        name);
            }
            names.put(name, known);
        }
        return known;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
