package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The job in {@code tests/jobs}, compiled against the official connector, as a process of its own
 * with this connector's jar in its place, and for comparison with the official one itself.
 */
@Timeout(300)
class OfficialJobTest {

    private static final String PRODUCT =
            "(id INT, name VARCHAR(20), price DECIMAL(10, 2), day DATE, moment DATETIME(6))";
    private static final String NAMED = "(id INT, name VARCHAR(20))";
    private static final Map<String, String> TABLES =
            Map.ofEntries(
                    Map.entry("rowdata", PRODUCT),
                    Map.entry("row", PRODUCT),
                    Map.entry("strings", NAMED),
                    Map.entry("meta_a", NAMED),
                    Map.entry("meta_b", NAMED),
                    Map.entry("custom", NAMED),
                    Map.entry("batch", NAMED),
                    Map.entry("batch_a", NAMED),
                    Map.entry("batch_b", NAMED),
                    Map.entry("batch_mode", PRODUCT),
                    Map.entry("products", PRODUCT));

    @RegisterExtension static final Standin DORIS = Standin.with();

    private static Properties paths;

    @BeforeAll
    static void findTheJob() throws Exception {
        paths = new Properties();
        try (InputStream in = OfficialJobTest.class.getResourceAsStream("/official.properties")) {
            paths.load(in);
        }
        // The official connector has a jar per version of Flink; this one is for 1.20.
        assumeTrue(System.getProperty("flink.version").startsWith("1.20."));
    }

    @Test
    void theJobGivesTheSameOnBoth() throws Exception {
        String ours = System.getProperty("doris.connector.jar");
        String[] cases = {
            "options",
            "rowdata",
            "row",
            "strings",
            "meta",
            "custom",
            "batch",
            "batch-meta",
            "batch-mode",
            "read-list",
            "read-rowdata",
            "read-custom"
        };
        List<String> read = run("ours", ours, cases);
        assertThat(read)
                .contains("options|true 5", "options|4064", "options|true")
                .contains(
                        "read-list|Integer 1, String a, BigDecimal 1.5, LocalDate 2026-01-01,"
                                + " LocalDateTime 2026-01-01T10:00:01",
                        "read-list|Integer 2, null, null, null, null")
                .contains("read-rowdata|1 1.50", "read-rowdata|3 -2.50")
                .contains("read-custom|1 a 1.5", "read-custom|2026 1")
                .filteredOn(line -> line.startsWith("done|"))
                .hasSize(cases.length);
        assertThat(rows("ours", "rowdata"))
                .containsExactly(
                        List.of("2", "ö", "12.30", "2026-10-09", "2026-10-09 10:00:02.123456"),
                        Arrays.asList(
                                "3", null, "12.30", "2026-10-09", "2026-10-09 10:00:03.123456"));
        assertThat(rows("ours", "row"))
                .containsExactly(
                        List.of("1", "a", "12.30", "2026-10-09", "2026-10-09 10:00:01.123456"),
                        Arrays.asList(
                                "3", null, "12.30", "2026-10-09", "2026-10-09 10:00:03.123456"));
        assertThat(rows("ours", "strings"))
                .containsExactly(List.of("1", "a"), Arrays.asList("2", null), List.of("3", "ö😱"));
        assertThat(rows("ours", "meta_a")).containsExactly(List.of("1", "a"), List.of("3", "c"));
        assertThat(rows("ours", "meta_b")).containsExactly(List.of("2", "b"));
        assertThat(rows("ours", "batch"))
                .containsExactly(List.of("1", "a"), Arrays.asList("2", null), List.of("3", "ö"));
        assertThat(rows("ours", "batch_a")).containsExactly(List.of("1", "a"), List.of("3", "c"));
        assertThat(rows("ours", "batch_b")).containsExactly(List.of("2", "b"));
        assertThat(rows("ours", "batch_mode"))
                .containsExactly(
                        List.of("2", "b", "12.30", "2026-10-09", "2026-10-09 10:00:02.123456"));
        assertThat(rows("ours", "custom"))
                .containsExactly(List.of("1", "n1"), List.of("4", "n4"), List.of("99", "n99"));

        List<String> expected = run("official", paths.getProperty("classpath"), cases);
        // It leaves its sessions open.
        DORIS.dropSessions();
        assertThat(
                        read.stream()
                                .map(line -> line.replace("ours", "official"))
                                .collect(Collectors.toList()))
                .isEqualTo(expected);
        for (String table : TABLES.keySet()) {
            assertThat(rows("official", table)).as(table).isEqualTo(rows("ours", table));
        }
    }

    private static List<List<String>> rows(String database, String table) {
        return DORIS.sql("SELECT * FROM " + database + "." + table + " ORDER BY id");
    }

    /** Runs the cases with a connector on tables of their own; what was printed. */
    private static List<String> run(String database, String connector, String... cases)
            throws Exception {
        DORIS.run("CREATE DATABASE " + database);
        for (Map.Entry<String, String> table : TABLES.entrySet()) {
            DORIS.run(
                    String.format(
                            "CREATE TABLE %s.%s %s UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2"
                                    + " PROPERTIES (\"replication_num\" = \"1\")",
                            database, table.getKey(), table.getValue()));
        }
        DORIS.run(
                "INSERT INTO "
                        + database
                        + ".products VALUES (1, 'a', 1.50, '2026-01-01', '2026-01-01 10:00:01'),"
                        + " (2, NULL, NULL, NULL, NULL),"
                        + " (3, 'c', -2.50, '2026-01-03', '2026-01-03 10:00:03.5'),"
                        + " (4, 'd', 0, '2026-01-04', '2026-01-04 10:00:04')");
        Path out = Files.createTempFile("official-job", ".txt");
        Path log = Files.createTempFile("official-job", ".log");
        try {
            Process process =
                    new ProcessBuilder(command(database, connector, cases))
                            .redirectOutput(out.toFile())
                            .redirectError(log.toFile())
                            .start();
            boolean ended = process.waitFor(200, TimeUnit.SECONDS);
            process.destroyForcibly();
            assertThat(ended && process.exitValue() == 0)
                    .as("%s: %s%s", database, Files.readString(out), Files.readString(log))
                    .isTrue();
            return Files.readAllLines(out).stream()
                    .filter(line -> line.contains("|"))
                    .collect(Collectors.toList());
        } finally {
            Files.delete(out);
            Files.delete(log);
        }
    }

    private static List<String> command(String database, String connector, String... cases) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // What Flink's own scripts open, and Arrow of the official connector needs.
        command.addAll(
                List.of(
                        "-Xmx1g",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-Dlog4j.configurationFile="
                                + System.getProperty("log4j.configurationFile"),
                        "-cp",
                        Stream.of(connector, paths.getProperty("job"), flink())
                                .collect(Collectors.joining(File.pathSeparator)),
                        "doris.connector.job.OfficialJob",
                        DORIS.fenodes(),
                        database,
                        String.valueOf(DORIS.port("fe", 0, "flight"))));
        command.addAll(Arrays.asList(cases));
        return command;
    }

    /** This JVM's class path without this connector and its tests. */
    private static String flink() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .filter(entry -> !entry.equals(System.getProperty("doris.connector.jar")))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
