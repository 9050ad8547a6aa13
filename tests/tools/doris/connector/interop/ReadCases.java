package doris.connector.interop;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

import java.math.BigDecimal;
import java.net.URI;
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
 * line, {@code error: } and the innermost message.
 */
public final class ReadCases {
    private ReadCases() {}

    public static void main(String[] args) throws Exception {
        Path out = Path.of(args[1]);
        Files.createDirectories(out);
        // One cluster for all queries: starting one costs more than most of them.
        Configuration cluster = new Configuration();
        cluster.setString("rest.port", "0");
        MiniCluster flink =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(cluster)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(4)
                                .build());
        flink.start();
        URI rest = flink.getRestAddress().get();
        Configuration client = new Configuration();
        client.setString("execution.target", "remote");
        client.setString("rest.address", rest.getHost());
        client.setString("rest.port", String.valueOf(rest.getPort()));
        client.setString("parallelism.default", "2");
        client.setString("table.local-time-zone", "UTC");
        client.setString("restart-strategy.type", "none");
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inBatchMode()
                                .withConfiguration(client)
                                .build());
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
            return List.of(message(e));
        }
        rows.sort(null);
        return rows;
    }

    /** The innermost message: what went wrong, without what it made fail. */
    private static String message(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return "error: " + String.valueOf(cause.getMessage()).replace('\n', ' ');
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
