package org.apache.doris.flink.types;

import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which Flink types a Doris column can be read as. Whether a declared type fits the column that the
 * server has is checked when the job starts; here are refused, at planning, those that no column of
 * Doris can ever give.
 */
public final class DorisTypes {

    /** Most fraction digits of a second that a TIME value of Flink really holds. */
    private static final int MAX_TIME_PRECISION = 3;

    private DorisTypes() {}

    /**
     * Refuses declared columns that can never be read, all of them in one message.
     *
     * @param table name of the table, for the message
     */
    public static void checkReadable(String table, RowType declared) {
        List<String> refused = new ArrayList<>();
        for (RowType.RowField field : declared.getFields()) {
            reasonAgainst(field.getType())
                    .ifPresent(
                            reason ->
                                    refused.add(
                                            String.format(
                                                    "`%s` %s (%s)",
                                                    field.getName(),
                                                    field.getType().asSummaryString(),
                                                    reason)));
        }
        if (!refused.isEmpty()) {
            throw new ValidationException(
                    String.format(
                            "Table %s declares columns of types that cannot be read from Doris: %s."
                                + " Declare another type, STRING takes the text of most columns, or"
                                + " leave the columns out.",
                            table, String.join("; ", refused)));
        }
    }

    /**
     * The type without what plays no part in reading: comments of nested fields, so that its text
     * form is the bare type.
     */
    public static LogicalType plain(LogicalType type) {
        switch (type.getTypeRoot()) {
            case ARRAY:
                return new ArrayType(type.isNullable(), plain(((ArrayType) type).getElementType()));
            case MAP:
                MapType map = (MapType) type;
                return new MapType(
                        type.isNullable(), plain(map.getKeyType()), plain(map.getValueType()));
            case ROW:
                List<RowType.RowField> fields = new ArrayList<>();
                for (RowType.RowField field : ((RowType) type).getFields()) {
                    fields.add(new RowType.RowField(field.getName(), plain(field.getType())));
                }
                return new RowType(type.isNullable(), fields);
            default:
                return type;
        }
    }

    /** Why the type can never be read; empty when it can. */
    private static Optional<String> reasonAgainst(LogicalType type) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case FLOAT:
            case DOUBLE:
            case DECIMAL:
            case CHAR:
            case VARCHAR:
            case BINARY:
            case VARBINARY:
            case DATE:
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Optional.empty();
            case TIME_WITHOUT_TIME_ZONE:
                return ((TimeType) type).getPrecision() <= MAX_TIME_PRECISION
                        ? Optional.empty()
                        : Optional.of("Flink keeps milliseconds, use TIME(0) to TIME(3)");
            case TIMESTAMP_WITH_TIME_ZONE:
                return Optional.of("use TIMESTAMP_LTZ");
            case ARRAY:
            case MAP:
            case ROW:
                return type.getChildren().stream()
                        .map(DorisTypes::reasonAgainst)
                        .flatMap(Optional::stream)
                        .findFirst();
            default:
                return Optional.of("Doris has no such type");
        }
    }
}
