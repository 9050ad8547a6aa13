package doris.connector.interop;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a JDBC driver does at the MySQL port; one line per check. Arguments: name of the client,
 * scheme of the URL, port.
 */
public final class JdbcClient {
    private final String client;
    private final String url;
    private final String database;

    private JdbcClient(String client, String scheme, String port) {
        this.client = client;
        this.url = "jdbc:" + scheme + "://127.0.0.1:" + port + "/";
        this.database = "shop_" + client;
    }

    public static void main(String[] args) throws SQLException {
        new JdbcClient(args[0], args[1], args[2]).run();
        System.out.println("end");
    }

    private interface Question {
        Object answer() throws SQLException;
    }

    private void run() throws SQLException {
        refused("a wrong password is refused", 1045, "", () -> open("", "wrong"));
        refused("an unknown database is refused", null, "nowhere", () -> open("nowhere", ""));
        try (Connection connection = open(database, "")) {
            lists(connection);
            reads(connection);
            writes(connection);
            transactions(connection);
            refused(
                    "an unknown table is named",
                    null,
                    "missing_table",
                    () -> rows(connection, "SELECT * FROM missing_table"));
            refused(
                    "what cannot be read is an error with a text",
                    null,
                    "SELEKT",
                    () -> update(connection, "SELEKT 1"));
            check(
                    "the connection serves on after errors",
                    List.of("1"),
                    () -> rows(connection, "SELECT 1"));
            check("the connection is valid", true, () -> connection.isValid(5));
        }
    }

    private void lists(Connection connection) throws SQLException {
        check(
                "the version is told",
                "5.7.99",
                () -> connection.getMetaData().getDatabaseProductVersion());
        check(
                "databases are listed",
                true,
                () ->
                        column(connection.getMetaData().getCatalogs(), "TABLE_CAT")
                                .contains(database));
        check(
                "tables and views are listed",
                List.of("cheap", "goods", "notes"),
                () ->
                        sorted(
                                column(
                                        connection
                                                .getMetaData()
                                                .getTables(database, null, "%", null),
                                        "TABLE_NAME")));
        check(
                "columns are described",
                List.of("id|4|NO", "name|12|YES", "price|3|YES", "sold|93|YES", "day|91|YES"),
                () -> {
                    List<String> found = new ArrayList<>();
                    try (ResultSet columns =
                            connection.getMetaData().getColumns(database, null, "goods", "%")) {
                        while (columns.next() && found.size() < 5) {
                            found.add(
                                    columns.getString("COLUMN_NAME")
                                            + "|"
                                            + columns.getInt("DATA_TYPE")
                                            + "|"
                                            + columns.getString("IS_NULLABLE"));
                        }
                    }
                    return found;
                });
        check("the database is told", database, connection::getCatalog);
    }

    private void reads(Connection connection) throws SQLException {
        check(
                "a row is read in the types of Java",
                List.of(
                        1,
                        "pencil",
                        new BigDecimal("0.50"),
                        Timestamp.valueOf("2026-01-02 03:04:05.678"),
                        Date.valueOf("2026-01-02"),
                        true,
                        9007199254740993L),
                () -> {
                    try (PreparedStatement query =
                            connection.prepareStatement("SELECT * FROM goods WHERE id = ?")) {
                        query.setInt(1, 1);
                        try (ResultSet row = query.executeQuery()) {
                            row.next();
                            return List.of(
                                    row.getInt(1),
                                    row.getString(2),
                                    row.getBigDecimal(3),
                                    row.getTimestamp(4),
                                    row.getDate(5),
                                    row.getBoolean(6),
                                    row.getLong(7));
                        }
                    }
                });
        check(
                "text comes as it was written",
                List.of("größer 😀 'quoted'"),
                () -> rows(connection, "SELECT name FROM goods WHERE id = 2"));
        check(
                "NULL comes as null",
                List.of("3|null|null"),
                () -> rows(connection, "SELECT id, name, sold FROM goods WHERE id = 3"));
        check("a view is read", List.of("1|pencil"), () -> rows(connection, "SELECT * FROM cheap"));
        check(
                "the types of a result are told",
                List.of("id:4", "price:3", "sold:93"),
                () -> {
                    try (Statement statement = connection.createStatement();
                            ResultSet result =
                                    statement.executeQuery("SELECT id, price, sold FROM goods")) {
                        List<String> found = new ArrayList<>();
                        for (int at = 1; at <= 3; at++) {
                            found.add(
                                    result.getMetaData().getColumnLabel(at)
                                            + ":"
                                            + result.getMetaData().getColumnType(at));
                        }
                        return found;
                    }
                });
    }

