package org.apache.doris.flink.table;

import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a predicate of the planner into Doris' SQL, if Doris then keeps the same rows as Flink for
 * every input, NULL included. What cannot be said exactly, but by a predicate that keeps at least
 * those rows, is translated as a hint; all else is not translated.
 *
 * <p>The type of a column in Doris is not known here, only the one it is declared with. So text is
 * compared as the text that the scan delivers ({@code CAST(c AS STRING)}, nothing to do for text
 * columns), and types whose comparison would depend on the session's zone are left alone.
 */
final class FilterTranslator {

    private static final Map<FunctionDefinition, Comparison> COMPARISONS =
            Map.of(
                    BuiltInFunctionDefinitions.EQUALS, Comparison.EQUAL,
                    BuiltInFunctionDefinitions.NOT_EQUALS, Comparison.NOT_EQUAL,
                    BuiltInFunctionDefinitions.LESS_THAN, Comparison.LESS,
                    BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL, Comparison.LESS_OR_EQUAL,
                    BuiltInFunctionDefinitions.GREATER_THAN, Comparison.GREATER,
                    BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL, Comparison.GREATER_OR_EQUAL);

    private final RowType declared;

    /**
     * @param declared the physical columns of the table
     */
    FilterTranslator(RowType declared) {
        this.declared = declared;
    }

    /** The predicate in Doris' dialect; empty when it has to stay in Flink. */
    Optional<Predicate> translate(Expression expression) {
        if (expression instanceof CallExpression) {
            return call((CallExpression) expression);
        }
        return FilterOperand.of(expression, declared)
                .filter(operand -> operand.kind() == FilterOperand.Kind.BOOLEAN)
                .map(operand -> Predicate.exact(operand.sql()));
    }

    private Optional<Predicate> call(CallExpression call) {
        FunctionDefinition function = call.getFunctionDefinition();
        List<ResolvedExpression> arguments = call.getResolvedChildren();
        Comparison comparison = COMPARISONS.get(function);
        if (comparison != null) {
            return compare(arguments.get(0), comparison, arguments.get(1));
        }
        if (function == BuiltInFunctionDefinitions.AND) {
            return junction(arguments, " AND ");
        }
        if (function == BuiltInFunctionDefinitions.OR) {
            return junction(arguments, " OR ");
        }
        if (function == BuiltInFunctionDefinitions.NOT) {
            return exactly(arguments.get(0)).map(sql -> Predicate.exact("NOT (" + sql + ")"));
        }
        if (function == BuiltInFunctionDefinitions.IS_NULL) {
            return nullTest(arguments.get(0), "IS NULL");
        }
        if (function == BuiltInFunctionDefinitions.IS_NOT_NULL) {
            return nullTest(arguments.get(0), "IS NOT NULL");
        }
        if (function == BuiltInFunctionDefinitions.IS_TRUE) {
            return exactly(arguments.get(0)).map(sql -> truth(sql, "FALSE"));
        }
        if (function == BuiltInFunctionDefinitions.IS_NOT_TRUE) {
            return exactly(arguments.get(0)).map(sql -> truth(sql, "FALSE").negated());
        }
        if (function == BuiltInFunctionDefinitions.IS_FALSE) {
            return exactly(arguments.get(0)).map(sql -> truth(sql, "TRUE").negated());
        }
        if (function == BuiltInFunctionDefinitions.IS_NOT_FALSE) {
            return exactly(arguments.get(0)).map(sql -> truth(sql, "TRUE"));
        }
        if (function == BuiltInFunctionDefinitions.IN) {
            return in(arguments);
        }
        if (function == BuiltInFunctionDefinitions.BETWEEN) {
            return between(arguments);
        }
        if (function == BuiltInFunctionDefinitions.NOT_BETWEEN) {
            return notBetween(arguments);
        }
        if (function == BuiltInFunctionDefinitions.LIKE) {
            return like(arguments);
        }
        return Optional.empty();
    }

