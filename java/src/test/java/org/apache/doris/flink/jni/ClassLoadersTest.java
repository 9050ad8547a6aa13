package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jar loaded, used and dropped again and again in one JVM, as a cluster that runs job after job
 * does it: nothing may stay. Reads from and writes to a stand-in server, whose program is given by
 * {@code doris.standin.binary}.
 */
@EnabledIfSystemProperty(named = "doris.standin.binary", matches = ".+")
@Timeout(180)
class ClassLoadersTest {
    private static final int JOBS = 20;

    @RegisterExtension
    final StandinProcess standin =
            new StandinProcess(
                    "CREATE TABLE test.written (id BIGINT, name STRING) UNIQUE KEY(id) DISTRIBUTED"
                            + " BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');\n");

    @TempDir Path folder;
    private byte[] config;

    /**
     * Whoever logs first makes a shutdown hook, which holds what was on the stack: as in Flink, not
     * a job.
     */
    @BeforeAll
    static void logging() {
        LoggerFactory.getLogger(ClassLoadersTest.class).debug("logging is set up");
    }

    @BeforeEach
    void config() {
        config = standin.config().bytes();
    }

    @Test
    void jobAfterJobLeavesNothing() throws Exception {
        String tmp = System.getProperty("java.io.tmpdir");
        System.setProperty("java.io.tmpdir", folder.toString());
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        try {
            for (int job = 0; job < JOBS; job++) {
                loaders.add(run(job));
            }
        } finally {
            System.setProperty("java.io.tmpdir", tmp);
        }
        assertThat(nativeThreads()).as("threads of native runtimes").isZero();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.filter(file -> file.toString().contains("doris-flink-native")))
                    .as("the one file that all of them share")
                    .hasSize(1);
        }
        assertThat(mappedLibraries()).as("files that are mapped, by inode").hasSize(1);
        StandinProcess.await(
                () -> "class loaders that are still reachable: " + reachable(loaders),
                () -> {
                    System.gc();
                    return reachable(loaders) == 0;
                });
    }

    @Test
    void jobsSideBySideDoNotDisturbEachOther() throws Exception {
        try (IsolatedConnector first = new IsolatedConnector();
                IsolatedConnector second = new IsolatedConnector()) {
            assertThat(read(first)).hasSize(4).containsExactlyElementsOf(read(second));
            assertThat(counters(first)).containsOnly(0);
            assertThat(read(second)).hasSize(4);
            assertThat(counters(second)).containsOnly(0);
        }
    }

    /**
     * A paused task goes on after its job's class loader was closed: Flink's throws from then on.
     */
    @Test
    void aCallThatFailsUnderAClosedContextClassLoaderIsAnExceptionLikeAnyOther() throws Exception {
        ClassLoader closed =
                new ClassLoader(null) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve) {
                        throw new IllegalStateException("this class loader is closed: " + name);
                    }
                };
        try (IsolatedConnector connector = new IsolatedConnector()) {
            Object failure =
                    connector.invoke(
                            LoaderProbe.class.getName(),
                            "failUnder",
                            new Class<?>[] {ClassLoader.class},
                            closed);
            assertThat((String) failure)
                    .startsWith("CONFIG: ")
                    .contains("the configuration cannot be decoded");
        }
    }

    /** One job; returns what must become unreachable. */
    private WeakReference<ClassLoader> run(int job) throws Exception {
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThat(read(connector)).containsExactlyInAnyOrder("1=Zoë", "2=NULL", "3=😀", "4=");
            assertThat(counters(connector)).containsOnly(0);
            assertThat(write(connector, job)).containsEntry("loaded.rows", "1");
            assertThat(counters(connector)).containsOnly(0);
            return new WeakReference<>(connector);
        }
    }

    @SuppressWarnings("unchecked")
    private List<String> read(IsolatedConnector connector) throws Exception {
        Object rows =
                connector.invoke(
                        LoaderProbe.class.getName(),
                        "read",
                        new Class<?>[] {byte[].class},
                        (Object) config);
        return (List<String>) rows;
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> write(IsolatedConnector connector, int job) throws Exception {
        Map<String, String> spec =
                TestSink.rows("written", "ROW<`id` BIGINT, `name` VARCHAR(2147483647)>", false);
        spec.put("labels.next", String.valueOf(job));
        Object outcome =
                connector.invoke(
                        LoaderProbe.class.getName(),
                        "write",
                        new Class<?>[] {byte[].class, Map.class, long.class},
                        new TestSink(standin.fenodes()).bytes(),
                        spec,
                        (long) job);
        return (Map<String, String>) outcome;
    }

    private static long[] counters(IsolatedConnector connector) throws Exception {
        return (long[]) connector.invoke(LoaderProbe.class.getName(), "counters", new Class<?>[0]);
    }

    /** Inodes of what the class loaders of this test have loaded. */
    private Set<String> mappedLibraries() throws IOException {
        try (Stream<String> maps = Files.lines(Paths.get("/proc/self/maps"))) {
            return maps.filter(line -> line.contains(folder + "/doris-flink-native-"))
                    .map(line -> line.split(" +")[4])
                    .collect(Collectors.toSet());
        }
    }

    private static long reachable(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(loader -> loader.get() != null).count();
    }

    /** Threads of this process that a native runtime named. */
    private static long nativeThreads() throws IOException {
        try (Stream<Path> threads = Files.list(Paths.get("/proc/self/task"))) {
            return threads.filter(
                            thread ->
                                    StandinProcess.text(thread.resolve("comm"))
                                            .startsWith("doris-native"))
                    .count();
        }
    }
}
