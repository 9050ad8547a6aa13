package org.apache.doris.flink.sink.writer.serializer.debezium;

import org.apache.doris.flink.config.LoadProperties;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A row as the JSON line that Doris reads into columns of any type. */
final class RowLine {

    private RowLine() {}

    /**
     * @param sign value of the delete sign; null for a line without it
     * @param names the names of columns as Doris has them, by those of the row
     */
    static byte[] of(Map<String, Object> row, String sign, UnaryOperator<String> names) {
        StringBuilder line = new StringBuilder("{");
        for (Map.Entry<String, Object> column : row.entrySet()) {
            if (sign != null && column.getKey().equalsIgnoreCase(LoadProperties.DELETE_SIGN)) {
                continue;
            }
            line.append(line.length() == 1 ? "" : ",");
            Json.quote(names.apply(column.getKey()), line);
            line.append(':');
            column(column.getValue(), line);
        }
        if (sign != null) {
            line.append(line.length() == 1 ? "" : ",");
            Json.quote(LoadProperties.DELETE_SIGN, line);
            line.append(":\"").append(sign).append('"');
        }
        return line.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void column(Object value, StringBuilder out) {
        if (value instanceof Json.Digits) {
            // Doris reads a JSON number through a double, and a text digit by digit.
            Json.quote(((Json.Digits) value).plain(), out);
        } else if (value instanceof List && hasControls(value)) {
            // Doris' cast to ARRAY knows no escape of JSON but those of quote and backslash.
            StringBuilder text = new StringBuilder();
            elements((List<?>) value, text);
            Json.quote(text.toString(), out);
        } else {
            Json.write(value, out);
        }
    }

    private static boolean hasControls(Object value) {
        if (value instanceof List) {
            return ((List<?>) value).stream().anyMatch(RowLine::hasControls);
        }
        return value instanceof String && ((String) value).chars().anyMatch(c -> c < ' ');
    }

    private static void elements(List<?> array, StringBuilder out) {
        char separator = '[';
        for (Object element : array) {
            out.append(separator);
            separator = ',';
            if (element instanceof List) {
                elements((List<?>) element, out);
            } else if (element instanceof String) {
                String escaped = ((String) element).replace("\\", "\\\\").replace("\"", "\\\"");
                out.append('"').append(escaped).append('"');
            } else {
                Json.write(element, out);
            }
        }
        out.append(separator == '[' ? "[]" : "]");
    }
}
