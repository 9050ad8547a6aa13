package org.apache.doris.flink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The public signatures of the official connector's jar against ours: what is missing is in the
 * table of {@code docs/datastream.md}, with a reason, and nothing else is.
 */
class PublicApiTest {

    private static final Pattern ROW = Pattern.compile("\\| (`.+`) \\| (.+) \\|");
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    private static PublicApi official;
    private static PublicApi ours;

    @BeforeAll
    static void readTheJars() throws Exception {
        Properties paths = new Properties();
        try (InputStream in = PublicApiTest.class.getResourceAsStream("/official.properties")) {
            paths.load(in);
        }
        official = PublicApi.of(paths.getProperty("connector"));
        ours = PublicApi.of(System.getProperty("doris.connector.jar"));
    }

    @Test
    void whatIsMissingIsListedAndNothingElse() throws Exception {
        Map<String, String> listed = listed();
        Set<String> used = new TreeSet<>();
        Set<String> unlisted = new TreeSet<>();
        for (String type : official.names()) {
            for (String missing : official.missingIn(ours, type)) {
                Set<String> reasons =
                        listed.keySet().stream()
                                .filter(name -> covers(name, type, missing))
                                .collect(Collectors.toSet());
                used.addAll(reasons);
                if (reasons.isEmpty()) {
                    unlisted.add(missing);
                }
            }
        }
        assertThat(official.names()).hasSizeGreaterThan(150);
        assertThat(unlisted).as("missing, and not in the table").isEmpty();
        Set<String> there = new TreeSet<>(listed.keySet());
        there.removeAll(used);
        assertThat(there).as("in the table, and not missing any more").isEmpty();
        assertThat(listed.values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
    }

    @Test
    void aDifferenceWouldBeSeen() {
        assertThat(ours.missingIn(ours, "sink.DorisSink")).isEmpty();
        assertThat(official.missingIn(ours, "catalog.DorisCatalog"))
                .containsExactly("catalog.DorisCatalog");
        assertThat(official.missingIn(ours, "sink.DorisSink"))
                .contains("sink.DorisSink.createWriter(Sink$InitContext)")
                .contains("sink.DorisSink is a TwoPhaseCommittingSink")
                .doesNotContain("sink.DorisSink.builder()");
    }

    /**
     * A name of the table: a package with {@code *}, a type with all of its members and nested
     * types, or one difference.
     */
    private static boolean covers(String name, String type, String missing) {
        if (name.endsWith(".*")) {
            return type.startsWith(name.substring(0, name.length() - 1));
        }
        return missing.equals(name) || type.equals(name) || type.startsWith(name + "$");
    }

    /** Reason by name. */
    private static Map<String, String> listed() throws Exception {
        List<String> lines =
                Files.readAllLines(Paths.get(System.getProperty("doris.docs"), "datastream.md"));
        int start = lines.indexOf("## What is left out");
        assertThat(start).isPositive();
        Map<String, String> listed = new LinkedHashMap<>();
        for (String line : lines.subList(start + 1, lines.size())) {
            if (line.startsWith("## ")) {
                break;
            }
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                Matcher name = NAME.matcher(row.group(1));
                while (name.find()) {
                    assertThat(listed.put(name.group(1), row.group(2)))
                            .as("%s stands there twice", name.group(1))
                            .isNull();
                }
            }
        }
        return listed;
    }
}