    /** All parts or none: half an OR would lose rows, half an AND is the planner's to split. */
    private Optional<Predicate> junction(List<ResolvedExpression> parts, String word) {
        List<String> sql = new ArrayList<>();
        boolean exact = true;
        for (ResolvedExpression part : parts) {
            Optional<Predicate> predicate = translate(part);
            if (predicate.isEmpty()) {
                return Optional.empty();
            }
            sql.add("(" + predicate.get().sql() + ")");
            exact &= predicate.get().isExact();
        }
        return Optional.of(new Predicate(String.join(word, sql), exact));
    }

    private Optional<String> exactly(ResolvedExpression expression) {
        return translate(expression).filter(Predicate::isExact).map(Predicate::sql);
    }

    /** Says {@code IS TRUE} and its like without asking the server for that syntax. */
    private static Predicate truth(String sql, String ifNull) {
        return Predicate.exact("COALESCE(" + sql + ", " + ifNull + ")");
    }

    private Optional<Predicate> nullTest(ResolvedExpression argument, String test) {
        if (argument instanceof FieldReferenceExpression) {
            return FilterOperand.columnName((FieldReferenceExpression) argument, declared)
                    .map(column -> Predicate.exact(column + " " + test));
        }
        return FilterOperand.of(argument, declared)
                .map(operand -> Predicate.exact(operand.sql() + " " + test));
    }

    private Optional<Predicate> compare(
            ResolvedExpression one, Comparison comparison, ResolvedExpression two) {
        Optional<FilterOperand> left = FilterOperand.of(one, declared);
        Optional<FilterOperand> right = FilterOperand.of(two, declared);
        if (left.isEmpty() || right.isEmpty()) {
            return Optional.empty();
        }
        return left.get().isLiteral() && !right.get().isLiteral()
                ? compare(right.get(), comparison.mirrored(), left.get())
                : compare(left.get(), comparison, right.get());
    }

    private static Optional<Predicate> compare(
            FilterOperand left, Comparison comparison, FilterOperand right) {
        if (!left.isComparableTo(right)) {
            return Optional.empty();
        }
        String sql = left.sql() + " " + comparison.sql + " " + right.sql();
        if (left.kind() != FilterOperand.Kind.FLOAT) {
            return Optional.of(Predicate.exact(sql));
        }
        if (!right.isLiteral()) {
            return Optional.empty();
        }
        // NaN is above all numbers in Doris, while in Flink no order holds for it.
        boolean mayKeepNan =
                comparison == Comparison.GREATER || comparison == Comparison.GREATER_OR_EQUAL;
        return Optional.of(new Predicate(sql, !mayKeepNan));
    }