    private void writes(Connection connection) throws SQLException {
        check(
                "a batch is inserted",
                3,
                () -> {
                    try (PreparedStatement insert =
                            connection.prepareStatement(
                                    "INSERT INTO goods (id, name, price, sold) VALUES (?, ?, ?,"
                                            + " ?)")) {
                        for (int id = 20; id < 23; id++) {
                            insert.setInt(1, id);
                            insert.setString(2, "a'b\\c\"d " + id);
                            insert.setBigDecimal(3, new BigDecimal("1.25"));
                            insert.setTimestamp(4, Timestamp.valueOf("2026-05-06 07:08:09.123"));
                            insert.addBatch();
                        }
                        return insert.executeBatch().length;
                    }
                });
        check(
                "what was inserted is there, whatever has to be escaped",
                List.of("20|a'b\\c\"d 20|1.25|2026-05-06 07:08:09.123"),
                () ->
                        rows(
                                connection,
                                "SELECT id, name, price, CAST(sold AS STRING) FROM goods WHERE id ="
                                        + " 20"));
        check(
                "rows inserted are counted",
                2,
                () -> update(connection, "INSERT INTO notes VALUES (5, 'a'), (6, 'b')"));
        check(
                "rows updated are counted",
                1,
                () -> update(connection, "UPDATE goods SET name = 'changed' WHERE id = 21"));
        check(
                "rows deleted are counted",
                2,
                () -> update(connection, "DELETE FROM goods WHERE id IN (20, 22)"));
        check(
                "updates and deletes are seen",
                List.of("21|changed"),
                () -> rows(connection, "SELECT id, name FROM goods WHERE id >= 20"));
        check(
                "rows of a Duplicate table are deleted",
                2,
                () -> update(connection, "DELETE FROM notes WHERE id IN (5, 6)"));
    }

    private void transactions(Connection connection) throws SQLException {
        check(
                "names and variables are set in one list",
                0,
                () -> update(connection, "SET NAMES utf8mb4, autocommit=1"));
        check(
                "two variables of one value come side by side",
                List.of("utf8mb4|utf8mb4"),
                () ->
                        rows(
                                connection,
                                "SELECT @@character_set_client, @@character_set_connection"));
        check(
                "a transaction that is rolled back leaves nothing",
                List.of(),
                () -> {
                    update(connection, "BEGIN");
                    update(connection, "INSERT INTO notes VALUES (9, 'gone')");
                    update(connection, "ROLLBACK");
                    return rows(connection, "SELECT * FROM notes");
                });
        check(
                "a transaction that is committed leaves its rows",
                List.of("1|kept"),
                () -> {
                    update(connection, "START TRANSACTION");
                    update(connection, "INSERT INTO notes VALUES (1, 'kept')");
                    update(connection, "COMMIT");
                    return rows(connection, "SELECT * FROM notes");
                });
        check(
                "autocommit is switched off and on",
                List.of("1|kept"),
                () -> {
                    connection.setAutoCommit(false);
                    List<String> found = rows(connection, "SELECT * FROM notes");
                    connection.commit();
                    connection.setAutoCommit(true);
                    return found;
                });
    }

    private Connection open(String database, String password) throws SQLException {
        return DriverManager.getConnection(url + database, "root", password);
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (result.next()) {
                List<String> cells = new ArrayList<>();
                for (int at = 1; at <= result.getMetaData().getColumnCount(); at++) {
                    cells.add(result.getString(at));
                }
                found.add(String.join("|", cells));
            }
            return found;
        }
    }

    private static List<String> column(ResultSet result, String name) throws SQLException {
        try (ResultSet rows = result) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(name));
            }
            return found;
        }
    }

    private static List<String> sorted(List<String> names) {
        names.sort(null);
        return names;
    }

    private void check(String what, Object wanted, Question question) {
        Object got;
        try {
            got = question.answer();
        } catch (SQLException | RuntimeException error) {
            got = error;
        }
        tell(what, Objects.equals(got, wanted), wanted + ", got " + got);
    }

    /** An error whose text holds a part, and whose number is `code` unless that is null. */
    private void refused(String what, Integer code, String part, Question question) {
        try {
            tell(what, false, "an error, got " + question.answer());
        } catch (SQLException error) {
            boolean right =
                    (code == null || error.getErrorCode() == code)
                            && String.valueOf(error.getMessage()).contains(part);
            tell(
                    what,
                    right,
                    code + " " + part + ", got " + error.getErrorCode() + " " + error.getMessage());
        }
    }

    private void tell(String what, boolean right, String difference) {
        System.out.println(
                (right ? "ok      " : "FAILED  ")
                        + client
                        + ": "
                        + what
                        + (right ? "" : ": wanted " + difference.replace('\n', ' ')));
    }
}
