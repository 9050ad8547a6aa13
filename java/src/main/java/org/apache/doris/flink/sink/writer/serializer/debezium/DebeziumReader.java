package org.apache.doris.flink.sink.writer.serializer.debezium;

import org.apache.doris.flink.config.TableIdentifier;
import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the JSON text of Debezium records, with or without the envelope that names types. Whatever
 * is no change of a row for a table of Doris fails, or is skipped and counted where the user wants
 * that. Messages name operation, table and place of a record, never its content. Used by one
 * thread.
 */
@Internal
public final class DebeziumReader {

    private static final Logger LOG = LoggerFactory.getLogger(DebeziumReader.class);

    private static final Map<String, Object> NOTHING = Map.of();

    /** Operations of MongoDB's change stream that change a document. */
    private static final Map<String, String> OF_DOCUMENTS =
            Map.of("insert", "c", "update", "u", "replace", "u", "delete", "d");

    private static final Set<String> OF_SCHEMA =
            Set.of("historyRecord", "ddl", "tableChanges", "databaseName");

    private static final String LENIENT =
            "setLenient(true) on the serializer skips such records with a warning";

    private final Routing routing;
    private final boolean lenient;
    private final boolean omitUnavailable;
    private final Runnable onSkip;
    private final Map<String, Long> skipped = new HashMap<>();

    /** Number of the record that is read, from 1. */
    private long number;

    /** What is known of the record so far, for messages. */
    private String operation;

    private SourceTable source;

    /**
     * @param lenient whether records that change no row are skipped
     * @param omitUnavailable whether columns that the source did not log are left out of the row,
     *     which keeps their values in a flexible partial update
     * @param onSkip called for each skipped record
     */
    public DebeziumReader(
            Routing routing, boolean lenient, boolean omitUnavailable, Runnable onSkip) {
        this.routing = routing;
        this.lenient = lenient;
        this.omitUnavailable = omitUnavailable;
        this.onSkip = onSkip;
    }

    /**
     * The change of a record; null when it has none: a tombstone, a heartbeat, a mark of a
     * transaction, or a record that is skipped.
     *
     * @throws IOException if it is no such record, or cannot be written
     */
    public DebeziumChange read(String text) throws IOException {
        number++;
        operation = null;
        source = null;
        Map<String, Object> root = text == null ? null : document(text, "the record");
        if (root == null) {
            return null;
        }
        Map<String, Object> schema = null;
        if (root.containsKey("payload") && !root.containsKey("op")) {
            schema = document(root.get("schema"), "its schema");
            root = document(root.get("payload"), "its payload");
            if (root == null) {
                return null;
            }
        }
        Map<String, Object> block = document(root.get("source"), "its source");
        Map<String, Object> nameSpace = document(root.get("ns"), "its name space");
        source =
                SourceTable.of(
                        block == null ? NOTHING : block, nameSpace == null ? NOTHING : nameSpace);
        operation = operation(root);
        if (operation == null) {
            return isMark(root) ? null : withoutOperation(root);
        }
        boolean documents =
                root.containsKey("operationType")
                        || block != null && "mongodb".equals(block.get("connector"));
        switch (operation) {
            case "c":
            case "r":
            case "u":
            case "d":
                return change(root, schema, documents);
            default:
                return refuse(
                        "unknown-operation",
                        "the operation is none of c, r, u and d",
                        "Leave such records out at the source (Debezium's"
                                + " 'skipped.operations'), or "
                                + LENIENT
                                + ".");
        }
    }

    private DebeziumChange change(
            Map<String, Object> root, Map<String, Object> schema, boolean documents)
            throws IOException {
        TableIdentifier table = null;
        if (!routing.isOfSink()) {
            table = routing.target(source).orElse(null);
            if (table == null) {
                return refuse(
                        "unmapped",
                        "no table of Doris is named for this table",
                        "Add it to the table mapping by this name, set a target database or"
                                + " 'table.identifier', leave the table out at the source, or "
                                + LENIENT
                                + ".");
            }
        }
        Map<String, Map<?, ?>> parts = LogicalTypes.fields(schema);
        boolean deletes = operation.equals("d");
        Map<String, Object> before = null;
        if (deletes || operation.equals("u")) {
            Object image = root.get("before");
            if (image == null && deletes) {
                image = root.get("documentKey");
            }
            before = row(image, "before", parts, documents);
        }
        if (deletes) {
            if (before == null) {
                throw failed(
                        "a delete without the former row, so that its key is not known",
                        "Let the source log it: REPLICA IDENTITY FULL or a primary key in"
                                + " PostgreSQL, binlog_row_image = FULL in MySQL.");
            }
            return new DebeziumChange(table, before, null);
        }
        Object image = root.containsKey("after") ? root.get("after") : root.get("fullDocument");
        Map<String, Object> after = row(image, "after", parts, documents);
        if (after == null) {
            throw failed(
                    "it has no row after the change",
                    "Let the source send whole rows (for MongoDB the full document, by update"
                            + " lookup).");
        }
        return new DebeziumChange(table, before, complete(after));
    }

