package org.apache.doris.flink.table;

import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Optional;

/**
 * A column, a literal, or a cast of either that keeps every value: what a comparison may have on
 * its sides.
 */
final class FilterOperand {

    /** What is compared with what. */
    enum Kind {
        BOOLEAN,
        /** Whole numbers and decimals: exact. */
        NUMBER,
        /** FLOAT and DOUBLE. */
        FLOAT,
        TEXT,
        DATE,
        TIMESTAMP
    }

    /** Most digits that Doris compares exactly without its 256-bit decimals. */
    private static final int MAX_DIGITS = 38;

    /** Decimal digits that every double keeps. */
    private static final int SAFE_FLOAT_DIGITS = 15;

    private final Kind kind;
    private final LogicalType type;
    private final String sql;
    private final BigDecimal number;
    private final boolean literal;

    private FilterOperand(
            Kind kind, LogicalType type, String sql, BigDecimal number, boolean literal) {
        this.kind = kind;
        this.type = type;
        this.sql = sql;
        this.number = number;
        this.literal = literal;
    }

    /** The operand that an expression is; empty when it has no equal in Doris. */
    static Optional<FilterOperand> of(Expression expression, RowType declared) {
        if (expression instanceof FieldReferenceExpression) {
            return column((FieldReferenceExpression) expression, declared);
        }
        if (expression instanceof ValueLiteralExpression) {
            return literal((ValueLiteralExpression) expression);
        }
        if (expression instanceof CallExpression) {
            CallExpression call = (CallExpression) expression;
            if (call.getFunctionDefinition() == BuiltInFunctionDefinitions.CAST) {
                ResolvedExpression child = call.getResolvedChildren().get(0);
                LogicalType target = call.getOutputDataType().getLogicalType();
                return of(child, declared).flatMap(operand -> operand.castTo(target));
            }
        }
        return Optional.empty();
    }

    /** The quoted name of a column of the table; empty for anything else. */
    static Optional<String> columnName(FieldReferenceExpression field, RowType declared) {
        int index = declared.getFieldIndex(field.getName());
        if (index < 0) {
            return Optional.empty();
        }
        LogicalType type = field.getOutputDataType().getLogicalType();
        return declared.getTypeAt(index).getTypeRoot() == type.getTypeRoot()
                ? Optional.of(SqlLiterals.name(field.getName()))
                : Optional.empty();
    }

    /** What kind of comparison it takes part in. */
    Kind kind() {
        return kind;
    }

    /** The text in Doris' dialect. */
    String sql() {
        return sql;
    }

    boolean isLiteral() {
        return literal;
    }

    /** Whether it is a number without a sign. */
    boolean isZero() {
        return number != null && number.signum() == 0;
    }

    /** Whether Doris compares the two as Flink does. */
    boolean isComparableTo(FilterOperand other) {
        if (kind == Kind.FLOAT && other.literal && other.number != null) {
            return isExactIn(type, other.number);
        }
        if (kind != other.kind) {
            return false;
        }
        return kind != Kind.NUMBER
                || Math.max(wholeDigits(), other.wholeDigits()) + Math.max(scale(), other.scale())
                        <= MAX_DIGITS;
    }

    private static Optional<FilterOperand> column(
            FieldReferenceExpression field, RowType declared) {
        Optional<String> name = columnName(field, declared);
        LogicalType type = field.getOutputDataType().getLogicalType();
        Optional<Kind> kind = kindOf(type);
        if (name.isEmpty() || kind.isEmpty() || type.is(LogicalTypeRoot.CHAR)) {
            return Optional.empty();
        }
        // Whatever the column is in Doris, the scan delivers its text, so that is compared.
        String sql = kind.get() == Kind.TEXT ? "CAST(" + name.get() + " AS STRING)" : name.get();
        return Optional.of(new FilterOperand(kind.get(), type, sql, null, false));
    }

    private static Optional<FilterOperand> literal(ValueLiteralExpression value) {
        LogicalType type = value.getOutputDataType().getLogicalType();
        Optional<Kind> kind = kindOf(type);
        if (value.isNull() || kind.isEmpty()) {
            return Optional.empty();
        }
        switch (kind.get()) {
            case BOOLEAN:
                return value.getValueAs(Boolean.class)
                        .map(bool -> literal(kind.get(), type, bool ? "TRUE" : "FALSE"));
            case NUMBER:
                return value.getValueAs(BigDecimal.class).flatMap(FilterOperand::exactNumber);
            case FLOAT:
                return value.getValueAs(Double.class)
                        .filter(Double::isFinite)
                        .map(BigDecimal::new)
                        .filter(decimal -> significantDigits(decimal) <= SAFE_FLOAT_DIGITS)
                        .map(decimal -> number(Kind.FLOAT, type, decimal));
            case TEXT:
                return value.getValueAs(String.class)
                        .flatMap(SqlLiterals::text)
                        .map(sql -> literal(kind.get(), type, sql));
            case DATE:
                return value.getValueAs(LocalDate.class)
                        .flatMap(SqlLiterals::date)
                        .map(sql -> literal(kind.get(), type, sql));
            default:
                return value.getValueAs(LocalDateTime.class)
                        .flatMap(SqlLiterals::timestamp)
                        .map(sql -> literal(kind.get(), type, sql));
        }
    }

