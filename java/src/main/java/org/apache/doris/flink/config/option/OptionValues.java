package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.TimeUtils;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The values a user gave, read with the rules that hold for every option: trimmed, enumerations
 * without regard to case and with {@code -} equal to {@code _}, durations without a unit in
 * milliseconds, sizes without a unit in bytes, lists by comma. A value that cannot be read or lies
 * out of range is an error in the words of {@link InvalidOption}.
 *
 * <p>Not thread-safe; used while a table is planned.
 */
@Internal
public final class OptionValues {

    private static final List<String> DURATIONS = List.of("10s", "5 min", "500ms");

    private final Map<String, String> values;
    private final Map<String, String> writtenAs;
    private final List<String> warnings = new ArrayList<>();

    /**
     * @param values value by today's key, as given
     * @param writtenAs former key by today's key, where the user wrote a former one
     */
    public OptionValues(Map<String, String> values, Map<String, String> writtenAs) {
        this.values = new HashMap<>(values);
        this.writtenAs = new HashMap<>(writtenAs);
    }

    /** Values whose keys are all today's. */
    public static OptionValues of(Map<String, String> values) {
        return new OptionValues(values, Collections.emptyMap());
    }

    /** Whether the user gave the option at all. */
    public boolean has(ConfigOption<?> option) {
        return values.containsKey(option.key());
    }

    /** The value exactly as given; the only reading fit for names and passwords. */
    public Optional<String> exact(ConfigOption<String> option) {
        return Optional.ofNullable(values.get(option.key()));
    }

    /** The trimmed value; absent, blank and no default are all empty. */
    public Optional<String> text(ConfigOption<String> option) {
        String value = values.get(option.key());
        if (value == null) {
            value = option.hasDefaultValue() ? option.defaultValue() : "";
        }
        value = value.trim();
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /** A Boolean; anything but true and false is an error. */
    public boolean bool(ConfigOption<Boolean> option) {
        String value = values.get(option.key());
        if (value == null) {
            return option.defaultValue();
        }
        switch (value.trim().toLowerCase(Locale.ROOT)) {
            case "true":
                return true;
            case "false":
                return false;
            default:
                throw invalid(option, "allowed are 'true' and 'false'", "");
        }
    }

    /** An int within the bounds; absent gives the option's default. */
    public int integer(ConfigOption<Integer> option, int min, int max) {
        if (!has(option)) {
            return option.defaultValue();
        }
        return (int) number(option, min, max);
    }

    /** A long within the bounds; absent gives the option's default. */
    public long longInteger(ConfigOption<Long> option, long min, long max) {
        if (!has(option)) {
            return option.defaultValue();
        }
        return number(option, min, max);
    }

    /** A duration of at least {@code min}; absent gives the option's default, which may be null. */
    public Duration duration(ConfigOption<Duration> option, Duration min) {
        if (!has(option)) {
            return option.defaultValue();
        }
        String allowed =
                String.format(
                        "allowed is a duration of %s or more, such as %s (a bare number means"
                                + " milliseconds)",
                        TimeUtils.formatWithHighestUnit(min).replace(" ", ""), durations(min));
        Duration duration;
        try {
            duration = TimeUtils.parseDuration(values.get(option.key()).trim());
            duration.toMillis();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(option, allowed, "");
        }
        if (duration.compareTo(min) < 0) {
            throw invalid(option, allowed, "");
        }
        return duration;
    }

    /** A memory size in bytes of at least {@code min}; absent gives the option's default. */
    public long bytes(ConfigOption<MemorySize> option, MemorySize min) {
        if (!has(option)) {
            return option.defaultValue().getBytes();
        }
        String allowed =
                String.format(
                        "allowed is a size of %s or more, such as '64mb' (a bare number means"
                                + " bytes)",
                        min.toHumanReadableString());
        long bytes;
        try {
            bytes = MemorySize.parse(values.get(option.key()).trim()).getBytes();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(option, allowed, "");
        }
        if (bytes < min.getBytes()) {
            throw invalid(option, allowed, "");
        }
        return bytes;
    }

    /** The element of {@code allowed} that the value names; absent gives the option's default. */
    public String oneOf(ConfigOption<String> option, Collection<String> allowed) {
        String value = values.getOrDefault(option.key(), option.defaultValue());
        String plain = plain(value);
        return allowed.stream()
                .filter(candidate -> plain(candidate).equals(plain))
                .findFirst()
                .orElseThrow(
                        () ->
                                invalid(
                                        option,
                                        "allowed are '" + String.join("', '", allowed) + "'",
                                        ""));
    }

    /** Comma separated elements, trimmed; blank gives none; an empty element is an error. */
    public List<String> list(ConfigOption<String> option) {
        Optional<String> text = text(option);
        if (text.isEmpty()) {
            return Collections.emptyList();
        }
        List<String> elements = new ArrayList<>();
        for (String element : text.get().split(",", -1)) {
            if (element.trim().isEmpty()) {
                throw invalid(
                        option,
                        "an element of the comma separated list is empty",
                        "Remove the surplus comma.");
            }
            elements.add(element.trim());
        }
        return elements;
    }

    /**
     * Options that share a prefix, by the rest of their keys.
     *
     * @param normal applied to the rest of a key
     */
    public Map<String, String> withPrefix(String prefix, UnaryOperator<String> normal) {
        Map<String, String> found = new TreeMap<>();
        values.forEach(
                (key, value) -> {
                    if (key.startsWith(prefix)) {
                        found.put(normal.apply(key.substring(prefix.length())), value);
                    }
                });
        return found;
    }

    /** An error about this option's value. */
    public RuntimeException invalid(ConfigOption<?> option, String allowed, String remedy) {
        String value = values.get(option.key());
        if (value == null) {
            value = option.hasDefaultValue() ? String.valueOf(option.defaultValue()) : "";
        }
        return InvalidOption.of(name(option), value, allowed, remedy);
    }

    /** The key as the user wrote it. */
    public String name(ConfigOption<?> option) {
        return writtenAs.getOrDefault(option.key(), option.key());
    }

    /** Remembers something the user should know; logged once when a job is made of the table. */
    public void warn(String warning) {
        warnings.add(warning);
    }

    /** What {@link #warn} was told, in order. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Examples for a message, none of which would be refused itself. */
    private static String durations(Duration min) {
        return DURATIONS.stream()
                .filter(text -> TimeUtils.parseDuration(text).compareTo(min) >= 0)
                .map(text -> "'" + text + "'")
                .collect(Collectors.joining(", "));
    }

    private long number(ConfigOption<?> option, long min, long max) {
        String allowed =
                max == Long.MAX_VALUE || max == Integer.MAX_VALUE
                        ? "allowed is a whole number of " + min + " or more"
                        : "allowed is a whole number from " + min + " to " + max;
        BigInteger number;
        try {
            number = new BigInteger(values.get(option.key()).trim());
        } catch (NumberFormatException e) {
            throw invalid(option, allowed, "");
        }
        if (number.compareTo(BigInteger.valueOf(min)) < 0
                || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw invalid(option, allowed, "");
        }
        return number.longValueExact();
    }

    private static String plain(String value) {
        return value.trim().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
