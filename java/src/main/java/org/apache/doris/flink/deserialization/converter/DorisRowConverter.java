package org.apache.doris.flink.deserialization.converter;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * Between Flink's own rows and the values that a deserialization schema gets. Custom schemas may
 * use it to make rows of values.
 */
@PublicEvolving
public class DorisRowConverter implements Serializable {

    private static final long serialVersionUID = 1L;

    private LogicalType[] types = {};
    private DeserializationConverter[] internal = {};
    private ExternalValues[] external = {};

    /** Converts nothing until {@link #setExternalConverter} is called. */
    public DorisRowConverter() {}

    /** Converts both ways between values and rows of a type. */
    public DorisRowConverter(RowType rowType) {
        this(rowType.getChildren().toArray(new LogicalType[0]));
    }

    /** Converts both ways between values and rows of these columns. */
    public DorisRowConverter(DataType[] dataTypes) {
        this(logical(dataTypes));
    }

    private DorisRowConverter(LogicalType[] types) {
        this.types = types;
        internal =
                Arrays.stream(types)
                        .map(this::createNullableInternalConverter)
                        .toArray(DeserializationConverter[]::new);
        external = Arrays.stream(types).map(ExternalValues::of).toArray(ExternalValues[]::new);
    }

    /** Lets this convert rows of these columns to values. */
    public DorisRowConverter setExternalConverter(DataType[] dataTypes) {
        external =
                Arrays.stream(logical(dataTypes))
                        .map(ExternalValues::of)
                        .toArray(ExternalValues[]::new);
        return this;
    }

    /**
     * A row of values.
     *
     * @param record as many values as there are columns
     * @throws IllegalArgumentException names the column whose value does not fit its type
     */
    public GenericRowData convertInternal(List<?> record) {
        if (record.size() != internal.length) {
            throw new IllegalArgumentException(
                    String.format(
                            "A row has %d values, but its type %d columns.",
                            record.size(), internal.length));
        }
        GenericRowData row = new GenericRowData(internal.length);
        for (int i = 0; i < internal.length; i++) {
            row.setField(i, internal(record.get(i), i));
        }
        return row;
    }

    private Object internal(Object value, int column) {
        try {
            return internal[column].deserialize(value);
        } catch (ClassCastException | ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    String.format(
                            "The value of column %d, a %s, does not fit its type %s.",
                            column, value.getClass().getName(), types[column].asSummaryString()),
                    e);
        }
    }

    /** The value of a column; null where it is NULL. */
    public Object convertExternal(RowData rowData, int index) {
        return external[index].get(rowData, index);
    }

    /** A converter of one column that passes null on. A subclass may put its own in its place. */
    public DeserializationConverter createNullableInternalConverter(LogicalType type) {
        return wrapIntoNullableInternalConverter(createInternalConverter(type));
    }

    /** The converter, with null passed on. */
    public DeserializationConverter wrapIntoNullableInternalConverter(
            DeserializationConverter converter) {
        return value -> value == null ? null : converter.deserialize(value);
    }

    /** A converter of one column's values. A subclass may put its own in its place. */
    public DeserializationConverter createInternalConverter(LogicalType type) {
        return value -> InternalValues.internal(value, type);
    }

    /** A converter of one column of Flink's rows; null where it is NULL. */
    public static SerializationConverter createNullableExternalConverter(LogicalType type) {
        return wrapIntoNullableExternalConverter(createExternalConverter(type));
    }

    /** The converter, with null where the column is NULL. */
    public static SerializationConverter wrapIntoNullableExternalConverter(
            SerializationConverter converter) {
        return (index, row) -> row.isNullAt(index) ? null : converter.serialize(index, row);
    }

    /** A converter of one column of Flink's rows. */
    public static SerializationConverter createExternalConverter(LogicalType type) {
        ExternalValues values = ExternalValues.of(type);
        return (index, row) -> values.get(row, index);
    }

    private static LogicalType[] logical(DataType[] dataTypes) {
        return Arrays.stream(dataTypes).map(DataType::getLogicalType).toArray(LogicalType[]::new);
    }

    /** From a value of a deserialization schema to Flink's internal one. */
    @FunctionalInterface
    public interface DeserializationConverter extends Serializable {

        /** The internal value of a value. */
        Object deserialize(Object field);
    }

    /** From a column of Flink's rows to a value of a deserialization schema. */
    @FunctionalInterface
    public interface SerializationConverter extends Serializable {

        /** The value of a column of a row. */
        Object serialize(int index, RowData rowData);
    }
}
