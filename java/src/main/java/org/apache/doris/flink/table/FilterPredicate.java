package org.apache.doris.flink.table;

import java.util.ArrayList;
import java.util.Collection;
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

    private final Shape shape;
    private final boolean exact;
    private final String operand;
    private final Collection<String> texts;
    private final List<FilterPredicate> parts;

    private FilterPredicate(
            Shape shape,
            boolean exact,
            String operand,
            Collection<String> texts,
            List<FilterPredicate> parts) {
        this.shape = shape;
        this.exact = exact;
        this.operand = operand;
        this.texts = texts;
        this.parts = parts;
    }

    /** A predicate that keeps exactly Flink's rows. */
    static FilterPredicate exact(String sql) {
        return new FilterPredicate(Shape.PLAIN, true, "", List.of(sql), List.of());
    }

    /** A predicate that may keep more rows than Flink does. */
    static FilterPredicate hint(String sql) {
        return new FilterPredicate(Shape.PLAIN, false, "", List.of(sql), List.of());
    }

    /** {@code operand IN (literals)}; the literals are never NULL. */
    static FilterPredicate in(String operand, Collection<String> literals) {
        return new FilterPredicate(
                Shape.IN, true, operand, new LinkedHashSet<>(literals), List.of());
    }

    /** {@code operand NOT IN (literals)}; the literals are never NULL. */
    static FilterPredicate notIn(String operand, Collection<String> literals) {
        return new FilterPredicate(
                Shape.NOT_IN, true, operand, new LinkedHashSet<>(literals), List.of());
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

    private static FilterPredicate junction(
            Shape shape, Shape listShape, List<FilterPredicate> parts) {
        Map<String, Set<String>> lists = new LinkedHashMap<>();
        List<FilterPredicate> flat = new ArrayList<>();
        for (FilterPredicate part : parts) {
            flat.addAll(part.shape == shape ? part.parts : List.of(part));
        }
        List<FilterPredicate> folded = new ArrayList<>();
        boolean exact = true;
        for (FilterPredicate part : flat) {
            exact &= part.exact;
            if (part.shape != listShape) {
                folded.add(part);
            } else if (lists.containsKey(part.operand)) {
                lists.get(part.operand).addAll(part.texts);
            } else {
                Set<String> literals = new LinkedHashSet<>(part.texts);
                lists.put(part.operand, literals);
                folded.add(new FilterPredicate(listShape, true, part.operand, literals, List.of()));
            }
        }
        return folded.size() == 1
                ? folded.get(0)
                : new FilterPredicate(shape, exact, "", List.of(), folded);
    }
}
