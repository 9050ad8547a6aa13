package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One option of the connector, with everything about it: key, type, default, bounds or allowed
 * words, former names, keys that it replaces, whether it is sent to the native core, and its text
 * in the documentation.
 */
@Internal
public final class DorisOption<T> {

    /** What becomes of a value today. */
    public enum Status {
        /** The option has the documented effect. */
        WORKS("yes"),
        /** Accepted for compatibility; by design the value changes nothing. */
        NO_EFFECT("accepted, no effect"),
        /** Belongs to a feature that is not built yet. */
        LATER("not yet");

        private final String label;

        Status(String label) {
            this.label = label;
        }

        /** The text shown in the documentation. */
        public String label() {
            return label;
        }
    }

    private final String key;
    private final OptionGroup group;
    private final ValueType<T> type;
    private final T byDefault;
    private final Comparable<T> min;
    private final Comparable<T> max;
    private final String aboveMax;
    private final List<String> words;
    private final List<Check<T>> checks;
    private final String allowedText;
    private final UnaryOperator<T> adjust;
    private final String adjusted;
    private final Status status;
    private final boolean required;
    private final boolean crosses;
    private final String whenAbsent;
    private final List<Former> former;
    private final List<Replaced> replaced;
    private final ConfigOption<?> option;

    private DorisOption(Builder<T> builder, String description) {
        key = builder.key;
        group = builder.group;
        type = builder.type;
        byDefault = builder.byDefault;
        min = builder.min;
        max = builder.max;
        aboveMax = builder.aboveMax;
        words = builder.words;
        checks = List.copyOf(builder.checks);
        allowedText = builder.allowedText;
        adjust = builder.adjust;
        adjusted = builder.adjusted;
        status = builder.status;
        required = builder.required;
        crosses = builder.crosses;
        whenAbsent = builder.whenAbsent;
        former = List.copyOf(builder.former);
        replaced = List.copyOf(builder.replaced);
        String[] sameUnit =
                former.stream()
                        .filter(name -> name.unit.isEmpty())
                        .map(name -> name.key)
                        .toArray(String[]::new);
        ConfigOption<?> descriptor = type.descriptor(key, byDefault).withDescription(description);
        option = sameUnit.length == 0 ? descriptor : descriptor.withFallbackKeys(sameUnit);
    }

    /** Flink's descriptor: key, default, former keys, description. */
    public ConfigOption<?> option() {
        return option;
    }

    /** The key as users write it. */
    public String key() {
        return key;
    }

    /** Heading under which the documentation lists the option. */
    public String group() {
        return group.title();
    }

    /** Type as users know it, for example {@code Duration} or {@code String list}. */
    public String type() {
        return type.typeName();
    }

    /** Whether the option works, is without effect, or belongs to a later feature. */
    public Status status() {
        return status;
    }

    /** Value where the user gives none; null for none. */
    public T byDefault() {
        return byDefault;
    }

    /** Whether a table cannot do without the option. */
    public boolean isRequired() {
        return required;
    }

    /** Whether the value is sent to the native core under the option's own key. */
    boolean crosses() {
        return crosses;
    }

    /** Names that the option had before. */
    List<Former> former() {
        return former;
    }

    /** Keys of other connectors in whose place the option is. */
    List<Replaced> replaced() {
        return replaced;
    }

    /** What is sent; empty where there is nothing to be sent. */
    Optional<String> sent(T value) {
        return Optional.ofNullable(value == null ? whenAbsent : type.sent(value));
    }

    /** Whether the text means the default. */
    public boolean isDefault(String text) {
        return byDefault != null && byDefault.equals(valueOrNull(text));
    }

    /** Whether two texts mean the same value. */
    boolean areEqual(String one, String two) {
        T value = valueOrNull(one);
        return value != null && value.equals(valueOrNull(two));
    }