    private Optional<Predicate> in(List<ResolvedExpression> arguments) {
        Optional<FilterOperand> tested = FilterOperand.of(arguments.get(0), declared);
        if (tested.isEmpty() || tested.get().isLiteral()) {
            return Optional.empty();
        }
        List<String> values = new ArrayList<>();
        for (ResolvedExpression argument : arguments.subList(1, arguments.size())) {
            Optional<FilterOperand> value = FilterOperand.of(argument, declared);
            if (value.isEmpty()
                    || !value.get().isLiteral()
                    || !tested.get().isComparableTo(value.get())) {
                return Optional.empty();
            }
            values.add(value.get().sql());
        }
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Predicate.exact(
                                tested.get().sql() + " IN (" + String.join(", ", values) + ")"));
    }

    private Optional<Predicate> between(List<ResolvedExpression> arguments) {
        Optional<Predicate> lower =
                compare(arguments.get(0), Comparison.GREATER_OR_EQUAL, arguments.get(1));
        Optional<Predicate> upper =
                compare(arguments.get(0), Comparison.LESS_OR_EQUAL, arguments.get(2));
        if (lower.isEmpty() || upper.isEmpty()) {
            return Optional.empty();
        }
        // The upper bound drops NaN, whatever the lower one makes of it.
        return Optional.of(
                new Predicate(
                        "(" + lower.get().sql() + ") AND (" + upper.get().sql() + ")",
                        upper.get().isExact()));
    }

    private Optional<Predicate> notBetween(List<ResolvedExpression> arguments) {
        Optional<Predicate> below = compare(arguments.get(0), Comparison.LESS, arguments.get(1));
        Optional<Predicate> above = compare(arguments.get(0), Comparison.GREATER, arguments.get(2));
        if (below.isEmpty() || above.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new Predicate(
                        "(" + below.get().sql() + ") OR (" + above.get().sql() + ")",
                        below.get().isExact() && above.get().isExact()));
    }

    /**
     * Exact where the pattern has no wildcard but {@code %} and no backslash, which Doris takes for
     * an escape and Flink does not. Otherwise the literal start of the pattern is a hint.
     */
    private Optional<Predicate> like(List<ResolvedExpression> arguments) {
        Optional<FilterOperand> text = FilterOperand.of(arguments.get(0), declared);
        Optional<String> pattern = literalText(arguments.get(1));
        if (text.isEmpty()
                || text.get().isLiteral()
                || text.get().kind() != FilterOperand.Kind.TEXT
                || pattern.isEmpty()) {
            return Optional.empty();
        }
        boolean plain =
                arguments.size() == 2
                        && pattern.get().indexOf('_') < 0
                        && pattern.get().indexOf('\\') < 0;
        if (plain) {
            return SqlLiterals.text(pattern.get())
                    .map(quoted -> Predicate.exact(text.get().sql() + " LIKE " + quoted));
        }
        Optional<String> escape =
                arguments.size() == 2 ? Optional.of("") : literalText(arguments.get(2));
        return escape.map(character -> literalStart(pattern.get(), character))
                .filter(start -> !start.isEmpty())
                .flatMap(start -> SqlLiterals.text(start + "%"))
                .map(quoted -> new Predicate(text.get().sql() + " LIKE " + quoted, false));
    }

    private static Optional<String> literalText(ResolvedExpression expression) {
        if (!(expression instanceof ValueLiteralExpression)) {
            return Optional.empty();
        }
        LogicalType type = expression.getOutputDataType().getLogicalType();
        return type.is(LogicalTypeRoot.CHAR) || type.is(LogicalTypeRoot.VARCHAR)
                ? ((ValueLiteralExpression) expression).getValueAs(String.class)
                : Optional.empty();
    }

    private static String literalStart(String pattern, String escape) {
        int end = 0;
        while (end < pattern.length()
                && "%_\\".indexOf(pattern.charAt(end)) < 0
                && escape.indexOf(pattern.charAt(end)) < 0) {
            end++;
        }
        if (end > 0
                && end < pattern.length()
                && Character.isHighSurrogate(pattern.charAt(end - 1))) {
            end--;
        }
        return pattern.substring(0, end);
    }

    /** A predicate in Doris' dialect. */
    static final class Predicate {

        private final String sql;
        private final boolean exact;

        private Predicate(String sql, boolean exact) {
            this.sql = sql;
            this.exact = exact;
        }

        private static Predicate exact(String sql) {
            return new Predicate(sql, true);
        }

        private Predicate negated() {
            return exact("NOT (" + sql + ")");
        }

        /** The text; to be put into parentheses when joined with others. */
        String sql() {
            return sql;
        }

        /** Whether Doris keeps exactly Flink's rows; else it may keep more. */
        boolean isExact() {
            return exact;
        }
    }

    private enum Comparison {
        EQUAL("="),
        NOT_EQUAL("<>"),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">=");

        private final String sql;

        Comparison(String sql) {
            this.sql = sql;
        }

        private Comparison mirrored() {
            switch (this) {
                case LESS:
                    return GREATER;
                case LESS_OR_EQUAL:
                    return GREATER_OR_EQUAL;
                case GREATER:
                    return LESS;
                case GREATER_OR_EQUAL:
                    return LESS_OR_EQUAL;
                default:
                    return this;
            }
        }
    }
}
