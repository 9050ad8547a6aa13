package org.apache.doris.flink.sink.writer.serializer;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.conversion.RowRowConverter;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.util.Preconditions;

import java.io.IOException;

/**
 * Rows of values, by position or by the names of the fields. As with {@link RowDataSerializer} the
 * sink takes them column by column and does not call {@link #serialize}.
 */
@PublicEvolving
public class RowSerializer implements DorisRecordSerializer<Row> {

    private static final long serialVersionUID = 1L;

    private final RowDataSerializer rows;
    private final RowRowConverter converter;

    private RowSerializer(RowDataSerializer rows, String[] fieldNames, DataType[] dataTypes) {
        this.rows = rows;
        DataTypes.Field[] fields = new DataTypes.Field[fieldNames.length];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = DataTypes.FIELD(fieldNames[i], dataTypes[i]);
        }
        this.converter = RowRowConverter.create(DataTypes.ROW(fields));
    }

    /** A builder without names and types. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public void initial() {
        converter.open(Thread.currentThread().getContextClassLoader());
    }

    /**
     * The row as JSON or CSV; null is none.
     *
     * @throws IOException for values that the format cannot hold
     */
    @Override
    public DorisRecord serialize(Row record) throws IOException {
        return record == null ? DorisRecord.empty : rows.serialize(toRowData(record));
    }

    /** The row as Flink's own, with its kind. */
    public RowData toRowData(Row record) {
        return converter.toInternal(record);
    }

    /** The serializer of the same rows as Flink's own. */
    public RowDataSerializer ofRowData() {
        return rows;
    }

    /** Builds {@link RowSerializer}. */
    public static class Builder {

        private final RowDataSerializer.Builder rows = RowDataSerializer.builder();
        private String[] fieldNames;
        private DataType[] dataTypes;

        /** Names of the fields, which are the names of the table's columns. */
        public Builder setFieldNames(String[] fieldNames) {
            this.fieldNames = fieldNames;
            rows.setFieldNames(fieldNames);
            return this;
        }

        /** Types of the fields, in the order of the names. */
        public Builder setFieldType(DataType[] dataTypes) {
            this.dataTypes = dataTypes;
            rows.setFieldType(dataTypes);
            return this;
        }

        /** {@code csv} or {@code json}, as parameter {@code format} of the load. */
        public Builder setType(String type) {
            rows.setType(type);
            return this;
        }

        /** Delimiter of CSV fields, as parameter {@code column_separator} of the load. */
        public Builder setFieldDelimiter(String fieldDelimiter) {
            rows.setFieldDelimiter(fieldDelimiter);
            return this;
        }

        /** Whether the row kind becomes a delete sign; false by default. */
        public Builder enableDelete(boolean deletable) {
            rows.enableDelete(deletable);
            return this;
        }

        /** Makes the serializer. */
        public RowSerializer build() {
            RowDataSerializer built = rows.build();
            Preconditions.checkState(
                    !LoadProperties.ARROW.equals(built.getType()),
                    "A RowSerializer has no type 'arrow': choose 'json' or 'csv', or make rows of"
                            + " Flink's table format and a RowDataSerializer.");
            return new RowSerializer(built, fieldNames, dataTypes);
        }
    }
}
