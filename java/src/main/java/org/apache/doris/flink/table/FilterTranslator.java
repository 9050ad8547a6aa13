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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a predicate of the planner into Doris' SQL, if Doris then keeps the same rows as Flink for
 * every input, NULL included. What has no exact equal, but a predicate that keeps at least those
 * rows, is translated as a hint; all else is not translated.
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
    Optional<FilterPredicate> translate(Expression expression) {
        if (expression instanceof CallExpression) {
            return call((CallExpression) expression);
        }
        return FilterOperand.of(expression, declared)
                .filter(operand -> operand.kind() == FilterOperand.Kind.BOOLEAN)
                .map(operand -> FilterPredicate.exact(operand.sql()));
    }

    private Optional<FilterPredicate> call(CallExpression call) {
        FunctionDefinition function = call.getFunctionDefinition();
        List<ResolvedExpression> arguments = call.getResolvedChildren();
        Comparison comparison = COMPARISONS.get(function);
        if (comparison != null) {
            return compare(arguments.get(0), comparison, arguments.get(1));
        }
        if (function == BuiltInFunctionDefinitions.AND) {
            return all(call).map(FilterPredicate::and);
        }
        if (function == BuiltInFunctionDefinitions.OR) {
            return all(call).map(FilterPredicate::or);
        }
        if (function == BuiltInFunctionDefinitions.NOT) {
            return exactly(arguments.get(0)).map(sql -> FilterPredicate.exact("NOT (" + sql + ")"));
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
            return exactly(arguments.get(0)).map(sql -> truth(sql, "FALSE").not());
        }
        if (function == BuiltInFunctionDefinitions.IS_FALSE) {
            return exactly(arguments.get(0)).map(sql -> truth(sql, "TRUE").not());
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

    /**
     * All parts of a junction or none: half an OR would lose rows, half an AND is the planner's to
     * split. Nested junctions of one kind are walked without recursion, the planner nests deeply.
     */
    private Optional<List<FilterPredicate>> all(CallExpression junction) {
        List<FilterPredicate> predicates = new ArrayList<>();
        Deque<ResolvedExpression> left = new ArrayDeque<>();
        left.push(junction);
        while (!left.isEmpty()) {
            ResolvedExpression next = left.pop();
            if (isCallOf(next, junction.getFunctionDefinition())) {
                List<ResolvedExpression> parts = next.getResolvedChildren();
                for (int i = parts.size() - 1; i >= 0; i--) {
                    left.push(parts.get(i));
                }
                continue;
            }
            Optional<FilterPredicate> predicate = translate(next);
            if (predicate.isEmpty()) {
                return Optional.empty();
            }
            predicates.add(predicate.get());
        }
        return Optional.of(predicates);
    }

    private static boolean isCallOf(ResolvedExpression expression, FunctionDefinition function) {
        return expression instanceof CallExpression
                && ((CallExpression) expression).getFunctionDefinition() == function;
    }

    private Optional<String> exactly(ResolvedExpression expression) {
        return translate(expression).filter(FilterPredicate::isExact).map(FilterPredicate::sql);
    }

    /** Expresses {@code IS TRUE} and its like by COALESCE. */
    private static FilterPredicate truth(String sql, String ifNull) {
        return FilterPredicate.exact("COALESCE(" + sql + ", " + ifNull + ")");
    }

    private Optional<FilterPredicate> nullTest(ResolvedExpression argument, String test) {
        if (argument instanceof FieldReferenceExpression) {
            return FilterOperand.columnName((FieldReferenceExpression) argument, declared)
                    .map(column -> FilterPredicate.exact(column + " " + test));
        }
        return FilterOperand.of(argument, declared)
                .map(operand -> FilterPredicate.exact(operand.sql() + " " + test));
    }

    private Optional<FilterPredicate> compare(
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

    private static Optional<FilterPredicate> compare(
            FilterOperand left, Comparison comparison, FilterOperand right) {
        if (!left.isComparableTo(right)) {
            return Optional.empty();
        }
        boolean floating = left.kind() == FilterOperand.Kind.FLOAT;
        if (floating && !right.isLiteral()) {
            return Optional.empty();
        }
        if (right.isLiteral() && comparison == Comparison.EQUAL) {
            return Optional.of(FilterPredicate.in(left.sql(), floating, List.of(right.sql())));
        }
        if (right.isLiteral() && comparison == Comparison.NOT_EQUAL) {
            // Beside other values it may be part of a list, and -0.0 is in no list of Flink's.
            return floating && right.isZero()
                    ? Optional.empty()
                    : Optional.of(
                            FilterPredicate.notIn(left.sql(), floating, List.of(right.sql())));
        }
        String sql = left.sql() + " " + comparison.sql + " " + right.sql();
        // NaN is above all numbers in Doris, while in Flink no order holds for it.
        boolean mayKeepNan =
                floating
                        && (comparison == Comparison.GREATER
                                || comparison == Comparison.GREATER_OR_EQUAL);
        return Optional.of(mayKeepNan ? FilterPredicate.hint(sql) : FilterPredicate.exact(sql));
    }

    private Optional<FilterPredicate> in(List<ResolvedExpression> arguments) {
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
                        FilterPredicate.in(
                                tested.get().sql(),
                                tested.get().kind() == FilterOperand.Kind.FLOAT,
                                values));
    }

    private Optional<FilterPredicate> between(List<ResolvedExpression> arguments) {
        Optional<FilterPredicate> lower =
                compare(arguments.get(0), Comparison.GREATER_OR_EQUAL, arguments.get(1));
        Optional<FilterPredicate> upper =
                compare(arguments.get(0), Comparison.LESS_OR_EQUAL, arguments.get(2));
        if (lower.isEmpty() || upper.isEmpty()) {
            return Optional.empty();
        }
        // The upper bound drops NaN, whatever the lower one makes of it.
        String sql = "(" + lower.get().sql() + ") AND (" + upper.get().sql() + ")";
        return Optional.of(FilterPredicate.exact(sql));
    }

    private Optional<FilterPredicate> notBetween(List<ResolvedExpression> arguments) {
        Optional<FilterPredicate> below =
                compare(arguments.get(0), Comparison.LESS, arguments.get(1));
        Optional<FilterPredicate> above =
                compare(arguments.get(0), Comparison.GREATER, arguments.get(2));
        if (below.isEmpty() || above.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(FilterPredicate.or(List.of(below.get(), above.get())));
    }

    /**
     * Exact where the pattern has no wildcard but {@code %} and no backslash, which Doris takes for
     * an escape and Flink does not. Otherwise the literal start of the pattern is a hint.
     */
    private Optional<FilterPredicate> like(List<ResolvedExpression> arguments) {
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
                    .map(quoted -> FilterPredicate.exact(text.get().sql() + " LIKE " + quoted));
        }
        Optional<String> escape =
                arguments.size() == 2 ? Optional.of("") : literalText(arguments.get(2));
        return escape.map(character -> literalStart(pattern.get(), character))
                .filter(start -> !start.isEmpty())
                .flatMap(start -> SqlLiterals.text(start + "%"))
                .map(quoted -> FilterPredicate.hint(text.get().sql() + " LIKE " + quoted));
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
