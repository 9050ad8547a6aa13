package org.apache.doris.flink.sink.writer;

import java.util.List;

/** What was read of a table before the first load. */
final class TableCheck {

    private final boolean unique;
    private final boolean deleteSign;
    private final int[] keyFields;
    private final List<Column> columns;

    /**
     * @param unique whether it is a Unique table
     * @param deleteSign whether loads carry the delete sign
     * @param keyFields positions of the declared columns that are the table's key; empty where one
     *     of its columns is not declared as it is, and without declared columns
     */
    public TableCheck(boolean unique, boolean deleteSign, int... keyFields) {
        this(unique, deleteSign, keyFields, List.of());
    }

    private TableCheck(boolean unique, boolean deleteSign, int[] keyFields, List<Column> columns) {
        this.unique = unique;
        this.deleteSign = deleteSign;
        this.keyFields = keyFields.clone();
        this.columns = List.copyOf(columns);
    }

    /** The same with the columns of the table, where none are declared. */
    public TableCheck withColumns(List<Column> ofTable) {
        return new TableCheck(unique, deleteSign, keyFields, ofTable);
    }

    /** Whether it is a Unique table. */
    public boolean unique() {
        return unique;
    }

    /** Whether loads carry the delete sign. */
    public boolean deleteSign() {
        return deleteSign;
    }

    /** Positions of the declared columns that are the table's key; empty if they are not known. */
    public int[] keyFields() {
        return keyFields.clone();
    }

    /** The columns of the table; empty where columns are declared. */
    public List<Column> columns() {
        return columns;
    }

    /** A column of the table. */
    static final class Column {

        private final String name;
        private final boolean key;

        /**
         * @param name as Doris has it
         * @param key whether it belongs to the table's key
         */
        Column(String name, boolean key) {
            this.name = name;
            this.key = key;
        }

        String name() {
            return name;
        }

        boolean isKey() {
            return key;
        }
    }
}
