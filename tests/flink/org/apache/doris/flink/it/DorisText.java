package org.apache.doris.flink.it;

import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.types.Row;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Between values as the MySQL port shows them and values as Flink gives them. */
final class DorisText {

    private DorisText() {}

    /**
     * What Flink must give for a value of a plain type.
     *
     * @param text as the MySQL port shows it
     * @param local zone of the Flink session
     */
    static Object value(String text, LogicalType type, ZoneId local) {
        if (text == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return text.equals("1");
            case TINYINT:
                return Byte.valueOf(text);
            case SMALLINT:
                return Short.valueOf(text);
            case INTEGER:
                return Integer.valueOf(text);
            case BIGINT:
                return Long.valueOf(text);
            case FLOAT:
                return Float.valueOf(floating(text));
            case DOUBLE:
                return Double.valueOf(floating(text));
            case DECIMAL:
                return new BigDecimal(text).setScale(((DecimalType) type).getScale());
            case DATE:
                return LocalDate.parse(text);
            case TIME_WITHOUT_TIME_ZONE:
                return LocalTime.parse(text);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return isInstant(text)
                        ? LocalDateTime.ofInstant(instant(text).toInstant(), local)
                        : wallClock(text);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return isInstant(text)
                        ? instant(text).toInstant()
                        : wallClock(text).atZone(local).toInstant();
            case VARBINARY:
                return text.startsWith("0x") ? bytes(text) : text.getBytes(StandardCharsets.UTF_8);
            default:
                return text;
        }
    }

    /** How Doris shows a nested value that Flink gave. */
    static String nested(Object value, LogicalType type) {
        if (value == null) {
            return "null";
        }
        switch (type.getTypeRoot()) {
            case ARRAY:
                LogicalType item = ((ArrayType) type).getElementType();
                List<String> items = new ArrayList<>();
                for (Object element : (Object[]) boxed(value)) {
                    items.add(nested(element, item));
                }
                return "[" + String.join(", ", items) + "]";
            case MAP:
                MapType map = (MapType) type;
                List<String> entries = new ArrayList<>();
                ((Map<?, ?>) value)
                        .forEach(
                                (key, element) ->
                                        entries.add(
                                                nested(key, map.getKeyType())
                                                        + ":"
                                                        + nested(element, map.getValueType())));
                return "{" + String.join(", ", entries) + "}";
            case ROW:
                RowType row = (RowType) type;
                List<String> fields = new ArrayList<>();
                for (int i = 0; i < row.getFieldCount(); i++) {
                    fields.add(
                            quoted(row.getFieldNames().get(i))
                                    + ":"
                                    + nested(((Row) value).getField(i), row.getTypeAt(i)));
                }
                return "{" + String.join(", ", fields) + "}";
            case CHAR:
            case VARCHAR:
            case DATE:
                return quoted(value.toString());
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                int digits = ((TimestampType) type).getPrecision();
                String fraction = digits == 0 ? "" : "." + "S".repeat(digits);
                return quoted(
                        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss" + fraction)
                                .format((LocalDateTime) value));
            case DECIMAL:
                return ((BigDecimal) value).toPlainString();
            default:
                return value.toString();
        }
    }

    private static String quoted(String text) {
        return "\""
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\t", "\\t")
                + "\"";
    }

    private static Object boxed(Object array) {
        if (array instanceof int[]) {
            return java.util.Arrays.stream((int[]) array).boxed().toArray();
        }
        return array;
    }

    private static String floating(String text) {
        switch (text.toLowerCase()) {
            case "nan":
                return "NaN";
            case "inf":
            case "infinity":
                return "Infinity";
            case "-inf":
            case "-infinity":
                return "-Infinity";
            default:
                return text;
        }
    }

    private static boolean isInstant(String text) {
        return text.matches(".*[+-][0-9]{2}:[0-9]{2}");
    }

    private static OffsetDateTime instant(String text) {
        return OffsetDateTime.parse(text.replace(' ', 'T'));
    }

    private static LocalDateTime wallClock(String text) {
        return LocalDateTime.parse(text.replace(' ', 'T'));
    }

    private static byte[] bytes(String hex) {
        byte[] bytes = new byte[hex.length() / 2 - 1];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i + 2, 2 * i + 4), 16);
        }
        return bytes;
    }
}
