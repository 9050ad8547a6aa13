package org.apache.doris.flink.config.plan;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The columns that an {@code INSERT INTO t (a, b)} names. Flink fills the others with NULL; a
 * partial update leaves them out, since it is there to keep what they hold.
 */
@Internal
public final class TargetColumns {

    private static final String HIDDEN = "__DORIS_";

    private TargetColumns() {}

    /** Positions of the columns that a statement names, in order; those of nested ones once. */
    public static int[] positions(int[][] paths) {
        return Arrays.stream(paths).mapToInt(path -> path[0]).sorted().distinct().toArray();
    }

    /** What the user should know of a statement that names some columns of a table only. */
    public static String warning(SinkConfig sink, int[] named) {
        List<String> declared = declared(sink);
        return String.format(
                "INSERT names the columns %s of table %s: Flink gives NULL for the others (%s), and"
                    + " that is written, in a Unique table over what they hold. To keep it declare"
                    + " a table without them, or set 'sink.properties.partial_columns' to 'true'"
                    + " and list the columns in 'sink.properties.columns'.",
                shown(declared, Arrays.stream(named).boxed().collect(Collectors.toList())),
                sink.connection().table(),
                shown(declared, others(declared.size(), named)));
    }

    /**
     * The sink of a partial update that writes these columns alone.
     *
     * @param named positions in the declared columns
     * @throws ValidationException when the user's list of columns does not say which these are
     */
    public static SinkConfig only(SinkConfig sink, int[] named) {
        List<String> declared = declared(sink);
        Map<String, String> properties = sink.write().properties();
        String columns = properties.getOrDefault("columns", "");
        List<String> listed = columns.isBlank() ? declared : listed(sink, columns);
        List<String> left = new ArrayList<>();
        if (properties.get("format").equals("csv")) {
            // By their place, whatever they are called.
            if (listed.size() < declared.size()) {
                throw refused(
                        sink,
                        "'sink.properties.columns' lists fewer columns than the table declares",
                        "List one for each.");
            }
            Arrays.stream(named).mapToObj(listed::get).forEach(left::add);
            left.addAll(listed.subList(declared.size(), listed.size()));
        } else {
            TreeSet<String> wanted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
            Arrays.stream(named).mapToObj(declared::get).forEach(wanted::add);
            for (String column : listed) {
                boolean hidden = column.toUpperCase(Locale.ROOT).startsWith(HIDDEN);
                if (wanted.remove(column) || hidden) {
                    left.add(column);
                }
            }
            if (!wanted.isEmpty()) {
                throw refused(
                        sink,
                        "'sink.properties.columns' does not list " + wanted,
                        "List all columns that an INSERT names.");
            }
        }
        return sink.only(
                named,
                left.stream()
                        .map(name -> '`' + name.replace("`", "``") + '`')
                        .collect(Collectors.joining(",")));
    }

    private static List<String> listed(SinkConfig sink, String columns) {
        List<String> listed = new ArrayList<>();
        for (String element : columns.split(",")) {
            String name = element.trim();
            if (name.matches("`[^`]+`")) {
                name = name.substring(1, name.length() - 1);
            } else if (name.isEmpty() || name.matches("(?s).*[=()`].*")) {
                throw refused(
                        sink,
                        "'sink.properties.columns' holds more than names: " + name,
                        "Name all columns in the INSERT, or declare a table with these alone.");
            }
            listed.add(name);
        }
        return listed;
    }

    private static List<Integer> others(int all, int[] named) {
        List<Integer> others = new ArrayList<>();
        for (int i = 0; i < all; i++) {
            if (Arrays.binarySearch(named, i) < 0) {
                others.add(i);
            }
        }
        return others;
    }

    private static String shown(List<String> declared, List<Integer> positions) {
        return positions.stream()
                .map(i -> '`' + declared.get(i) + '`')
                .collect(Collectors.joining(", "));
    }

    private static List<String> declared(SinkConfig sink) {
        return sink.declared().orElseThrow().getFieldNames();
    }

    private static ValidationException refused(SinkConfig sink, String why, String what) {
        return new ValidationException(
                String.format(
                        "INSERT names some columns of table %s, which is written by a partial"
                                + " update ('sink.properties.partial_columns'), and %s. %s",
                        sink.connection().table(), why, what));
    }
}
