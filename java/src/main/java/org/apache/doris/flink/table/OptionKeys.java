package org.apache.doris.flink.table;

import org.apache.doris.flink.config.InvalidOption;
import org.apache.doris.flink.config.OptionValues;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.util.TimeUtils;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * From the keys of a {@code WITH} clause to today's options: unknown keys are errors that name the
 * nearest known one, former names are taken over with a warning, two spellings must agree.
 */
final class OptionKeys {

    private static final Set<String> FLINKS_OWN = flinksOwn();

    private OptionKeys() {}

    /**
     * Resolves the keys of a table.
     *
     * @throws ValidationException for unknown keys, names that are gone, contradicting spellings
     */
    static OptionValues resolve(Map<String, String> given) {
        checkKnown(given);
        Map<String, String> values = new HashMap<>();
        Map<String, String> writtenAs = new HashMap<>();
        given.forEach(
                (key, value) -> {
                    if (!DorisConfigOptions.FORMER_NAMES.containsKey(key)) {
                        values.put(key, value);
                    }
                });
        OptionValues current = OptionValues.of(given);
        for (Map.Entry<String, DorisConfigOptions.Former> former :
                DorisConfigOptions.FORMER_NAMES.entrySet()) {
            String value = given.get(former.getKey());
            if (value == null) {
                continue;
            }
            ConfigOption<?> today = former.getValue().today;
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
        return resolved;
    }

    /** One warning for all of them. */
    private static void warnOfFormer(Set<String> given, OptionValues resolved) {
        String renamed =
                DorisConfigOptions.FORMER_NAMES.entrySet().stream()
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

    private static void checkKnown(Map<String, String> given) {
        for (String key : given.keySet()) {
            String replacement = DorisConfigOptions.REMOVED_NAMES.get(key);
            if (replacement != null) {
                throw new ValidationException(
                        String.format(
                                "Option '%s' does not exist any more: use %s instead.",
                                key, replacement));
            }
        }
        Collection<String> known = new LinkedHashSet<>(DorisConfigOptions.allKeys());
        StringBuilder hints = new StringBuilder();
        Set<String> consumed = new HashSet<>(FLINKS_OWN);
        for (String key : new TreeMap<>(given).keySet()) {
            if (known.contains(key)
                    || FLINKS_OWN.contains(key)
                    || key.startsWith(DorisConfigOptions.SINK_PROPERTIES_PREFIX)
                            && key.length() > DorisConfigOptions.SINK_PROPERTIES_PREFIX.length()) {
                consumed.add(key);
            } else {
                hints.append(
                        String.format(
                                "Unknown option '%s'. The nearest known option is '%s'.\n",
                                key, nearest(key, known)));
            }
        }
        if (hints.length() == 0) {
            return;
        }
        consumed.addAll(known);
        try {
            FactoryUtil.validateUnconsumedKeys(
                    DorisConfigOptions.IDENTIFIER,
                    given.keySet(),
                    consumed,
                    DorisConfigOptions.FORMER_NAMES.keySet());
        } catch (ValidationException e) {
            throw new ValidationException(hints + "\n" + e.getMessage());
        }
        throw new ValidationException(hints.toString().trim());
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
            String former, String value, String translated, ConfigOption<?> today, String todays) {
        String one = translated.trim().toLowerCase(Locale.ROOT).replace('_', '-');
        String two = todays.trim().toLowerCase(Locale.ROOT).replace('_', '-');
        boolean equal = one.equals(two) || sameDuration(today, one, two);
        if (!equal) {
            throw new ValidationException(
                    String.format(
                            "Options '%s' = '%s' and '%s' = '%s' are two names of one option with"
                                    + " different values. Remove '%s', the former name.",
                            former, value, today.key(), todays, former));
        }
    }

    private static boolean sameDuration(ConfigOption<?> option, String one, String two) {
        if (!(option.defaultValue() instanceof Duration)) {
            return false;
        }
        try {
            return TimeUtils.parseDuration(one).equals(TimeUtils.parseDuration(two));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    static String nearest(String key, Collection<String> known) {
        String lower = key.toLowerCase(Locale.ROOT).replace('_', '-');
        return known.stream()
                .min(Comparator.comparingInt(candidate -> distance(lower, candidate)))
                .orElse("");
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
