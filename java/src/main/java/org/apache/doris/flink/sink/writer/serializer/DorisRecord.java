package org.apache.doris.flink.sink.writer.serializer;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;

/**
 * A row as the load's format spells it, and the table it goes to. Without a table it goes to the
 * configured one.
 */
@PublicEvolving
public class DorisRecord implements Serializable {

    private static final long serialVersionUID = 1L;

    /** No row. */
    public static DorisRecord empty = new DorisRecord();

    private String database;
    private String table;
    private byte[] row;

    /** A record without a row. */
    public DorisRecord() {}

    /**
     * @param row bytes of the row, without the line delimiter
     */
    public DorisRecord(String database, String table, byte[] row) {
        this.database = database;
        this.table = table;
        this.row = row;
    }

    /** A row of the configured table. */
    public static DorisRecord of(byte[] row) {
        return new DorisRecord(null, null, row);
    }

    /**
     * A row of a table named {@code database.table}.
     *
     * @throws IllegalArgumentException if the name has not two parts
     */
    public static DorisRecord of(String tableIdentifier, byte[] row) {
        TableIdentifier table =
                tableIdentifier == null
                        ? null
                        : TableIdentifier.parse(tableIdentifier.trim())
                                .filter(parsed -> !parsed.hasCatalog())
                                .orElse(null);
        if (table == null) {
            throw new IllegalArgumentException(
                    String.format(
                            "'%s' does not name a table: write 'database.table', parts quoted with"
                                    + " backticks where they hold dots or blanks.",
                            tableIdentifier));
        }
        return new DorisRecord(table.database(), table.table(), row);
    }

    /** A row of a table. */
    public static DorisRecord of(String database, String table, byte[] row) {
        return new DorisRecord(database, table, row);
    }

    /** {@code database.table}, or null for the configured table. */
    public String getTableIdentifier() {
        return database == null || table == null ? null : database + "." + table;
    }

    /** Database, or null. */
    public String getDatabase() {
        return database;
    }

    /** Names the database. */
    public void setDatabase(String database) {
        this.database = database;
    }

    /** Table, or null. */
    public String getTable() {
        return table;
    }

    /** Names the table. */
    public void setTable(String table) {
        this.table = table;
    }

    /** Bytes of the row, or null when there is none. */
    public byte[] getRow() {
        return row;
    }

    /** Sets the row. */
    public void setRow(byte[] row) {
        this.row = row;
    }
}
