package org.apache.doris.flink.sink.writer.serializer.debezium;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.tools.cdc.converter.TableNameConverter;
import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which table of Doris the rows of a source's table go to: the configured one, else the one that
 * the mapping names, else one of the target database with a name made of the source's.
 */
@Internal
public final class Routing implements Serializable {

    private static final long serialVersionUID = 1L;

    private final TableIdentifier configured;
    private final LinkedHashMap<String, TableIdentifier> mapping = new LinkedHashMap<>();
    private final String targetDatabase;
    private final TableNameConverter names;

    /**
     * @param configured {@code table.identifier}; blank or null for none
     * @param mapping from {@code database[.schema].table} of the source to {@code database.table};
     *     may be null
     * @param targetDatabase of the tables that the mapping does not name; null for none
     * @param names makes the names of tables in the target database
     * @throws IllegalArgumentException for a name that is none
     */
    public Routing(
            String configured,
            Map<String, String> mapping,
            String targetDatabase,
            TableNameConverter names) {
        this.configured = isBlank(configured) ? null : table("table.identifier", configured);
        if (mapping != null) {
            mapping.forEach(
                    (source, target) ->
                            this.mapping.put(
                                    source, table("the table mapping of " + source, target)));
        }
        this.targetDatabase = isBlank(targetDatabase) ? null : targetDatabase.trim();
        this.names = names;
    }

    /** Whether the serializer names no table, so that rows go to the sink's own. */
    boolean isOfSink() {
        return configured == null && mapping.isEmpty() && targetDatabase == null;
    }

    /** The table for rows of a source's table; empty where none is meant for them. */
    Optional<TableIdentifier> target(SourceTable source) {
        if (configured != null) {
            return Optional.of(configured);
        }
        TableIdentifier mapped = mapping.get(source.toString());
        if (mapped != null || targetDatabase == null || source.table().isEmpty()) {
            return Optional.ofNullable(mapped);
        }
        return Optional.of(new TableIdentifier("", targetDatabase, names.convert(source.table())));
    }

    private static TableIdentifier table(String where, String name) {
        return Optional.ofNullable(name)
                .flatMap(text -> TableIdentifier.parse(text.trim()))
                .filter(parsed -> !parsed.hasCatalog())
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        String.format(
                                                "'%s', from %s of the JsonDebeziumSchemaSerializer,"
                                                    + " does not name a table: write"
                                                    + " 'database.table', parts quoted with"
                                                    + " backticks where they hold dots or blanks.",
                                                name, where)));
    }

    private static boolean isBlank(String text) {
        return text == null || text.isBlank();
    }
}
