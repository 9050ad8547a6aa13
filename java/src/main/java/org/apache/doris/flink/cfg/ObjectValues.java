package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.option.DorisOption;

import java.io.Serializable;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the user of an options object set, as texts by the keys of a table's options. A value that
 * equals the default is left out, as a user of a table would do, since objects cannot tell the two
 * apart.
 */
final class ObjectValues implements Serializable {

    private static final long serialVersionUID = 1L;

    private final TreeMap<String, String> texts;

    ObjectValues() {
        texts = new TreeMap<>();
    }

    /** The same values. */
    ObjectValues(ObjectValues other) {
        texts = new TreeMap<>(other.texts);
    }

    /** Sets a value; null stays null for the getter, and means the default for a job. */
    void set(DorisOption<?> option, Object value) {
        String text = value == null ? null : value.toString();
        if (text == null ? option.byDefault() == null : option.isDefault(text)) {
            texts.remove(option.key());
        } else {
            texts.put(option.key(), text);
        }
    }

    /** Sets a text that the getter shows as it is, be it the default or not; null for none. */
    void keep(DorisOption<?> option, String text) {
        if (text == null) {
            texts.remove(option.key());
        } else {
            texts.put(option.key(), text);
        }
    }

    /** What was set by {@link #keep}; null for none. */
    String kept(DorisOption<?> option) {
        return texts.get(option.key());
    }

    /** As it was set, else the default in milliseconds or bytes; null for none. */
    String text(DorisOption<?> option) {
        String key = option.key();
        return texts.containsKey(key) ? texts.get(key) : option.plainDefault();
    }

    /** A whole number, milliseconds or bytes; null for none. */
    Long number(DorisOption<?> option) {
        String text = text(option);
        return text == null ? null : Long.valueOf(text);
    }

    /** As {@link #number}. */
    Integer integer(DorisOption<?> option) {
        Long number = number(option);
        return number == null ? null : Integer.valueOf(number.intValue());
    }

    /** Null for none. */
    Boolean flag(DorisOption<?> option) {
        String text = text(option);
        return text == null ? null : Boolean.valueOf(text);
    }

    /** Adds all values to the options of a table. */
    void putAll(Map<String, String> options) {
        texts.forEach((key, text) -> put(options, key, text));
    }

    /** Adds the values of some options to the options of a table. */
    void putAll(Map<String, String> options, Collection<DorisOption<?>> some) {
        some.forEach(option -> put(options, option.key(), texts.get(option.key())));
    }

    private static void put(Map<String, String> options, String key, String text) {
        if (text != null) {
            options.put(key, text);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectValues && texts.equals(((ObjectValues) other).texts);
    }

    @Override
    public int hashCode() {
        return Objects.hash(texts);
    }
}
