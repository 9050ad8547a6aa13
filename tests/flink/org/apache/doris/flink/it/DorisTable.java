package org.apache.doris.flink.it;

import org.apache.flink.table.api.TableEnvironment;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Builds the statement that declares a Doris table in Flink. */
final class DorisTable {

    private final Map<String, String> options = new LinkedHashMap<>();
    private String columns = "";

    private DorisTable() {
        options.put("connector", "doris");
        options.put("username", "root");
        options.put("password", "");
    }

    /** A table of a server, named {@code database.table}. */
    static DorisTable of(Standin standin, String identifier) {
        return new DorisTable()
                .with("fenodes", standin.fenodes())
                .with("table.identifier", identifier);
    }

    /** A table at an address that need not exist. */
    static DorisTable at(String fenodes, String identifier) {
        return new DorisTable().with("fenodes", fenodes).with("table.identifier", identifier);
    }

    /** The columns, in the words of Flink's SQL. */
    DorisTable columns(String columns) {
        this.columns = columns;
        return this;
    }

    /** Sets an option. */
    DorisTable with(String key, String value) {
        options.put(key, value);
        return this;
    }

    /** Leaves an option out. */
    DorisTable without(String key) {
        options.remove(key);
        return this;
    }

    /** The statement. */
    String ddl(String name) {
        return String.format(
                "CREATE TABLE `%s` (%s) WITH (%s)",
                name.replace("`", "``"),
                columns,
                options.entrySet().stream()
                        .map(option -> quoted(option.getKey()) + " = " + quoted(option.getValue()))
                        .collect(Collectors.joining(", ")));
    }

    /** Declares the table as a temporary one, in place of an earlier one of the name. */
    void create(TableEnvironment environment, String name) {
        environment.executeSql("DROP TEMPORARY TABLE IF EXISTS `" + name.replace("`", "``") + "`");
        environment.executeSql(ddl(name).replaceFirst("CREATE TABLE", "CREATE TEMPORARY TABLE"));
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
