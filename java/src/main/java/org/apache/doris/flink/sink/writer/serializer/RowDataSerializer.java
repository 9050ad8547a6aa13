package org.apache.doris.flink.sink.writer.serializer;

import org.apache.doris.flink.config.Delimiter;
import org.apache.doris.flink.config.LoadProperties;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Preconditions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Locale;

/**
 * Rows of Flink's table format. A sink that is built with this serializer takes the rows column by
 * column, in any of the three formats, and does not call {@link #serialize}; that method is for
 * serializers of users that call this one, and spells CSV or JSON.
 */
@PublicEvolving
public class RowDataSerializer implements DorisRecordSerializer<RowData> {

    private static final long serialVersionUID = 1L;

    private final String[] fieldNames;
    private final LogicalType[] fieldTypes;
    private final String type;
    private final String fieldDelimiter;
    private final boolean enableDelete;
    private final String zone;

    private transient RowText text;
    private transient RowData.FieldGetter[] getters;

    private RowDataSerializer(Builder builder) {
        this.fieldNames = builder.fieldNames.clone();
        this.fieldTypes =
                Arrays.stream(builder.dataTypes)
                        .map(DataType::getLogicalType)
                        .toArray(LogicalType[]::new);
        this.type = builder.type;
        this.fieldDelimiter = builder.fieldDelimiter;
        this.enableDelete = builder.deletable;
        this.zone = ZoneId.systemDefault().getId();
    }

