package org.apache.doris.flink.sink.writer.serializer.debezium;

import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table that a record comes from, and where in the source's log it stands. */
final class SourceTable {

    /** What tells a record's place, for MySQL, PostgreSQL, Oracle, SQL Server, Db2 and MongoDB. */
    private static final String[] PLACE = {
        "snapshot",
        "file",
        "pos",
        "row",
        "gtid",
        "lsn",
        "txId",
        "scn",
        "commit_scn",
        "change_lsn",
        "commit_lsn",
        "event_serial_no",
        "ord",
        "ts_ms"
    };

    private final String name;
    private final String table;
    private final String place;

    private SourceTable(String name, String table, String place) {
        this.name = name;
        this.table = table;
        this.place = place;
    }

    /** From the {@code source} of a record, or the name space of MongoDB. */
    static SourceTable of(Map<String, Object> source, Map<String, Object> nameSpace) {
        String table = first(source.get("table"), source.get("collection"), nameSpace.get("coll"));
        String name =
                Stream.of(
                                first(source.get("db"), nameSpace.get("db")),
                                first(source.get("schema")),
                                table)
                        .filter(part -> !part.isEmpty())
                        .collect(Collectors.joining("."));
        String place =
                Stream.of(PLACE)
                        .filter(key -> source.get(key) != null)
                        .map(key -> key + "=" + source.get(key))
                        .collect(Collectors.joining(", "));
        return new SourceTable(name, table, place);
    }

    /** Name of the table alone; empty where the record does not say. */
    String table() {
        return table;
    }

    /** Where in the source's log; empty where the record does not say. */
    String place() {
        return place;
    }

    /** {@code database[.schema].table} of the source, as far as it is known. */
    @Override
    public String toString() {
        return name;
    }

    private static String first(Object... values) {
        return Stream.of(values)
                .filter(Objects::nonNull)
                .map(String::valueOf)
                .findFirst()
                .orElse("");
    }
}
