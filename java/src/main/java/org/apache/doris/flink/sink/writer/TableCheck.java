package org.apache.doris.flink.sink.writer;

/** What was read of a table before the first load. */
final class TableCheck {

    private final boolean unique;
    private final boolean deleteSign;
    private final int[] keyFields;

    /**
     * @param unique whether it is a Unique table
     * @param deleteSign whether loads carry the delete sign
     * @param keyFields positions of the declared columns that are the table's key; empty where one
     *     of its columns is not declared as it is, and without declared columns
     */
    public TableCheck(boolean unique, boolean deleteSign, int... keyFields) {
        this.unique = unique;
        this.deleteSign = deleteSign;
        this.keyFields = keyFields.clone();
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
}
