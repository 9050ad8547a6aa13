package org.apache.doris.flink.table;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Creates sources and sinks by options, as the planner does. */
public final class Tables {

    private static final ObjectIdentifier NAME = ObjectIdentifier.of("default", "default", "t");

    private Tables() {}

    /** The least options, then pairs of further keys and values; a null value takes a key out. */
    public static Map<String, String> options(String... pairs) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("connector", "doris");
        options.put("fenodes", "127.0.0.1:8030");
        options.put("table.identifier", "test.student");
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] == null) {
                options.remove(pairs[i]);
            } else {
                options.put(pairs[i], pairs[i + 1]);
            }
        }
        return options;
    }

    /**
     * Keys and values, several separated by {@code ;}, as pairs; a value may stand in apostrophes.
     */
    public static String[] pairs(String keys, String values) {
        String[] names = keys.split(";");
        String[] given = values == null ? new String[] {null} : values.split(";");
        String[] pairs = new String[names.length * 2];
        for (int i = 0; i < names.length; i++) {
            pairs[2 * i] = names[i];
            pairs[2 * i + 1] = text(given[i]);
        }
        return pairs;
    }

    /** The text, without apostrophes around it. */
    static String text(String quoted) {
        return quoted != null && quoted.startsWith("'") && quoted.endsWith("'")
                ? quoted.substring(1, quoted.length() - 1)
                : quoted;
    }

    /** A source of the columns {@code id INT, name STRING}. */
    static DorisTableSource source(String... pairs) {
        return source(
                List.of(
                        Column.physical("id", DataTypes.INT()),
                        Column.physical("name", DataTypes.STRING())),
                pairs);
    }

    /** A source of one column of a type. */
    static DorisTableSource sourceOf(DataType type) {
        return source(List.of(Column.physical("c", type)));
    }

    /** A sink of the column {@code id INT}. */
    static DorisTableSink sink(String... pairs) {
        return (DorisTableSink)
                FactoryUtil.createDynamicTableSink(
                        new DorisTableFactory(),
                        NAME,
                        table(List.of(Column.physical("id", DataTypes.INT())), options(pairs)),
                        Map.of(),
                        new Configuration(),
                        Tables.class.getClassLoader(),
                        true);
    }

    private static DorisTableSource source(List<Column> columns, String... pairs) {
        return (DorisTableSource)
                FactoryUtil.createDynamicTableSource(
                        new DorisTableFactory(),
                        NAME,
                        table(columns, options(pairs)),
                        Map.of(),
                        new Configuration(),
                        Tables.class.getClassLoader(),
                        true);
    }

    private static ResolvedCatalogTable table(List<Column> columns, Map<String, String> options) {
        ResolvedSchema schema = new ResolvedSchema(new ArrayList<>(columns), List.of(), null);
        CatalogTable table =
                CatalogTable.newBuilder()
                        .schema(Schema.newBuilder().fromResolvedSchema(schema).build())
                        .options(options)
                        .build();
        return new ResolvedCatalogTable(table, schema);
    }
}
