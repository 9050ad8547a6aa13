package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Name of a Doris table: database and table, with a catalog in front for external tables. */
@Internal
public final class TableIdentifier implements Serializable {

    private static final long serialVersionUID = 1L;

    private final String catalog;
    private final String database;
    private final String table;

    /**
     * @param catalog empty for Doris' own tables
     */
    public TableIdentifier(String catalog, String database, String table) {
        this.catalog = catalog;
        this.database = database;
        this.table = table;
    }

    /**
     * Parses {@code database.table} or {@code catalog.database.table}; a part may be quoted with
     * backticks, a backtick inside is doubled. Empty when the text is anything else.
     */
    public static Optional<TableIdentifier> parse(String text) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (true) {
            StringBuilder part = new StringBuilder();
            if (at < text.length() && text.charAt(at) == '`') {
                at++;
                while (at < text.length()) {
                    if (text.charAt(at) != '`') {
                        part.append(text.charAt(at++));
                    } else if (text.startsWith("``", at)) {
                        part.append('`');
                        at += 2;
                    } else {
                        break;
                    }
                }
                if (at >= text.length()) {
                    return Optional.empty();
                }
                at++;
            } else {
                while (at < text.length() && text.charAt(at) != '.') {
                    char c = text.charAt(at++);
                    if (c == '`' || Character.isWhitespace(c)) {
                        return Optional.empty();
                    }
                    part.append(c);
                }
            }
            if (part.length() == 0) {
                return Optional.empty();
            }
            parts.add(part.toString());
            if (at == text.length()) {
                break;
            }
            if (text.charAt(at++) != '.') {
                return Optional.empty();
            }
        }
        if (parts.size() == 2) {
            return Optional.of(new TableIdentifier("", parts.get(0), parts.get(1)));
        }
        return parts.size() == 3
                ? Optional.of(new TableIdentifier(parts.get(0), parts.get(1), parts.get(2)))
                : Optional.empty();
    }

    /** Catalog, unquoted; empty for Doris' own tables. */
    public String catalog() {
        return catalog;
    }

    /** Database, unquoted. */
    public String database() {
        return database;
    }

    /** Table, unquoted. */
    public String table() {
        return table;
    }

    /** Whether the table belongs to an external catalog. */
    public boolean hasCatalog() {
        return !catalog.isEmpty();
    }

    @Override
    public String toString() {
        return (hasCatalog() ? part(catalog) + "." : "") + part(database) + "." + part(table);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof TableIdentifier)) {
            return false;
        }
        TableIdentifier that = (TableIdentifier) other;
        return catalog.equals(that.catalog)
                && database.equals(that.database)
                && table.equals(that.table);
    }

    @Override
    public int hashCode() {
        return Objects.hash(catalog, database, table);
    }

    private static String part(String name) {
        boolean plain = !name.contains(".") && !name.contains("`") && !name.matches(".*\\s.*");
        return plain ? name : "`" + name.replace("`", "``") + "`";
    }
}
