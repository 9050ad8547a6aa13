package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;

/** One option of the connector: Flink's descriptor and what the documentation says beside it. */
@Internal
public final class DorisOption {

    /** What becomes of a value today. */
    public enum Status {
        /** The option does what its description says. */
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

    private final ConfigOption<?> option;
    private final String group;
    private final String type;
    private final Status status;

    DorisOption(ConfigOption<?> option, String group, String type, Status status) {
        this.option = option;
        this.group = group;
        this.type = type;
        this.status = status;
    }

    /** Flink's descriptor: key, default, former keys, description. */
    public ConfigOption<?> option() {
        return option;
    }

    /** The key as users write it. */
    public String key() {
        return option.key();
    }

    /** Heading under which the documentation lists the option. */
    public String group() {
        return group;
    }

    /** Type as users know it, for example {@code Duration} or {@code String list}. */
    public String type() {
        return type;
    }

    /** Whether the option works, is without effect, or belongs to a later feature. */
    public Status status() {
        return status;
    }

    @Override
    public String toString() {
        return key();
    }
}
