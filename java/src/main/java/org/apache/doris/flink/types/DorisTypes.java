package org.apache.doris.flink.types;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which Flink types a Doris column can be read as and written from. Whether a declared type fits
 * the column that the server has is checked when the job starts; here are refused, at planning,
 * those that no column of Doris can ever give or take.
 */
@Internal
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
        List<String> refused = refused(declared, DorisTypes::reasonAgainst);
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
     * Refuses declared columns that can never be written, all of them in one message.
     *
     * @param table name of the table, for the message
     */
    public static void checkWritable(String table, RowType declared) {
        List<String> refused = refused(declared, DorisTypes::reasonAgainstWriting);
        if (!refused.isEmpty()) {
            throw new ValidationException(
                    String.format(
                            "Table %s declares columns of types that cannot be written to Doris:"
                                + " %s. Declare another type and convert the value in the query,"
                                + " for example with CAST(... AS STRING), or leave the columns"
                                + " out.",
                            table, String.join("; ", refused)));
        }
    }

    /**
     * The type without what plays no part for Doris: comments of nested fields, so that its text
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
            case MULTISET:
                return new MultisetType(
                        type.isNullable(), plain(((MultisetType) type).getElementType()));
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

    private static List<String> refused(
            RowType declared, Function<LogicalType, Optional<String>> reason) {
        List<String> refused = new ArrayList<>();
        for (RowType.RowField field : declared.getFields()) {
            reason.apply(field.getType())
                    .ifPresent(
                            text ->
                                    refused.add(
                                            String.format(
                                                    "`%s` %s (%s)",
                                                    field.getName(),
                                                    field.getType().asSummaryString(),
                                                    text)));
        }
        return refused;
    }

    /** Why the type can never be written; empty when it can. */
    private static Optional<String> reasonAgainstWriting(LogicalType type) {
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
            case TIME_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
            case INTERVAL_YEAR_MONTH:
            case INTERVAL_DAY_TIME:
                return Optional.empty();
            case TIMESTAMP_WITH_TIME_ZONE:
                return Optional.of("use TIMESTAMP_LTZ");
            case MAP:
            case MULTISET:
                LogicalType key = type.getChildren().get(0);
                return key.getChildren().isEmpty()
                        ? inside(type, DorisTypes::reasonAgainstWriting)
                        : Optional.of("a key is a plain value, without parts");
            case ARRAY:
            case ROW:
                return inside(type, DorisTypes::reasonAgainstWriting);
            default:
                return Optional.of("Doris has no such type");
        }
    }

    private static Optional<String> inside(
            LogicalType type, Function<LogicalType, Optional<String>> reason) {
        return type.getChildren().stream().map(reason).flatMap(Optional::stream).findFirst();
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
                return inside(type, DorisTypes::reasonAgainst);
            default:
                return Optional.of("Doris has no such type");
        }
    }
}
