package org.apache.doris.flink.config.option;

import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The generated part of {@code docs/options.md}: one table per group of options. */
final class OptionsTable {

    static final String BEGIN = "<!-- Generated from the code: begin -->\n";
    static final String END = "<!-- Generated from the code: end -->\n";

    private OptionsTable() {}

    static String render() {
        Map<String, List<DorisOption<?>>> groups =
                DorisConfigOptions.all().stream()
                        .collect(
                                Collectors.groupingBy(
                                        DorisOption::group,
                                        LinkedHashMap::new,
                                        Collectors.toList()));
        StringBuilder text = new StringBuilder(BEGIN);
        groups.forEach(
                (group, options) -> {
                    text.append("\n### ").append(group).append("\n\n");
                    text.append(
                            "| Key | Type | Default | Allowed | Today | Meaning |\n"
                                    + "|---|---|---|---|---|---|\n");
                    options.forEach(option -> text.append(row(option)));
                });
        text.append("\n### Former names\n\n| Former | Today |\n|---|---|\n");
        DorisConfigOptions.formerNames()
                .forEach(
                        (former, today) ->
                                text.append(
                                        String.format(
                                                "| `%s` | `%s` |\n", former, today.today.key())));
        text.append("\n### Keys of older releases and of other connectors\n\n");
        text.append("| Key | Whose | The error says |\n|---|---|---|\n");
        ForeignKeys.known()
                .forEach(
                        (key, foreign) ->
                                text.append(
                                        String.format(
                                                "| `%s` | %s | %s |\n",
                                                key,
                                                foreign.origin().replace("of ", ""),
                                                foreign.instead().replace('\'', '`'))));
        return text.append("\n").append(END).toString();
    }

    private static String row(DorisOption<?> option) {
        return String.format(
                "| `%s` | %s | %s | %s | %s | %s |\n",
                option.key(),
                option.type(),
                defaultValue(option),
                option.allowed(),
                option.status().label(),
                description(option).replace("|", "\\|"));
    }

    static String description(DorisOption<?> option) {
        return new HtmlFormatter().format(option.option().description());
    }

    private static String defaultValue(DorisOption<?> option) {
        if (option.isRequired()) {
            return "required";
        }
        Object value = option.option().defaultValue();
        if (value == null || value.equals("")) {
            return "–";
        }
        if (value instanceof Duration) {
            return "`" + TimeUtils.formatWithHighestUnit((Duration) value).replace(" ", "") + "`";
        }
        if (value instanceof MemorySize) {
            return "`" + value.toString().replace(" ", "") + "`";
        }
        return "`" + value + "`";
    }
}
