package org.apache.doris.flink.config.option;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.TimeUtils;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How a text becomes a value of one type, how the value is sent on, and what bounds it may have.
 */
final class ValueType<T> {

    static final ValueType<String> TEXT =
            new ValueType<>(
                    "String",
                    String::trim,
                    text -> text,
                    (key, value) -> ofDefault(key.stringType(), value));

    /** Text whose blanks count. */
    static final ValueType<String> EXACT =
            new ValueType<>("String", text -> text, text -> text, TEXT.descriptor);

    static final ValueType<String> WORD =
            new ValueType<>("Enum", text -> text, text -> text, TEXT.descriptor);

    static final ValueType<List<String>> LIST =
            new ValueType<>(
                    "String list",
                    ValueType::elements,
                    elements -> String.join(",", elements),
                    (key, value) ->
                            ofDefault(
                                    key.stringType(),
                                    value == null ? null : String.join(",", value)));

    static final ValueType<Boolean> BOOLEAN =
            new ValueType<>(
                    "Boolean",
                    ValueType::flag,
                    String::valueOf,
                    (key, value) -> ofDefault(key.booleanType(), value));

    static final ValueType<Integer> INTEGER =
            new ValueType<>(
                    "Integer",
                    text -> Integer.valueOf(text.trim()),
                    String::valueOf,
                    (key, value) -> ofDefault(key.intType(), value));

    static final ValueType<Long> LONG =
            new ValueType<>(
                    "Long",
                    text -> Long.valueOf(text.trim()),
                    String::valueOf,
                    (key, value) -> ofDefault(key.longType(), value));

    static final ValueType<Duration> DURATION =
            new ValueType<>(
                    "Duration",
                    ValueType::duration,
                    duration -> String.valueOf(duration.toMillis()),
                    (key, value) -> ofDefault(key.durationType(), value));

    static final ValueType<MemorySize> SIZE =
            new ValueType<>(
                    "MemorySize",
                    text -> MemorySize.parse(text.trim()),
                    size -> String.valueOf(size.getBytes()),
                    (key, value) -> ofDefault(key.memoryType(), value));

    private static final List<String> DURATIONS = List.of("10s", "5 min", "500ms");

    private final String name;
    private final Function<String, T> parser;
    private final Function<T, String> sender;
    private final BiFunction<ConfigOptions.OptionBuilder, T, ConfigOption<?>> descriptor;

    private ValueType(
            String name,
            Function<String, T> parser,
            Function<T, String> sender,
            BiFunction<ConfigOptions.OptionBuilder, T, ConfigOption<?>> descriptor) {
        this.name = name;
        this.parser = parser;
        this.sender = sender;
        this.descriptor = descriptor;
    }

    /** As users know it. */
    String typeName() {
        return name;
    }

    /**
     * The value of a text.
     *
     * @throws IllegalArgumentException for a text that is none
     * @throws ArithmeticException for a value that is too large
     */
    T parse(String text) {
        return parser.apply(text);
    }

    /** The value as the native core takes it: milliseconds, bytes, elements without blanks. */
    String sent(T value) {
        return sender.apply(value);
    }

    /** Flink's descriptor. */
    ConfigOption<?> descriptor(String key, T value) {
        return descriptor.apply(ConfigOptions.key(key), value);
    }

    /** What an error allows instead of a text that is no value, or of one below the minimum. */
    static String allowed(Object min, Object max) {
        if (min instanceof Duration) {
            return String.format(
                    "allowed is a duration of %s or more, such as %s (a bare number means"
                            + " milliseconds)",
                    shown(min), examples((Duration) min));
        }
        if (min instanceof MemorySize) {
            return String.format(
                    "allowed is a size of %s or more, such as '64mb' (a bare number means bytes)",
                    ((MemorySize) min).toHumanReadableString());
        }
        return max == null
                ? "allowed is a whole number of " + min + " or more"
                : "allowed is a whole number from " + min + " to " + max;
    }

    /** What an error allows instead of a value above the maximum. */
    static String range(Object min, Object max) {
        return min instanceof MemorySize
                ? "allowed is a size of " + shown(min) + " to " + shown(max)
                : allowed(min, max);
    }

    /** A value as users write it. */
    static String shown(Object value) {
        if (value instanceof Duration) {
            return TimeUtils.formatWithHighestUnit((Duration) value).replace(" ", "");
        }
        String text = value.toString();
        return text.endsWith("bytes") ? text : text.replace(" ", "");
    }

    /** Examples for a message, none of which would be refused itself. */
    private static String examples(Duration min) {
        return DURATIONS.stream()
                .filter(text -> TimeUtils.parseDuration(text).compareTo(min) >= 0)
                .map(text -> "'" + text + "'")
                .collect(Collectors.joining(", "));
    }

    private static <V> ConfigOption<V> ofDefault(
            ConfigOptions.TypedConfigOptionBuilder<V> builder, V value) {
        return value == null ? builder.noDefaultValue() : builder.defaultValue(value);
    }

    private static boolean flag(String text) {
        switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "true":
                return true;
            case "false":
                return false;
            default:
                throw new Refused("allowed are 'true' and 'false'", "");
        }
    }

    private static Duration duration(String text) {
        Duration duration = TimeUtils.parseDuration(text.trim());
        duration.toMillis();
        return duration;
    }

    private static List<String> elements(String text) {
        List<String> elements = new ArrayList<>();
        if (text.isBlank()) {
            return elements;
        }
        for (String element : text.split(",", -1)) {
            if (element.isBlank()) {
                throw new Refused(
                        "an element of the comma separated list is empty",
                        "Remove the surplus comma.");
            }
            elements.add(element.trim());
        }
        return elements;
    }

    /** A value that is refused, with what is allowed and what to do. */
    static final class Refused extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        final String allowed;
        final String remedy;

        Refused(String allowed, String remedy) {
            super(allowed);
            this.allowed = allowed;
            this.remedy = remedy;
        }
    }
}
