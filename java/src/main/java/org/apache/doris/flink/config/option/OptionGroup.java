package org.apache.doris.flink.config.option;

import org.apache.doris.flink.config.option.DorisOption.Builder;
import org.apache.doris.flink.config.option.DorisOption.Status;
import org.apache.flink.configuration.MemorySize;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Options under one heading of the documentation, in the order in which they are defined. */
final class OptionGroup {

    private final String title;
    private final Status status;
    private final List<DorisOption<?>> options = new ArrayList<>();

    OptionGroup(String title) {
        this(title, Status.WORKS);
    }

    /**
     * @param status of the options that say nothing else
     */
    OptionGroup(String title, Status status) {
        this.title = title;
        this.status = status;
    }

    String title() {
        return title;
    }

    List<DorisOption<?>> options() {
        return Collections.unmodifiableList(options);
    }

    void add(DorisOption<?> option) {
        options.add(option);
    }

    /** A text that blanks around it do not belong to. */
    Builder<String> text(String key, String byDefault) {
        return define(key, ValueType.TEXT, byDefault);
    }

    /** A text of which every character counts. */
    Builder<String> exact(String key) {
        return define(key, ValueType.EXACT, null);
    }

    Builder<String> word(String key, String byDefault) {
        return define(key, ValueType.WORD, byDefault);
    }

    Builder<List<String>> list(String key, String byDefault) {
        return define(key, ValueType.LIST, byDefault);
    }

    Builder<Boolean> flag(String key, boolean byDefault) {
        return define(key, ValueType.BOOLEAN, String.valueOf(byDefault));
    }

    /** A whole number without a bound. */
    Builder<Integer> integer(String key, String byDefault) {
        return define(key, ValueType.INTEGER, byDefault).atLeast(String.valueOf(Integer.MIN_VALUE));
    }

    Builder<Long> longInteger(String key, String byDefault) {
        return define(key, ValueType.LONG, byDefault);
    }

    Builder<Duration> duration(String key, String byDefault) {
        return define(key, ValueType.DURATION, byDefault);
    }

    Builder<MemorySize> size(String key, String byDefault) {
        return define(key, ValueType.SIZE, byDefault);
    }

    private <T> Builder<T> define(String key, ValueType<T> type, String byDefault) {
        return new Builder<>(this, key, type, byDefault).status(status);
    }
}
