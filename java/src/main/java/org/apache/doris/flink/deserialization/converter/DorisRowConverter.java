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

    private InternalValues[] internal = {};
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
        internal = Arrays.stream(types).map(InternalValues::of).toArray(InternalValues[]::new);
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
            row.setField(i, internal[i].convert(record.get(i), i));
        }
        return row;
    }

    /** The value of a column; null where it is NULL. */
    public Object convertExternal(RowData rowData, int index) {
        return external[index].get(rowData, index);
    }

    private static LogicalType[] logical(DataType[] dataTypes) {
        return Arrays.stream(dataTypes).map(DataType::getLogicalType).toArray(LogicalType[]::new);
    }
}
