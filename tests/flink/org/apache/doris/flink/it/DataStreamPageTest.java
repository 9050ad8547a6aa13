package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/** The classes of {@code docs/datastream.md}, compiled and run one after the other. */
@Timeout(300)
class DataStreamPageTest {

    private static final Path PAGE = Paths.get(System.getProperty("doris.docs"), "datastream.md");
    private static final Pattern BLOCK = Pattern.compile("```(java|sql)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("public class (\\w+)");

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension
    static final FlinkCluster FLINK = new FlinkCluster("restart-strategy.type", "none");

    @TempDir Path folder;

    private final PrintStream stdout = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void release() {
        System.setOut(stdout);
    }

    @Test
    void theClassesOfThePageRun() throws Exception {
        Map<String, String> classes = new LinkedHashMap<>();
        Matcher block = BLOCK.matcher(Files.readString(PAGE));
        while (block.find()) {
            if (block.group(1).equals("sql")) {
                DORIS.run(block.group(2).replace("-- Doris\n", "").strip().split(";\n*"));
            } else {
                Matcher name = CLASS.matcher(block.group(2));
                assertThat(name.find()).as("a whole class: %s", block.group(2)).isTrue();
                classes.put(name.group(1), block.group(2));
            }
        }
        compile(classes);
        FLINK.useClasses(folder.toUri().toURL());
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            for (String name : classes.keySet()) {
                if (name.equals("FollowStudents")) {
                    follow(loader);
                } else {
                    main(loader, name);
                }
                check(name);
            }
        }
        assertThat(classes).hasSizeGreaterThan(6);
    }

    private void compile(Map<String, String> classes) throws Exception {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--release",
                                "11",
                                "-proc:none",
                                "-cp",
                                System.getProperty("java.class.path")));
        for (Map.Entry<String, String> one : classes.entrySet()) {
            Path file = folder.resolve(one.getKey() + ".java");
            Files.writeString(file, here(one.getValue()));
            arguments.add(file.toString());
        }
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, complaints, arguments.toArray(new String[0]));
        assertThat(status).as(complaints.toString(StandardCharsets.UTF_8)).isZero();
    }

    /** At the address of this server, and faster than a reader would have it. */
    private static String here(String code) {
        assertThat(code).contains("\"127.0.0.1:8030\"");
        return code.replace("127.0.0.1:8030", DORIS.fenodes())
                .replace("setChangelogPollIntervalMs(5_000L)", "setChangelogPollIntervalMs(1_000L)")
                .replace("enableCheckpointing(10_000)", "enableCheckpointing(500)");
    }

    private static void main(ClassLoader loader, String name) throws Exception {
        Thread.currentThread().setContextClassLoader(loader);
        loader.loadClass(name)
                .getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
    }

    private void check(String name) {
        switch (name) {
            case "WriteTexts":
                assertThat(rows("student"))
                        .containsExactly(List.of("1", "Alice", "18"), List.of("2", "Bob", "17"));
                break;
            case "WriteRows":
                assertThat(rows("student"))
                        .containsExactly(
                                List.of("1", "Alice", "18"),
                                List.of("3", "Chen", "21"),
                                Arrays.asList("4", "Dora", null));
                break;
            case "WriteManyTables":
                assertThat(rows("student")).hasSize(4).contains(List.of("5", "Eve", "19"));
                assertThat(rows("visit")).containsExactly(List.of("start", "7"));
                break;
            case "WriteInBatchMode":
                assertThat(rows("visit")).contains(List.of("search", "4"));
                break;
            case "WriteVisits":
                assertThat(rows("visit"))
                        .containsExactly(
                                List.of("news", "3"),
                                List.of("search", "4"),
                                List.of("start", "7"));
                break;
            case "ReadStudents":
                assertThat(printed()).contains("(1,Alice)", "(3,Chen)", "(5,Eve)");
                assertThat(printed()).doesNotContain("(4,Dora)");
                break;
            case "CopyStudents":
                assertThat(rows("student_copy")).isEqualTo(rows("student")).isNotEmpty();
                break;
            case "FollowStudents":
                assertThat(printed()).contains("-U[1, Alice, 18]", "-D[3, Chen, 21]");
                break;
            default:
                throw new AssertionError("What " + name + " does is not checked.");
        }
    }

    private void follow(ClassLoader loader) throws Exception {
        // What was committed in the second of the start would come as content and as a change.
        DORIS.advanceClock(Duration.ofSeconds(2));
        Exception[] ended = new Exception[1];
        Thread job =
                new Thread(
                        () -> {
                            try {
                                main(loader, "FollowStudents");
                            } catch (Exception cancelled) {
                                // As expected: it has no end by itself.
                                ended[0] = cancelled;
                            }
                        });
        job.start();
        Until.holds(
                "the content was read",
                () -> {
                    if (!job.isAlive()) {
                        throw new IllegalStateException("The job has ended.", ended[0]);
                    }
                    return printed().contains("+I[5, Eve, 19]");
                });
        DORIS.run(
                "UPDATE test.student SET name = 'Alicia' WHERE id = 1",
                "DELETE FROM test.student WHERE id = 3");
        Until.holds(
                "the changes were followed",
                () ->
                        printed().contains("+U[1, Alicia, 18]")
                                && printed().contains("-D[3, Chen, 21]"));
        FLINK.cancelAll();
        job.join();
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private static List<List<String>> rows(String table) {
        return DORIS.sql("SELECT * FROM test." + table + " ORDER BY 1");
    }
}