    /** One image of a row, its values as they go to Doris. */
    private Map<String, Object> row(
            Object image, String part, Map<String, Map<?, ?>> parts, boolean documents)
            throws IOException {
        Map<String, Object> row = document(image, "its row '" + part + "'");
        if (row == null) {
            return null;
        }
        Map<String, Map<?, ?>> columns = LogicalTypes.fields(parts.get(part));
        Map<String, Object> decoded = new LinkedHashMap<>();
        for (Map.Entry<String, Object> column : row.entrySet()) {
            Object value = column.getValue();
            try {
                decoded.put(
                        column.getKey(),
                        documents
                                ? ExtendedJson.plain(value)
                                : LogicalTypes.decode(columns.get(column.getKey()), value));
            } catch (LogicalTypes.Mismatch e) {
                throw failed(
                        String.format("column '%s': %s", column.getKey(), e.getMessage()),
                        "Convert the column at the source, or leave it out there.");
            }
        }
        if (part.equals("before")) {
            // Of the former row nothing but the key counts.
            decoded.replaceAll((name, value) -> Unavailable.is(value) ? null : value);
        }
        return decoded;
    }

    /** The row without the columns that PostgreSQL did not log since they did not change. */
    private Map<String, Object> complete(Map<String, Object> row) throws IOException {
        for (Map.Entry<String, Object> column : row.entrySet()) {
            if (Unavailable.is(column.getValue()) && !omitUnavailable) {
                throw failed(
                        String.format(
                                "the source did not log column '%s', which is large and did not"
                                        + " change (Debezium sends a placeholder for it)",
                                column.getKey()),
                        "Set REPLICA IDENTITY FULL for the table, or load with"
                                + " 'sink.properties.unique_key_update_mode' ="
                                + " 'UPDATE_FLEXIBLE_COLUMNS', which keeps the column as it is.");
            }
        }
        row.values().removeIf(Unavailable::is);
        return row;
    }

    private static String operation(Map<String, Object> root) {
        Object named = root.get("op");
        if (named == null && root.get("operationType") != null) {
            String type = String.valueOf(root.get("operationType"));
            return OF_DOCUMENTS.getOrDefault(type, type);
        }
        return named == null ? null : String.valueOf(named);
    }

    /** Heartbeats, and marks of where a transaction begins and ends. */
    private static boolean isMark(Map<String, Object> root) {
        return root.keySet().equals(Set.of("ts_ms"))
                || root.containsKey("status") && root.containsKey("event_count");
    }

    private DebeziumChange withoutOperation(Map<String, Object> root) throws IOException {
        if (OF_SCHEMA.stream().anyMatch(root::containsKey)) {
            return refuse(
                    "schema-change",
                    "the source's schema changed, which the connector does not carry over yet",
                    "Change the table in Doris, then continue; switch such records off at the"
                            + " source (includeSchemaChanges(false)), or "
                            + LENIENT
                            + ".");
        }
        return refuse(
                "no-operation",
                "it has no operation ('op'), so it is no change record of Debezium",
                "Send records as Debezium writes them, not flattened ones, or " + LENIENT + ".");
    }

    /** Fails, or skips the record and says so: the first time, the tenth, the hundredth ... */
    private DebeziumChange refuse(String kind, String why, String toDo) throws IOException {
        if (!lenient) {
            throw failed(why, toDo);
        }
        onSkip.run();
        long count = skipped.merge(kind + " " + operation + " " + source, 1L, Long::sum);
        if (isPowerOfTen(count)) {
            LOG.warn("{} is skipped, the {}. of its kind: {}.", describe(), count, why);
        }
        return null;
    }

    private static boolean isPowerOfTen(long count) {
        long rest = count;
        while (rest % 10 == 0) {
            rest /= 10;
        }
        return rest == 1;
    }

    private IOException failed(String why, String toDo) {
        return new IOException(
                String.format("%s cannot be written: %s. %s", describe(), why, toDo));
    }

    private String describe() {
        StringBuilder text = new StringBuilder("Debezium record ").append(number);
        text.append(" of this attempt of the subtask");
        if (source == null) {
            return text.toString();
        }
        text.append(" (").append(operation == null ? "no operation" : "operation '");
        text.append(operation == null ? "" : operation + "'");
        text.append(source.toString().isEmpty() ? "" : ", table " + source);
        text.append(source.place().isEmpty() ? "" : ", at " + source.place());
        return text.append(')').toString();
    }

    /** An object, or one that is spelled as a text once more; null for null. */
    @SuppressWarnings("unchecked")
    private Map<String, Object> document(Object value, String what) throws IOException {
        Object parsed = value;
        // A document in a text, and the text of a record that is a JSON string itself.
        for (int i = 0; i < 2 && parsed instanceof String; i++) {
            try {
                parsed = Json.parse((String) parsed);
            } catch (IOException e) {
                throw failed(
                        what + " is no JSON: " + e.getMessage(),
                        "Send the JSON text of Debezium records, one per record.");
            }
        }
        if (parsed == null || parsed instanceof Map) {
            return (Map<String, Object>) parsed;
        }
        throw failed(
                what + " is no JSON object",
                "Send the JSON text of Debezium records, one per record"
                        + (parsed instanceof List ? ", not arrays of them." : "."));
    }
}
