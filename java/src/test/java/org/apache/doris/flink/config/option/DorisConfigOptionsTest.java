package org.apache.doris.flink.config.option;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of options against its documentation. */
class DorisConfigOptionsTest {

    private static final Path PAGE = Paths.get(System.getProperty("doris.docs"), "options.md");

    /** Run with {@code -Ddoris.docs.update=true} to write the table anew. */
    @Test
    void theDocumentationHasTheGeneratedTable() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(OptionsTable.BEGIN);
        int end = page.indexOf(OptionsTable.END) + OptionsTable.END.length();
        assertThat(begin).as("start of the generated part").isNotNegative();
        assertThat(end).as("end of the generated part").isGreaterThan(begin);
        if (Boolean.getBoolean("doris.docs.update")) {
            page = page.substring(0, begin) + OptionsTable.render() + page.substring(end);
            Files.writeString(PAGE, page);
            return;
        }
        assertThat(page.substring(begin, end)).isEqualTo(OptionsTable.render());
    }

    @Test
    void theProsePartNamesNoUnknownKey() throws IOException {
        Set<String> known = new HashSet<>(DorisConfigOptions.allKeys());
        known.addAll(ForeignKeys.known().keySet());
        Set<String> unknown = new TreeSet<>();
        Matcher key =
                Pattern.compile("`((?:doris|source|sink|lookup)\\.[a-z0-9.-]+[a-z0-9])`")
                        .matcher(Files.readString(PAGE));
        while (key.find()) {
            String name = key.group(1);
            if (!known.contains(name) && !name.startsWith("sink.properties.")) {
                unknown.add(name);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyOptionIsDescribed() {
        assertThat(DorisConfigOptions.all()).hasSizeGreaterThan(70);
        for (DorisOption<?> option : DorisConfigOptions.all()) {
            assertThat(OptionsTable.description(option))
                    .as(option.key())
                    .isNotBlank()
                    .endsWith(".");
        }
    }
}
