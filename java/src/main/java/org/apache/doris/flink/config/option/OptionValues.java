package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

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

    private final Map<String, String> values;
    private final Map<String, String> writtenAs;
    private final Set<String> warnings = new LinkedHashSet<>();

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
    public boolean has(DorisOption<?> option) {
        return values.containsKey(option.key());
    }

    /**
     * The value as it is used, or the default, which may be null. One that is used otherwise than
     * it was given brings a warning.
     */
    public <T> T get(DorisOption<T> option) {
        T value = check(option);
        if (value == null) {
            return null;
        }
        option.warning(value).ifPresent(this::warn);
        return option.adjust(value);
    }

    /** The trimmed value or default; absent, blank and no default are all empty. */
    public Optional<String> text(DorisOption<String> option) {
        String value = get(option);
        return value == null || value.isBlank() ? Optional.empty() : Optional.of(value.trim());
    }

    /** Checks each of the options by its definition. */
    public void checkAll(Collection<DorisOption<?>> options) {
        options.forEach(this::check);
    }

    /** What of the options goes to the native core, in its units, by their keys. */
    public Map<String, String> sent(Collection<DorisOption<?>> options) {
        Map<String, String> sent = new TreeMap<>();
        options.stream().filter(DorisOption::crosses).forEach(option -> put(sent, option));
        return sent;
    }

    private <T> void put(Map<String, String> sent, DorisOption<T> option) {
        option.sent(get(option)).ifPresent(text -> sent.put(option.key(), text));
    }

    private <T> T check(DorisOption<T> option) {
        String text = values.get(option.key());
        if (text == null) {
            return option.byDefault();
        }
        try {
            return option.parse(text);
        } catch (ValueType.Refused e) {
            throw invalid(option, e.allowed, e.remedy);
        }
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
    public RuntimeException invalid(DorisOption<?> option, String allowed, String remedy) {
        return InvalidOption.of(name(option), shown(option), allowed, remedy);
    }

    /** The value as the user wrote it, else the default. */
    public String shown(DorisOption<?> option) {
        String value = values.get(option.key());
        if (value == null) {
            Object byDefault = option.option().defaultValue();
            value = byDefault == null ? "" : byDefault.toString();
        }
        return value;
    }

    /** The key as the user wrote it. */
    public String name(DorisOption<?> option) {
        return writtenAs.getOrDefault(option.key(), option.key());
    }

    /** Remembers a warning; logged once when a job is made of the table. */
    public void warn(String warning) {
        warnings.add(warning);
    }

    /** The warnings, in order. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }
}
