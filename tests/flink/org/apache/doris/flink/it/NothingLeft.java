package org.apache.doris.flink.it;

import org.apache.doris.flink.jni.NativeCounters;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** What must be gone once no job runs: handles, batches, bytes, threads, sessions, streams. */
public final class NothingLeft {

    /** Name of the native runtime's threads, as the system shows it. */
    private static final String THREAD_NAME = "doris-native";

    private NothingLeft() {}

    /** Waits until nothing native is left and the server has no session or stream; or fails. */
    static void check(Standin standin) throws Exception {
        check(standin, Duration.ofSeconds(10));
    }

    /** As {@link #check(Standin)}, within a bound. */
    static void check(Standin standin, Duration bound) throws Exception {
        Map<String, Long> open = new TreeMap<>();
        try {
            Until.holds(
                    "nothing is left open",
                    bound,
                    () -> {
                        open.clear();
                        open.putAll(open(standin));
                        return open.isEmpty();
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", but " + open, e);
        }
    }

    /** What is still open, natively and at the server, by name; empty when nothing is. */
    public static Map<String, Long> open(Standin standin) throws IOException {
        Map<String, Long> open = new TreeMap<>();
        open.put("handles", NativeCounters.openHandles());
        open.put("batches", NativeCounters.liveBatches());
        open.put("native bytes", NativeCounters.nativeBytes());
        open.put("runtime threads", NativeCounters.runtimeThreads());
        open.put("threads of the system", threads());
        open.put("Flight sessions of the client", NativeCounters.flightSessions());
        for (String name :
                new String[] {
                    "flight_sessions", "flight_streams", "flight_queries", "flight_results"
                }) {
            open.put("server's " + name, standin.stat(name));
        }
        open.values().removeIf(count -> count == 0);
        return open;
    }

    private static long threads() throws IOException {
        long count = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (name(task).startsWith(THREAD_NAME)) {
                    count++;
                }
            }
        }
        return count;
    }

    private static String name(Path task) throws IOException {
        try {
            return Files.readString(task.resolve("comm"));
        } catch (IOException ended) {
            // The thread ended while its name was read.
            return "";
        }
    }
}
