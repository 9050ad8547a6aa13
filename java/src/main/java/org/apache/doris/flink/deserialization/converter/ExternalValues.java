package org.apache.doris.flink.deserialization.converter;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** From Flink's internal values of one column to those of a deserialization schema. */
final class ExternalValues implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final LogicalType type;

    private transient RowData.FieldGetter getter;
    private transient int getterIndex;

    private ExternalValues(LogicalType type) {
        this.type = type;
    }

    static ExternalValues of(LogicalType type) {
        return new ExternalValues(type);
    }

    /** The value at a place of a row. */
    Object get(RowData row, int index) {
        return row.isNullAt(index) ? null : external(field(row, index), type);
    }

    /** A getter knows its position; as a rule it is used for one only. */
    private Object field(RowData row, int index) {
        if (getter == null || getterIndex != index) {
            getter = RowData.createFieldGetter(type, index);
            getterIndex = index;
        }
        return getter.getFieldOrNull(row);
    }

    private static Object external(Object value, LogicalType type) {
        if (value == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case CHAR:
            case VARCHAR:
                return ((StringData) value).toString();
            case DECIMAL:
                return ((DecimalData) value).toBigDecimal();
            case DATE:
                return LocalDate.ofEpochDay((Integer) value);
            case TIME_WITHOUT_TIME_ZONE:
                return LocalTime.ofNanoOfDay((Integer) value * NANOS_PER_MILLI);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return ((TimestampData) value).toLocalDateTime();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return ((TimestampData) value).toInstant();
            case ARRAY:
                return list((ArrayData) value, type.getChildren().get(0));
            case MAP:
                return map((MapData) value, type);
            case ROW:
                return fields((RowData) value, (RowType) type);
            default:
                // Numbers, booleans and bytes are the same on both sides.
                return value;
        }
    }

    private static List<Object> list(ArrayData array, LogicalType elementType) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(elementType);
        List<Object> list = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            list.add(external(getter.getElementOrNull(array, i), elementType));
        }
        return list;
    }

    private static Map<Object, Object> map(MapData map, LogicalType type) {
        List<Object> keys = list(map.keyArray(), type.getChildren().get(0));
        List<Object> values = list(map.valueArray(), type.getChildren().get(1));
        Map<Object, Object> found = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            found.put(keys.get(i), values.get(i));
        }
        return found;
    }

    private static Map<String, Object> fields(RowData row, RowType type) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            LogicalType fieldType = type.getTypeAt(i);
            Object value = RowData.createFieldGetter(fieldType, i).getFieldOrNull(row);
            fields.put(type.getFieldNames().get(i), external(value, fieldType));
        }
        return fields;
    }
}
