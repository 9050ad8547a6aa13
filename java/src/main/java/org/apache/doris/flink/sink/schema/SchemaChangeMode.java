package org.apache.doris.flink.sink.schema;

import org.apache.flink.annotation.PublicEvolving;

/** How changes of a source's schema are found. Without effect: they are not carried over yet. */
@PublicEvolving
public enum SchemaChangeMode {
    /** By comparing the structure of the table. */
    DEBEZIUM_STRUCTURE("debezium_structure"),
    /** By the text of the statement. */
    SQL_PARSER("sql_parser");

    private final String name;

    SchemaChangeMode(String name) {
        this.name = name;
    }

    /** The word for options. */
    public String getName() {
        return name;
    }
}
