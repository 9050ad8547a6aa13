package org.apache.doris.flink.sink.writer;

/** What the server said of a table before the first load. */
public final class TableCheck {

    private final boolean unique;
    private final boolean deleteSign;

    /**
     * @param unique whether it is a Unique table
     * @param deleteSign whether loads carry the delete sign
     */
    public TableCheck(boolean unique, boolean deleteSign) {
        this.unique = unique;
        this.deleteSign = deleteSign;
    }

    /** Whether it is a Unique table. */
    public boolean unique() {
        return unique;
    }

    /** Whether loads carry the delete sign. */
    public boolean deleteSign() {
        return deleteSign;
    }
}
