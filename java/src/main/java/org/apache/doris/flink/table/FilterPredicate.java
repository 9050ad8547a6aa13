package org.apache.doris.flink.table;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A predicate in Doris' dialect. Junctions are kept flat and equalities on one operand folded into
 * IN lists, since the planner spells out IN as a deeply nested OR, which parsers limit.
 */
final class FilterPredicate {

    private enum Shape {
        PLAIN,
        AND,
        OR,
        /** {@code operand IN (values)}. */
        IN,
        /** {@code operand NOT IN (values)}. */
        NOT_IN
    }

    private static final String ZERO = "0";

    private final Shape shape;
    private final boolean exact;
    private final String operand;
    private final boolean floating;
    private final Collection<String> texts;
    private final List<FilterPredicate> parts;

    private FilterPredicate(
            Shape shape,
            boolean exact,
            String operand,
            boolean floating,
            Collection<String> texts,
            List<FilterPredicate> parts) {
        this.shape = shape;
        this.exact = exact;
        this.operand = operand;
        this.floating = floating;
        this.texts = texts;
        this.parts = parts;
    }

    /** A predicate that keeps exactly Flink's rows. */
    static FilterPredicate exact(String sql) {
        return new FilterPredicate(Shape.PLAIN, true, "", false, List.of(sql), List.of());
    }

    /** A predicate that may keep more rows than Flink does. */
    static FilterPredicate hint(String sql) {
        return new FilterPredicate(Shape.PLAIN, false, "", false, List.of(sql), List.of());
    }

    /**
     * {@code operand IN (literals)}; the literals are never NULL.
     *
     * @param floating whether the operand is a FLOAT or DOUBLE. Flink looks those up in a list by
     *     their bits, so that {@code -0.0} is not in a list with 0 in it, but compares one by
     *     value. In Doris both zeros are one value, so such a list is a hint.
     */
    static FilterPredicate in(String operand, boolean floating, Collection<String> literals) {
        return list(Shape.IN, operand, floating, literals);
    }

    /**
     * {@code operand NOT IN (literals)}; the literals are never NULL.
     *
     * @param floating whether the operand is a FLOAT or DOUBLE; a hint then, so that Flink sees the
     *     whole list: what {@code -0.0} is depends on all of it. No literal may be 0 then, since
     *     Doris would drop a row that Flink keeps.
     */
    static FilterPredicate notIn(String operand, boolean floating, Collection<String> literals) {
        return list(Shape.NOT_IN, operand, floating, literals);
    }

    /** All of them; at least one. */
    static FilterPredicate and(List<FilterPredicate> parts) {
        return junction(Shape.AND, Shape.NOT_IN, parts);
    }

    /** Any of them; at least one. */
    static FilterPredicate or(List<FilterPredicate> parts) {
        return junction(Shape.OR, Shape.IN, parts);
    }

    /** The opposite of an exact predicate; NULL stays NULL. */
    FilterPredicate not() {
        return exact("NOT (" + sql() + ")");
    }

    /** Whether Doris keeps exactly Flink's rows; else it may keep more. */
    boolean isExact() {
        return exact;
    }

    /** The text; to be put into parentheses when joined with others. */
    String sql() {
        switch (shape) {
            case IN:
                return list("=", "IN");
            case NOT_IN:
                return list("<>", "NOT IN");
            case AND:
                return join(" AND ");
            case OR:
                return join(" OR ");
            default:
                return texts.iterator().next();
        }
    }

    @Override
    public String toString() {
        return sql() + (exact ? "" : " (hint)");
    }

    private String list(String one, String many) {
        return texts.size() == 1
                ? operand + " " + one + " " + texts.iterator().next()
                : operand + " " + many + " (" + String.join(", ", texts) + ")";
    }

    private String join(String word) {
        return parts.stream().map(part -> "(" + part.sql() + ")").collect(Collectors.joining(word));
    }

    private static FilterPredicate list(
            Shape shape, String operand, boolean floating, Collection<String> literals) {
        Set<String> distinct = new LinkedHashSet<>(literals);
        boolean zeroInList = shape == Shape.IN && distinct.size() > 1 && distinct.contains(ZERO);
        boolean exact = !floating || shape == Shape.IN && !zeroInList;
        return new FilterPredicate(shape, exact, operand, floating, distinct, List.of());
    }

    private static FilterPredicate junction(
            Shape shape, Shape listShape, List<FilterPredicate> parts) {
        Map<String, FilterPredicate> lists = new LinkedHashMap<>();
        List<FilterPredicate> others = new ArrayList<>();
        // In the order of their first parts.
        List<String> order = new ArrayList<>();
        for (FilterPredicate part : parts) {
            for (FilterPredicate flat : part.shape == shape ? part.parts : List.of(part)) {
                if (flat.shape != listShape) {
                    others.add(flat);
                    order.add(null);
                } else if (lists.putIfAbsent(flat.operand, flat) == null) {
                    order.add(flat.operand);
                } else {
                    lists.computeIfPresent(flat.operand, (operand, list) -> list.with(flat));
                }
            }
        }
        Iterator<FilterPredicate> other = others.iterator();
        List<FilterPredicate> folded = new ArrayList<>();
        for (String operand : order) {
            folded.add(operand == null ? other.next() : lists.get(operand));
        }
        boolean exact =
                folded.stream()
                        .allMatch(
                                part ->
                                        part.exact
                                                && !(shape == Shape.OR && part.holdsFloatZero()));
        return folded.size() == 1
                ? folded.get(0)
                : new FilterPredicate(shape, exact, "", false, List.of(), folded);
    }

    /** Beside {@code IS NULL} of its operand it may be part of a list even alone. */
    private boolean holdsFloatZero() {
        return shape == Shape.IN && floating && texts.contains(ZERO);
    }

    private FilterPredicate with(FilterPredicate more) {
        Set<String> all = new LinkedHashSet<>(texts);
        all.addAll(more.texts);
        return list(shape, operand, floating, all);
    }
}
