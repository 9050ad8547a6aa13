package org.apache.doris.flink.sink.writer.serializer;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;

import java.io.IOException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Values of Flink as the texts that Doris reads, where the column of the table is not known: top
 * values are texts, which Doris reads for every type; nested ones are JSON.
 */
final class RowText {

    private static final int MAX_FRACTION_DIGITS = 6;
    private static final int MAX_TIME_DIGITS = 3;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ZoneId zone;

    /**
     * @param zone in which {@code TIMESTAMP_LTZ} values are shown
     */
    RowText(ZoneId zone) {
        this.zone = zone;
    }

    /** Text of a value that is not NULL; the JSON text of a nested one. */
    String text(Object value, LogicalType type) throws IOException {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case INTERVAL_YEAR_MONTH:
            case INTERVAL_DAY_TIME:
            case CHAR:
            case VARCHAR:
                return value.toString();
            case FLOAT:
            case DOUBLE:
                return number(value.toString());
            case DECIMAL:
                return ((DecimalData) value).toBigDecimal().toPlainString();
            case DATE:
                return LocalDate.ofEpochDay((Integer) value).toString();
            case TIME_WITHOUT_TIME_ZONE:
                int digits = Math.min(((TimeType) type).getPrecision(), MAX_TIME_DIGITS);
                return pattern("HH:mm:ss", digits)
                        .format(LocalTime.ofNanoOfDay((Integer) value * NANOS_PER_MILLI));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return wallClock(
                        ((TimestampData) value).toLocalDateTime(),
                        ((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return wallClock(
                        LocalDateTime.ofInstant(((TimestampData) value).toInstant(), zone),
                        ((LocalZonedTimestampType) type).getPrecision());
            case ARRAY:
            case MAP:
            case MULTISET:
            case ROW:
                StringBuilder json = new StringBuilder();
                json(value, type, json);
                return json.toString();
            default:
                throw new IOException(
                        String.format(
                                "A value of type %s cannot be spelled without the table's column;"
                                        + " hand the serializer to the sink itself, or convert the"
                                        + " value before.",
                                type.asSummaryString()));
        }
    }

    /** Appends a text as a JSON string. */
    static void quoted(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Appends a value as JSON, null included. */
    private void json(Object value, LogicalType type, StringBuilder out) throws IOException {
        if (value == null) {
            out.append("null");
            return;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case DECIMAL:
            case INTERVAL_YEAR_MONTH:
            case INTERVAL_DAY_TIME:
                out.append(text(value, type));
                break;
            case FLOAT:
            case DOUBLE:
                if (Double.isFinite(((Number) value).doubleValue())) {
                    out.append(text(value, type));
                } else {
                    quoted(text(value, type), out);
                }
                break;
            case ARRAY:
                array((ArrayData) value, ((ArrayType) type).getElementType(), out);
                break;
            case MAP:
                MapType map = (MapType) type;
                object((MapData) value, map.getKeyType(), map.getValueType(), out);
                break;
            case MULTISET:
                LogicalType element = ((MultisetType) type).getElementType();
                object((MapData) value, element, new IntType(false), out);
                break;
            case ROW:
                row((RowData) value, (RowType) type, out);
                break;
            default:
                quoted(text(value, type), out);
        }
    }

    private void array(ArrayData array, LogicalType type, StringBuilder out) throws IOException {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        out.append('[');
        for (int i = 0; i < array.size(); i++) {
            out.append(i == 0 ? "" : ",");
            json(getter.getElementOrNull(array, i), type, out);
        }
        out.append(']');
    }

    private void object(MapData map, LogicalType keyType, LogicalType valueType, StringBuilder out)
            throws IOException {
        ArrayData.ElementGetter key = ArrayData.createElementGetter(keyType);
        ArrayData.ElementGetter value = ArrayData.createElementGetter(valueType);
        ArrayData keys = map.keyArray();
        ArrayData values = map.valueArray();
        out.append('{');
        for (int i = 0; i < map.size(); i++) {
            out.append(i == 0 ? "" : ",");
            Object name = key.getElementOrNull(keys, i);
            if (name == null) {
                throw new IOException("A MAP has the key NULL, which JSON cannot spell.");
            }
            quoted(text(name, keyType), out);
            out.append(':');
            json(value.getElementOrNull(values, i), valueType, out);
        }
        out.append('}');
    }

    private void row(RowData row, RowType type, StringBuilder out) throws IOException {
        out.append('{');
        for (int i = 0; i < type.getFieldCount(); i++) {
            out.append(i == 0 ? "" : ",");
            quoted(type.getFieldNames().get(i), out);
            out.append(':');
            LogicalType field = type.getTypeAt(i);
            json(RowData.createFieldGetter(field, i).getFieldOrNull(row), field, out);
        }
        out.append('}');
    }

    private static String number(String text) {
        return text.replace("Infinity", "inf");
    }

    private static String wallClock(LocalDateTime time, int precision) {
        return pattern("uuuu-MM-dd HH:mm:ss", Math.min(precision, MAX_FRACTION_DIGITS))
                .format(time);
    }

    private static DateTimeFormatter pattern(String pattern, int fractionDigits) {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().appendPattern(pattern);
        if (fractionDigits > 0) {
            builder.appendLiteral('.').appendPattern("S".repeat(fractionDigits));
        }
        return builder.toFormatter();
    }
}
