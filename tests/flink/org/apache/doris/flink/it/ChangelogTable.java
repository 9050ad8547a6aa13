package org.apache.doris.flink.it;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A table of the server that records its changes; each has a name of its own. */
final class ChangelogTable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Standin standin;
    private final String name;
    private final String createdAt;

    private ChangelogTable(Standin standin, String columns, String model, String... properties) {
        this.standin = standin;
        this.name = "c" + NUMBERS.incrementAndGet();
        this.createdAt = standin.value("SELECT NOW()").substring(0, 19);
        StringBuilder all = new StringBuilder("\"replication_num\" = \"1\"");
        for (int i = 0; i < properties.length; i += 2) {
            all.append(String.format(", \"%s\" = \"%s\"", properties[i], properties[i + 1]));
        }
        standin.run(
                String.format(
                        "CREATE TABLE test.%s (%s) %s PROPERTIES (%s)", name, columns, model, all));
    }

    /** Students by id, with the values before each change. */
    static ChangelogTable students(Standin standin, String... properties) {
        return unique(standin, "id INT, name VARCHAR(50), age INT", with(properties, true));
    }

    /** Students by id, without the values before a change. */
    static ChangelogTable withoutHistory(Standin standin) {
        return unique(standin, "id INT, name VARCHAR(50), age INT", with(new String[0], false));
    }

    /** Students in a table without unique keys. */
    static ChangelogTable duplicate(Standin standin) {
        return new ChangelogTable(
                standin,
                "id INT, name VARCHAR(50), age INT",
                "DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2",
                "changelog.enable",
                "true");
    }

    /** A Unique table whose key is its first column. */
    static ChangelogTable unique(Standin standin, String columns, String... properties) {
        String key = columns.substring(0, columns.indexOf(' '));
        return new ChangelogTable(
                standin,
                columns,
                "UNIQUE KEY(" + key + ") DISTRIBUTED BY HASH(" + key + ") BUCKETS 2",
                properties);
    }

    /** A table of any model; {@code model} begins with its key. */
    static ChangelogTable of(Standin standin, String columns, String model, String... properties) {
        return new ChangelogTable(standin, columns, model, properties);
    }

    private static String[] with(String[] more, boolean history) {
        String[] all = new String[more.length + 4];
        all[0] = "changelog.enable";
        all[1] = "true";
        all[2] = "changelog.need_historical_value";
        all[3] = String.valueOf(history);
        System.arraycopy(more, 0, all, 4, more.length);
        return all;
    }

    /** Name without the database, {@code test}. */
    String name() {
        return name;
    }

    /** A second before any change of the table, as a wall clock of the account shows it. */
    String createdAt() {
        return createdAt;
    }

    /** {@code database.table}. */
    String identifier() {
        return "test." + name;
    }

    /** Runs statements in which {@code T} stands for the table. */
    ChangelogTable run(String... statements) {
        for (String statement : statements) {
            standin.run(statement.replaceAll("\\bT\\b", identifier()));
        }
        return this;
    }

    /** The table as a table of Flink that is followed, with students' columns and a key. */
    DorisTable followed(String mode, String... options) {
        DorisTable table =
                DorisTable.of(standin, identifier())
                        .columns("id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED")
                        .with("source.scan.mode", mode)
                        .with("source.changelog.poll-interval", "1 s");
        for (int i = 0; i < options.length; i += 2) {
            table.with(options[i], options[i + 1]);
        }
        return table;
    }

    /** All rows as Flink shows inserted ones, sorted. */
    List<String> rows() {
        return standin.sql("SELECT * FROM " + identifier()).stream()
                .map(row -> "+I[" + String.join(", ", nulls(row)) + "]")
                .sorted()
                .collect(Collectors.toList());
    }

    /** The windows that were asked for after a position, as queries. */
    List<String> windows(long since) {
        return standin.queries(since, name).stream()
                .filter(query -> query.contains("@incr") && !query.contains("LIMIT 1"))
                .collect(Collectors.toList());
    }

    /**
     * Waits until a window is asked for. The content is read then, so that what is written from now
     * on comes as changes alone; rows of the content show only that their own split was read.
     */
    void awaitFollowed() throws Exception {
        Until.holds("changes of " + name + " are followed", () -> !windows(0).isEmpty());
    }

    private static List<String> nulls(List<String> row) {
        return row.stream().map(String::valueOf).collect(Collectors.toList());
    }

    @Override
    public String toString() {
        return identifier();
    }
}
