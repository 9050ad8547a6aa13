package org.apache.doris.flink.it;

import org.apache.doris.flink.sink.writer.WriteMode;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A table of the server that a test writes to; each has a name of its own. */
final class TargetTable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Standin standin;
    private final String name;

    private TargetTable(Standin standin, String columns, String model, String properties) {
        this.standin = standin;
        this.name = "w" + NUMBERS.incrementAndGet();
        standin.run(
                String.format(
                        "CREATE TABLE test.%s (%s) %s PROPERTIES (\"replication_num\" = \"1\"%s)",
                        name, columns, model, properties));
    }

    /** A Unique table whose key is its first column. */
    static TargetTable unique(Standin standin, String columns) {
        return keyed(standin, columns, "UNIQUE");
    }

    /** A Duplicate table whose key is its first column. */
    static TargetTable duplicate(Standin standin, String columns) {
        return keyed(standin, columns, "DUPLICATE");
    }

    /** A table of any model; {@code model} begins with its key. */
    static TargetTable of(Standin standin, String columns, String model) {
        return new TargetTable(standin, columns, model, "");
    }

    /** The same with a property of the table. */
    static TargetTable withProperty(
            Standin standin, String columns, String model, String name, String value) {
        return new TargetTable(
                standin, columns, model, String.format(", \"%s\" = \"%s\"", name, value));
    }

    private static TargetTable keyed(Standin standin, String columns, String model) {
        String key = columns.substring(0, columns.indexOf(' '));
        return new TargetTable(
                standin,
                columns,
                model + " KEY(" + key + ") DISTRIBUTED BY HASH(" + key + ") BUCKETS 2",
                "");
    }

    /** Name without the database, {@code test}. */
    String name() {
        return name;
    }

    /** {@code database.table}. */
    String identifier() {
        return "test." + name;
    }

    /** The table as a table of Flink, to be completed with columns and options. */
    DorisTable declared() {
        return DorisTable.of(standin, identifier());
    }

    /** The same, written to in a mode. */
    DorisTable declared(WriteMode mode) {
        return declared().with("sink.write-mode", mode.name());
    }

    /** All rows by the order of their first column, as the MySQL port shows them. */
    List<List<String>> rows() {
        return rows("*");
    }

    /** Some columns of all rows, by the order of the first column. */
    List<List<String>> rows(String columns) {
        return standin.sql("SELECT " + columns + " FROM " + identifier() + " ORDER BY 1");
    }

    /** Number of visible rows. */
    long count() {
        return Long.parseLong(standin.value("SELECT COUNT(*) FROM " + identifier()));
    }

    /** The headers of each load of the table that a back end got after a position. */
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> loads(long since) {
        return requests(since).stream()
                .filter(entry -> String.valueOf(entry.get("channel")).startsWith("be"))
                .map(entry -> (Map<String, Object>) entry.get("headers"))
                .collect(Collectors.toList());
    }

    /** The requests of loads of the table after a position, to front and back ends. */
    List<Map<String, Object>> requests(long since) {
        return standin.journal(since).stream()
                .filter(entry -> "PUT".equals(entry.get("method")))
                .filter(
                        entry ->
                                String.valueOf(entry.get("path"))
                                        .matches(".*/" + name + "/_stream_load(\\?.*)?"))
                .collect(Collectors.toList());
    }

    @Override
    public String toString() {
        return identifier();
    }
}