    private static FilterOperand literal(Kind kind, LogicalType type, String sql) {
        return new FilterOperand(kind, type, sql, null, true);
    }

    private static FilterOperand number(Kind kind, LogicalType type, BigDecimal value) {
        return new FilterOperand(kind, type, SqlLiterals.number(value), value, true);
    }

    private static Optional<FilterOperand> exactNumber(BigDecimal value) {
        BigDecimal plain = value.stripTrailingZeros();
        BigDecimal whole = plain.scale() < 0 ? plain.setScale(0) : plain;
        if (whole.precision() > MAX_DIGITS || whole.scale() > MAX_DIGITS) {
            return Optional.empty();
        }
        LogicalType type =
                new DecimalType(
                        false,
                        Math.max(1, Math.max(whole.precision(), whole.scale())),
                        whole.scale());
        return Optional.of(number(Kind.NUMBER, type, whole));
    }

    /** The operand as another type, where that changes no value. */
    private Optional<FilterOperand> castTo(LogicalType target) {
        Optional<Kind> targetKind = kindOf(target);
        if (targetKind.isEmpty() || targetKind.get() != kind) {
            return Optional.empty();
        }
        FilterOperand result = new FilterOperand(kind, target, sql, number, literal);
        boolean lossless;
        switch (kind) {
            case NUMBER:
                lossless = result.wholeDigits() >= wholeDigits() && result.scale() >= scale();
                // A literal keeps its own, narrower type.
                return lossless ? Optional.of(literal ? this : result) : Optional.empty();
            case FLOAT:
                // FLOAT → DOUBLE; the column stays a FLOAT for what it can be compared with.
                lossless = target.is(LogicalTypeRoot.DOUBLE) || type.is(LogicalTypeRoot.FLOAT);
                return lossless ? Optional.of(this) : Optional.empty();
            case TEXT:
                lossless =
                        target.is(LogicalTypeRoot.VARCHAR)
                                && ((VarCharType) target).getLength() >= textLength();
                return lossless ? Optional.of(result) : Optional.empty();
            case TIMESTAMP:
                lossless =
                        ((TimestampType) target).getPrecision()
                                >= ((TimestampType) type).getPrecision();
                return lossless ? Optional.of(result) : Optional.empty();
            default:
                return Optional.of(result);
        }
    }

    private int textLength() {
        return type instanceof VarCharType
                ? ((VarCharType) type).getLength()
                : ((CharType) type).getLength();
    }

    private int wholeDigits() {
        switch (type.getTypeRoot()) {
            case TINYINT:
                return 3;
            case SMALLINT:
                return 5;
            case INTEGER:
                return 10;
            case BIGINT:
                return 19;
            default:
                DecimalType decimal = (DecimalType) type;
                return decimal.getPrecision() - decimal.getScale();
        }
    }

    private int scale() {
        return type instanceof DecimalType ? ((DecimalType) type).getScale() : 0;
    }

    private static int significantDigits(BigDecimal value) {
        return value.signum() == 0 ? 1 : value.stripTrailingZeros().precision();
    }

    private static boolean isExactIn(LogicalType floating, BigDecimal value) {
        double near = floating.is(LogicalTypeRoot.FLOAT) ? value.floatValue() : value.doubleValue();
        return significantDigits(value) <= SAFE_FLOAT_DIGITS
                && !Double.isInfinite(near)
                && new BigDecimal(near).compareTo(value) == 0;
    }

    private static Optional<Kind> kindOf(LogicalType type) {
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return Optional.of(Kind.BOOLEAN);
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
            case DECIMAL:
                return Optional.of(Kind.NUMBER);
            case FLOAT:
            case DOUBLE:
                return Optional.of(Kind.FLOAT);
            case CHAR:
            case VARCHAR:
                return Optional.of(Kind.TEXT);
            case DATE:
                return Optional.of(Kind.DATE);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return Optional.of(Kind.TIMESTAMP);
            default:
                return Optional.empty();
        }
    }
}
