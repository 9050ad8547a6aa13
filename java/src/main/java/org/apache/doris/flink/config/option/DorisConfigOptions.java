package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every option that a table of this connector knows: the one list that the factory, the checks, the
 * documentation and the tests go by. It is made of the definitions, which stand in the classes of
 * their groups.
 */
@Internal
public final class DorisConfigOptions {

    /** Id of the connector in {@code 'connector' = 'doris'}. */
    public static final String IDENTIFIER = "doris";

    private static final List<DorisOption<?>> ALL =
            Stream.of(
                            CommonOptions.GROUPS,
                            ReadOptions.GROUPS,
                            ChangelogOptions.GROUPS,
                            SinkOptions.GROUPS)
                    .flatMap(List::stream)
                    .flatMap(group -> group.options().stream())
                    .collect(Collectors.toUnmodifiableList());

    private static final Map<String, Former> FORMER_NAMES = collectFormerNames();

    private DorisConfigOptions() {}

    /** All options, in the order of the documentation. */
    public static List<DorisOption<?>> all() {
        return ALL;
    }

    /** All keys a user may write, former names included, free-form prefixes left out. */
    static List<String> allKeys() {
        List<String> keys = new ArrayList<>();
        ALL.forEach(option -> keys.add(option.key()));
        keys.addAll(FORMER_NAMES.keySet());
        return keys;
    }

    /** Today's option by each former name. */
    static Map<String, Former> formerNames() {
        return FORMER_NAMES;
    }

    private static Map<String, Former> collectFormerNames() {
        Map<String, Former> former = new LinkedHashMap<>();
        for (DorisOption<?> option : ALL) {
            option.former().forEach(name -> former.put(name.key, new Former(option, name.unit)));
        }
        return Collections.unmodifiableMap(former);
    }

    /** What a former name stands for: today's option, and the unit to append to a bare number. */
    static final class Former {
        final DorisOption<?> today;
        final String unit;

        private Former(DorisOption<?> today, String unit) {
            this.today = today;
            this.unit = unit;
        }
    }
}
