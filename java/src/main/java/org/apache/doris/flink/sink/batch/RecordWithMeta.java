package org.apache.doris.flink.sink.batch;

import org.apache.flink.annotation.PublicEvolving;

/** A row as text and the table that it goes to. */
@PublicEvolving
public class RecordWithMeta {

    private String database;
    private String table;
    private String record;

    /** An empty record, to be filled. */
    public RecordWithMeta() {}

    /**
     * @param record the row as the load's format spells it, without the line delimiter
     */
    public RecordWithMeta(String database, String table, String record) {
        this.database = database;
        this.table = table;
        this.record = record;
    }

    /** Database of the row's table. */
    public String getDatabase() {
        return database;
    }

    /** Names the database. */
    public void setDatabase(String database) {
        this.database = database;
    }

    /** Table of the row. */
    public String getTable() {
        return table;
    }

    /** Names the table. */
    public void setTable(String table) {
        this.table = table;
    }

    /** The row as text. */
    public String getRecord() {
        return record;
    }

    /** Sets the row. */
    public void setRecord(String record) {
        this.record = record;
    }

    /** {@code database.table}. */
    public String getTableIdentifier() {
        return database + "." + table;
    }

    @Override
    public String toString() {
        return "RecordWithMeta{database='"
                + database
                + "', table='"
                + table
                + "', record='"
                + record
                + "'}";
    }
}