    private T valueOrNull(String text) {
        try {
            return type.parse(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }

    /** The default in the units of the native core: milliseconds, bytes; null for none. */
    public String plainDefault() {
        return byDefault == null ? null : type.sent(byDefault);
    }

    /**
     * The value of a text.
     *
     * @throws ValueType.Refused for a text that is none, or whose value is not allowed
     */
    T parse(String text) {
        T value;
        try {
            value = type.parse(text);
        } catch (ValueType.Refused e) {
            throw e;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ValueType.Refused(ValueType.allowed(min, max), "");
        }
        if (min != null && min.compareTo(value) > 0) {
            throw new ValueType.Refused(ValueType.allowed(min, max), "");
        }
        if (max != null && max.compareTo(value) < 0) {
            throw new ValueType.Refused(ValueType.range(min, max), aboveMax);
        }
        for (Check<T> check : checks) {
            if (!check.legal.test(value)) {
                throw new ValueType.Refused(check.allowed.apply(value), check.remedy);
            }
        }
        return words.isEmpty() ? value : word(value);
    }

    /** The value that is used in place of the one that was given, which is the same as a rule. */
    T adjust(T value) {
        return adjust.apply(value);
    }

    /** The warning where {@link #adjust} changed the value; empty for none. */
    Optional<String> warning(T given) {
        boolean changed = !Objects.equals(given, adjust.apply(given));
        return changed && !adjusted.isEmpty()
                ? Optional.of(String.format("Option '%s' is %s; %s.", key, given, adjusted))
                : Optional.empty();
    }

    /** Bounds or words for the documentation; empty where only the description has them. */
    String allowed() {
        if (!words.isEmpty()) {
            return words.stream().map(word -> "`" + word + "`").collect(Collectors.joining(", "));
        }
        if (!allowedText.isEmpty()) {
            return allowedText.replaceFirst("allowed (is|are) ", "").replace('\'', '`');
        }
        if (max != null) {
            return ValueType.shown(min) + " to " + ValueType.shown(max);
        }
        return min == null || !bounded() ? "" : ValueType.shown(min) + " or more";
    }

    /** Whether there is a bound besides that of the type. */
    private boolean bounded() {
        return !min.equals(Integer.MIN_VALUE);
    }

    @SuppressWarnings("unchecked")
    private T word(T value) {
        return (T)
                words.stream()
                        .filter(word -> plain(word).equals(plain((String) value)))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new ValueType.Refused(
                                                "allowed are '" + String.join("', '", words) + "'",
                                                ""));
    }

    /** Words are the same in any case and with {@code -} or {@code _}. */
    static String plain(String word) {
        return word.trim().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return key;
    }

    /** A former name, and the unit of its values, which are bare numbers; empty for none. */
    static final class Former {
        final String key;
        final String unit;

        private Former(String key, String unit) {
            this.key = key;
            this.unit = unit;
        }
    }

    /** A key of another connector, and whether it is about writing alone. */
    static final class Replaced {
        final String key;
        final boolean writing;

        private Replaced(String key, boolean writing) {
            this.key = key;
            this.writing = writing;
        }
    }

    private static final class Check<T> {
        private final Predicate<T> legal;
        private final Function<T, String> allowed;
        private final String remedy;

        private Check(Predicate<T> legal, Function<T, String> allowed, String remedy) {
            this.legal = legal;
            this.allowed = allowed;
            this.remedy = remedy;
        }
    }

    /** Collects a definition, which {@link #describe} ends. */
    static final class Builder<T> {
        private final OptionGroup group;
        private final String key;
        private final ValueType<T> type;
        private final T byDefault;
        private final List<Check<T>> checks = new ArrayList<>();
        private final List<Former> former = new ArrayList<>();
        private final List<Replaced> replaced = new ArrayList<>();
        private Comparable<T> min;
        private Comparable<T> max;
        private String aboveMax = "";
        private String allowedText = "";
        private List<String> words = List.of();
        private UnaryOperator<T> adjust = UnaryOperator.identity();
        private String adjusted = "";
        private Status status = Status.WORKS;
        private boolean required;
        private boolean crosses;
        private String whenAbsent;

        Builder(OptionGroup group, String key, ValueType<T> type, String byDefault) {
            this.group = group;
            this.key = key;
            this.type = type;
            this.byDefault = byDefault == null ? null : type.parse(byDefault);
        }

        @SuppressWarnings("unchecked")
        Builder<T> atLeast(String least) {
            min = (Comparable<T>) type.parse(least);
            return this;
        }

        /**
         * @param remedy what an error about a larger value adds; may be empty
         */
        @SuppressWarnings("unchecked")
        Builder<T> atMost(String most, String remedy) {
            max = (Comparable<T>) type.parse(most);
            aboveMax = remedy;
            return this;
        }

        /** Words without regard to case and to {@code -} against {@code _}. */
        Builder<T> oneOf(String... words) {
            this.words = List.of(words);
            return this;
        }

        /** A rule beyond bounds and words, with the text of its error. */
        Builder<T> where(Predicate<T> legal, String allowed, String remedy) {
            allowedText = allowed;
            return where(legal, value -> allowed, remedy);
        }

        Builder<T> where(Predicate<T> legal, Function<T, String> allowed, String remedy) {
            checks.add(new Check<>(legal, allowed, remedy));
            return this;
        }

        /**
         * @param warning logged where this changes a value; empty for none
         */
        Builder<T> adjusted(UnaryOperator<T> adjust, String warning) {
            this.adjust = adjust;
            this.adjusted = warning;
            return this;
        }

        /**
         * The value goes to the native core under the option's key; one that is absent does not.
         */
        Builder<T> crosses() {
            return crosses(null);
        }

        /** As {@link #crosses()}, with a text for an absent value. */
        Builder<T> crosses(String whenAbsent) {
            this.crosses = true;
            this.whenAbsent = whenAbsent;
            return this;
        }

        Builder<T> required() {
            this.required = true;
            return this;
        }

        Builder<T> status(Status status) {
            this.status = status;
            return this;
        }

        /** A former name with the same values. */
        Builder<T> former(String key) {
            return former(key, "");
        }

        /** A former name whose values are bare numbers of {@code unit}. */
        Builder<T> former(String key, String unit) {
            former.add(new Former(key, unit));
            return this;
        }

        /** Keys of other connectors for the same. */
        Builder<T> replaces(String... keys) {
            return replaces(false, keys);
        }

        /** Keys of other connectors for the same, in writing alone. */
        Builder<T> replacesInWriting(String... keys) {
            return replaces(true, keys);
        }

        private Builder<T> replaces(boolean writing, String... keys) {
            for (String replacedKey : keys) {
                replaced.add(new Replaced(replacedKey, writing));
            }
            return this;
        }

        /** Ends the definition with the text of the documentation. */
        DorisOption<T> describe(String description) {
            DorisOption<T> option = new DorisOption<>(this, description);
            group.add(option);
            return option;
        }
    }
}
