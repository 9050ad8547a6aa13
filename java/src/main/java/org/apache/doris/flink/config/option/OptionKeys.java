package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.factories.FactoryUtil;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * From the keys of a {@code WITH} clause to today's options: unknown keys are errors that name what
 * may be meant or what replaces them, former names are taken over with a warning, two spellings
 * must agree.
 */
@Internal
public final class OptionKeys {

    private static final Set<String> FLINKS_OWN = flinksOwn();

    private OptionKeys() {}

    /**
     * Resolves the keys of a table.
     *
     * @param writes whether the table is written to; one that is read may hold keys that are about
     *     writing alone
     * @throws ValidationException for unknown keys, names that are gone, contradicting spellings
     */
    public static OptionValues resolve(Map<String, String> given, boolean writes) {
        checkKnown(given, writes);
        Map<String, String> values = new HashMap<>();
        Map<String, String> writtenAs = new HashMap<>();
        given.forEach(
                (key, value) -> {
                    if (!DorisConfigOptions.formerNames().containsKey(key)
                            && !ForeignKeys.known().containsKey(key)) {
                        values.put(key, value);
                    }
                });
        OptionValues current = OptionValues.of(given);
        for (Map.Entry<String, DorisConfigOptions.Former> former :
                DorisConfigOptions.formerNames().entrySet()) {
            String value = given.get(former.getKey());
            if (value == null) {
                continue;
            }
            DorisOption<?> today = former.getValue().today;
            String translated = withUnit(former.getKey(), value, former.getValue().unit);
            if (current.has(today)) {
                checkEqual(former.getKey(), value, translated, today, given.get(today.key()));
            } else {
                values.put(today.key(), translated);
                writtenAs.put(today.key(), former.getKey());
            }
        }
        OptionValues resolved = new OptionValues(values, writtenAs);
        warnOfFormer(given.keySet(), resolved);
        // Keys that are refused did not get here.
        ForeignKeys.known()
                .forEach(
                        (key, foreign) -> {
                            if (given.containsKey(key)) {
                                resolved.warn(
                                        String.format(
                                                "Option '%s', one %s, has no effect on reading.",
                                                key, foreign.origin()));
                            }
                        });
        return resolved;
    }

    /** One warning for all of them. */
    private static void warnOfFormer(Set<String> given, OptionValues resolved) {
        String renamed =
                DorisConfigOptions.formerNames().entrySet().stream()
                        .filter(former -> given.contains(former.getKey()))
                        .map(
                                former ->
                                        String.format(
                                                "write '%s' instead of '%s'",
                                                former.getValue().today.key(), former.getKey()))
                        .collect(Collectors.joining(", "));
        if (!renamed.isEmpty()) {
            resolved.warn("Former names of options are used: " + renamed + ".");
        }
    }

    /**
     * All keys that cannot be used, in one error: what replaces each, or which one may be meant.
     */
    private static void checkKnown(Map<String, String> given, boolean writes) {
        Collection<String> known = new LinkedHashSet<>(DorisConfigOptions.allKeys());
        StringBuilder hints = new StringBuilder();
        boolean unknown = false;
        Set<String> consumed = new HashSet<>(FLINKS_OWN);
        for (String key : new TreeMap<>(given).keySet()) {
            ForeignKeys.Foreign foreign = ForeignKeys.known().get(key);
            if (isKnown(key, known) || isIgnored(foreign, writes)) {
                consumed.add(key);
            } else if (foreign != null) {
                consumed.add(key);
                hints.append(
                        String.format(
                                "Option '%s' is one %s: %s.\n",
                                key, foreign.origin(), foreign.instead()));
            } else {
                unknown = true;
                hints.append(
                        String.format(
                                "Unknown option '%s'.%s\n",
                                key,
                                nearest(key, known)
                                        .map(near -> " The nearest known option is '" + near + "'.")
                                        .orElse("")));
            }
        }
        if (hints.length() == 0) {
            return;
        }
        if (!unknown) {
            throw new ValidationException(hints.toString().trim());
        }
        consumed.addAll(known);
        try {
            FactoryUtil.validateUnconsumedKeys(
                    DorisConfigOptions.IDENTIFIER,
                    given.keySet(),
                    consumed,
                    DorisConfigOptions.formerNames().keySet());
        } catch (ValidationException e) {
            throw new ValidationException(hints + "\n" + e.getMessage());
        }
        throw new ValidationException(hints.toString().trim());
    }

    private static boolean isKnown(String key, Collection<String> known) {
        return known.contains(key)
                || FLINKS_OWN.contains(key)
                || key.startsWith(SinkOptions.PROPERTIES_PREFIX)
                        && key.length() > SinkOptions.PROPERTIES_PREFIX.length();
    }

    /** What is about writing has no effect on a table that is read. */
    private static boolean isIgnored(ForeignKeys.Foreign foreign, boolean writes) {
        return foreign != null && foreign.writing() && !writes;
    }

    private static String withUnit(String key, String value, String unit) {
        if (unit.isEmpty()) {
            return value;
        }
        if (!value.trim().matches("[0-9]{1,18}")) {
            throw InvalidOption.of(
                    key,
                    value,
                    "allowed is a whole number of "
                            + (unit.equals("s") ? "seconds" : "milliseconds"),
                    "Better write today's option, which takes a unit.");
        }
        return value.trim() + " " + unit;
    }

    private static void checkEqual(
            String former, String value, String translated, DorisOption<?> today, String todays) {
        boolean equal =
                DorisOption.plain(translated).equals(DorisOption.plain(todays))
                        || today.areEqual(translated, todays);
        if (!equal) {
            throw new ValidationException(
                    String.format(
                            "Options '%s' = '%s' and '%s' = '%s' are two names of one option with"
                                    + " different values. Remove '%s', the former name.",
                            former, value, today.key(), todays, former));
        }
    }

    /** The known key that may be meant; none where all differ in more than a third. */
    public static Optional<String> nearest(String key, Collection<String> known) {
        String lower = key.toLowerCase(Locale.ROOT).replace('_', '-');
        int farthest = Math.max(1, (lower.length() + 2) / 3);
        return known.stream()
                .min(Comparator.comparingInt(candidate -> distance(lower, candidate)))
                .filter(candidate -> distance(lower, candidate) <= farthest);
    }

    /** Least number of characters to insert, delete or replace. */
    private static int distance(String one, String two) {
        int[] previous = new int[two.length() + 1];
        for (int j = 0; j <= two.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] row = new int[two.length() + 1];
            row[0] = i;
            for (int j = 1; j <= two.length(); j++) {
                int replace = previous[j - 1] + (one.charAt(i - 1) == two.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replace, Math.min(previous[j], row[j - 1]) + 1);
            }
            previous = row;
        }
        return previous[two.length()];
    }

    /** Keys that Flink itself reads from a table's options. */
    private static Set<String> flinksOwn() {
        return Set.of(
                FactoryUtil.CONNECTOR.key(),
                FactoryUtil.PROPERTY_VERSION.key(),
                FactoryUtil.WATERMARK_EMIT_STRATEGY.key(),
                FactoryUtil.WATERMARK_ALIGNMENT_GROUP.key(),
                FactoryUtil.WATERMARK_ALIGNMENT_MAX_DRIFT.key(),
                FactoryUtil.WATERMARK_ALIGNMENT_UPDATE_INTERVAL.key(),
                FactoryUtil.SOURCE_IDLE_TIMEOUT.key());
    }
}