    /** A builder without names and types. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public void initial() {}

    /**
     * The row as JSON or CSV.
     *
     * @throws IOException for Arrow, which has no single rows, and for values that the format
     *     cannot hold
     */
    @Override
    public DorisRecord serialize(RowData record) throws IOException {
        int fields = Math.min(record.getArity(), fieldNames.length);
        String row;
        switch (type) {
            case LoadProperties.JSON:
                row = buildJsonString(record, fields);
                break;
            case LoadProperties.CSV:
                row = buildCSVString(record, fields);
                break;
            default:
                throw new IOException(
                        "Arrow has no single rows: hand the RowDataSerializer to the sink itself,"
                                + " or choose 'json' or 'csv'.");
        }
        return DorisRecord.of(row.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public DorisRecord flush() {
        return DorisRecord.empty;
    }

    @Override
    public void close() throws Exception {}

    /** The first fields of a row as a JSON object, with the delete sign if that is enabled. */
    public String buildJsonString(RowData record, int maxIndex) throws IOException {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < maxIndex; i++) {
            json.append(i == 0 ? "" : ",");
            RowText.quoted(fieldNames[i], json);
            json.append(':');
            Object value = getter(i).getFieldOrNull(record);
            if (value == null) {
                json.append("null");
            } else {
                RowText.quoted(text().text(value, fieldTypes[i]), json);
            }
        }
        if (enableDelete) {
            json.append(maxIndex == 0 ? "" : ",");
            RowText.quoted(LoadProperties.DELETE_SIGN, json);
            json.append(':');
            RowText.quoted(parseDeleteSign(record.getRowKind()), json);
        }
        return json.append('}').toString();
    }

    /**
     * The first fields of a row as a line of CSV, with the delete sign if that is enabled.
     *
     * @throws IOException if a value holds the delimiter or a line break, which would move the
     *     columns
     */
    public String buildCSVString(RowData record, int maxIndex) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < maxIndex; i++) {
            line.append(i == 0 ? "" : fieldDelimiter);
            Object value = getter(i).getFieldOrNull(record);
            if (value == null) {
                line.append(LoadProperties.NULL_VALUE);
            } else {
                line.append(checked(text().text(value, fieldTypes[i]), fieldNames[i]));
            }
        }
        if (enableDelete) {
            line.append(maxIndex == 0 ? "" : fieldDelimiter)
                    .append(parseDeleteSign(record.getRowKind()));
        }
        return line.toString();
    }

    /** {@code 0} for rows that are there afterwards, {@code 1} for rows that are not. */
    public String parseDeleteSign(RowKind rowKind) {
        return rowKind == RowKind.INSERT || rowKind == RowKind.UPDATE_AFTER ? "0" : "1";
    }

    /** Names and types of the rows. */
    public RowType getRowType() {
        return RowType.of(fieldTypes, fieldNames);
    }

    /** {@code csv}, {@code json} or {@code arrow}. */
    public String getType() {
        return type;
    }

    /** Delimiter of CSV fields with its escapes resolved; null if none was set. */
    public String getFieldDelimiter() {
        return fieldDelimiter;
    }

    /** Whether the row kind becomes a delete sign. */
    public boolean isEnableDelete() {
        return enableDelete;
    }

    /**
     * Zone in which {@code TIMESTAMP_LTZ} values are shown: that of the machine that built this.
     */
    public String getZone() {
        return zone;
    }

    private String checked(String value, String column) throws IOException {
        if (value.contains(fieldDelimiter)
                || value.indexOf('\n') >= 0
                || value.equals(LoadProperties.NULL_VALUE)) {
            throw new IOException(
                    String.format(
                            "A value of column `%s` holds the delimiter or a line break, or is"
                                    + " '\\N', and would not be read back from CSV. Choose JSON, or"
                                    + " another delimiter.",
                            column));
        }
        return value;
    }

    private RowData.FieldGetter getter(int index) {
        if (getters == null) {
            getters = new RowData.FieldGetter[fieldTypes.length];
            for (int i = 0; i < getters.length; i++) {
                getters[i] = RowData.createFieldGetter(fieldTypes[i], i);
            }
        }
        return getters[index];
    }

    private RowText text() {
        if (text == null) {
            text = new RowText(ZoneId.of(zone));
        }
        return text;
    }

    /** Builds {@link RowDataSerializer}. */
    public static class Builder {

        private String[] fieldNames;
        private DataType[] dataTypes;
        private String type;
        private String fieldDelimiter;
        private boolean deletable;

        /** Names of the fields, which are the names of the table's columns. */
        public Builder setFieldNames(String[] fieldNames) {
            this.fieldNames = fieldNames;
            return this;
        }

        /** Types of the fields, in the order of the names. */
        public Builder setFieldType(DataType[] dataTypes) {
            this.dataTypes = dataTypes;
            return this;
        }

        /** {@code csv}, {@code json} or {@code arrow}, as parameter {@code format} of the load. */
        public Builder setType(String type) {
            this.type = type == null ? null : type.trim().toLowerCase(Locale.ROOT);
            return this;
        }

        /** Delimiter of CSV fields, as parameter {@code column_separator} of the load. */
        public Builder setFieldDelimiter(String fieldDelimiter) {
            this.fieldDelimiter = fieldDelimiter == null ? null : Delimiter.resolve(fieldDelimiter);
            return this;
        }

        /** Whether the row kind becomes a delete sign; false by default. */
        public Builder enableDelete(boolean deletable) {
            this.deletable = deletable;
            return this;
        }

        /** Makes the serializer. */
        public RowDataSerializer build() {
            boolean csv = LoadProperties.CSV.equals(type) && fieldDelimiter != null;
            Preconditions.checkState(
                    csv || LoadProperties.JSON.equals(type) || LoadProperties.ARROW.equals(type),
                    "The type must be 'json', 'arrow', or 'csv' with a field delimiter, but is"
                            + " '%s' with delimiter '%s'.",
                    type,
                    fieldDelimiter);
            Preconditions.checkNotNull(dataTypes, "The field types are missing.");
            Preconditions.checkNotNull(fieldNames, "The field names are missing.");
            Preconditions.checkArgument(
                    dataTypes.length == fieldNames.length,
                    "There are %s field names and %s field types.",
                    fieldNames.length,
                    dataTypes.length);
            return new RowDataSerializer(this);
        }
    }
}
