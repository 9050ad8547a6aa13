package doris.connector.interop;

import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs the statements of a file with whatever connector is on the class path. The rows of each
 * SELECT go, as sorted text, to a file of their own: one side of a comparison.
 *
 * <p>Arguments: the file; the folder to write to. A line {@code -- case NAME} names the SELECT that
 * follows it. Statements end with a semicolon at the end of a line. A SELECT that fails writes one
 * line, {@code error: } and the messages of the exception and its causes.
 */
public final class ReadCases {
    private ReadCases() {}

    public static void main(String[] args) throws Exception {
        Path out = Path.of(args[1]);
        Files.createDirectories(out);
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance().inStreamingMode().build());
        tables.getConfig().set("parallelism.default", "2");
        tables.getConfig().set("table.local-time-zone", "UTC");
        tables.getConfig().set("restart-strategy.type", "none");
        String name = null;
        StringBuilder statement = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            if (line.startsWith("-- case ")) {
                name = line.substring("-- case ".length()).trim();
            }
            if (line.startsWith("--") || line.isBlank()) {
                continue;
            }
            statement.append(line).append('\n');
            if (line.endsWith(";")) {
                statement.setLength(statement.length() - 2);
                String sql = statement.toString();
                statement.setLength(0);
                if (sql.startsWith("SELECT")) {
                    Files.write(out.resolve(name), rows(tables, sql));
                } else {
                    tables.executeSql(sql);
                }
            }
        }
        // Flink and some clients leave threads behind that are no daemons.
        System.exit(0);
    }

    private static List<String> rows(TableEnvironment tables, String sql) {
        List<String> rows = new ArrayList<>();
        try (CloseableIterator<Row> result = tables.executeSql(sql).collect()) {
            while (result.hasNext()) {
                rows.add(text(result.next()));
            }
        } catch (Exception e) {
            return List.of(messages(e));
        }
        rows.sort(null);
        return rows;
    }

    private static String messages(Throwable e) {
        StringBuilder all = new StringBuilder("error:");
        for (Throwable t = e; t != null; t = t.getCause()) {
            all.append(' ').append(t.getClass().getSimpleName()).append(": ");
            all.append(String.valueOf(t.getMessage()).replace('\n', ' '));
        }
        return all.toString();
    }

    /** One value as text, equal for equal values whatever classes hold them. */
    private static String text(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof String) {
            return "'" + ((String) value).replace("\n", "\\n") + "'";
        }
        if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toPlainString();
        }
        if (value instanceof byte[]) {
            return new java.math.BigInteger(1, (byte[]) value).toString(16);
        }
        if (value instanceof Row) {
            Row row = (Row) value;
            List<String> fields = new ArrayList<>();
            for (int i = 0; i < row.getArity(); i++) {
                fields.add(text(row.getField(i)));
            }
            return "(" + String.join(", ", fields) + ")";
        }
        if (value instanceof Map) {
            Map<String, String> sorted = new TreeMap<>();
            ((Map<?, ?>) value).forEach((k, v) -> sorted.put(text(k), text(v)));
            return sorted.toString();
        }
        if (value.getClass().isArray()) {
            List<String> elements = new ArrayList<>();
            for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) {
                elements.add(text(java.lang.reflect.Array.get(value, i)));
            }
            return elements.toString();
        }
        return value.toString();
    }
}
