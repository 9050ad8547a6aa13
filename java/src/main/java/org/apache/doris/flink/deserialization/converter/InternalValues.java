package org.apache.doris.flink.deserialization.converter;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** From the values of a deserialization schema to Flink's internal ones. */
final class InternalValues {

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private InternalValues() {}

    /**
     * The internal value; null of null.
     *
     * @throws ClassCastException for a value of a class that the type does not take
     * @throws ArithmeticException for a value that is too large
     * @throws IllegalArgumentException for a type that is not read from Doris
     */
    static Object internal(Object value, LogicalType type) {
        if (value == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return (Boolean) value;
            case TINYINT:
                return whole(value).byteValueExact();
            case SMALLINT:
                return whole(value).shortValueExact();
            case INTEGER:
                return value instanceof Integer ? value : whole(value).intValueExact();
            case BIGINT:
                return value instanceof Long ? value : whole(value).longValueExact();
            case FLOAT:
                return ((Number) value).floatValue();
            case DOUBLE:
                return ((Number) value).doubleValue();
            case DECIMAL:
                return decimal(value, (DecimalType) type);
            case CHAR:
            case VARCHAR:
                return StringData.fromString(value.toString());
            case BINARY:
            case VARBINARY:
                return (byte[]) value;
            case DATE:
                return Math.toIntExact(((LocalDate) value).toEpochDay());
            case TIME_WITHOUT_TIME_ZONE:
                return (int) (((LocalTime) value).toNanoOfDay() / NANOS_PER_MILLI);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return value instanceof Timestamp
                        ? TimestampData.fromTimestamp((Timestamp) value)
                        : TimestampData.fromLocalDateTime((LocalDateTime) value);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return value instanceof Timestamp
                        ? TimestampData.fromInstant(((Timestamp) value).toInstant())
                        : TimestampData.fromInstant((Instant) value);
            case ARRAY:
                return array(value, type.getChildren().get(0));
            case MAP:
                return map((Map<?, ?>) value, type);
            case ROW:
                return row((Map<?, ?>) value, (RowType) type);
            default:
                throw new IllegalArgumentException(
                        "Type " + type.asSummaryString() + " is not read from Doris.");
        }
    }

    private static BigInteger whole(Object value) {
        if (value instanceof Float || value instanceof Double) {
            throw new ClassCastException("A fraction is no whole number.");
        }
        if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toBigIntegerExact();
        }
        return value instanceof BigInteger
                ? (BigInteger) value
                : BigInteger.valueOf(((Number) value).longValue());
    }

    private static DecimalData decimal(Object value, DecimalType type) {
        DecimalData decimal =
                DecimalData.fromBigDecimal(
                        value instanceof BigInteger
                                ? new BigDecimal((BigInteger) value)
                                : (BigDecimal) value,
                        type.getPrecision(),
                        type.getScale());
        if (decimal == null) {
            throw new ArithmeticException("The decimal has too many digits.");
        }
        return decimal;
    }

    private static GenericArrayData array(Object value, LogicalType elementType) {
        Object[] elements =
                value instanceof Collection
                        ? ((Collection<?>) value).toArray()
                        : ((Object[]) value).clone();
        Object[] converted = new Object[elements.length];
        for (int i = 0; i < elements.length; i++) {
            converted[i] = internal(elements[i], elementType);
        }
        return new GenericArrayData(converted);
    }

    private static GenericMapData map(Map<?, ?> map, LogicalType type) {
        Map<Object, Object> converted = new LinkedHashMap<>();
        map.forEach(
                (key, value) ->
                        converted.put(
                                internal(key, type.getChildren().get(0)),
                                internal(value, type.getChildren().get(1))));
        return new GenericMapData(converted);
    }

    private static GenericRowData row(Map<?, ?> fields, RowType type) {
        GenericRowData row = new GenericRowData(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, internal(fields.get(type.getFieldNames().get(i)), type.getTypeAt(i)));
        }
        return row;
    }
}
