package org.apache.doris.flink.tools.cdc.converter;

import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Names of tables in Doris by those of the source. */
@PublicEvolving
public class TableNameConverter implements Serializable {

    private static final long serialVersionUID = 1L;

    private final String prefix;
    private final String suffix;
    private final LinkedHashMap<Pattern, String> routeRules;

    /** Keeps all names. */
    public TableNameConverter() {
        this("", "");
    }

    /** Puts each name between a prefix and a suffix. */
    public TableNameConverter(String prefix, String suffix) {
        this(prefix, suffix, null);
    }

    /**
     * The same for names that no rule matches.
     *
     * @param routeRules names by patterns that match a whole name, of which the last one counts;
     *     may be null
     */
    public TableNameConverter(String prefix, String suffix, Map<Pattern, String> routeRules) {
        this.prefix = prefix == null ? "" : prefix;
        this.suffix = suffix == null ? "" : suffix;
        this.routeRules = routeRules == null ? null : new LinkedHashMap<>(routeRules);
    }

    /** The name in Doris of a table that the source calls so. */
    public String convert(String tableName) {
        String name = prefix + tableName + suffix;
        if (routeRules != null) {
            for (Map.Entry<Pattern, String> rule : routeRules.entrySet()) {
                if (rule.getKey().matcher(tableName).matches()) {
                    name = rule.getValue();
                }
            }
        }
        return name;
    }
}
