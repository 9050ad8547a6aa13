package org.apache.doris.flink.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** What a run did, step by step, on the screen and in a file; counts of each kind of fault. */
final class RunLog implements AutoCloseable {

    private final long start = System.nanoTime();
    private final PrintStream screen = System.out;
    private final PrintWriter file;
    private final Map<FaultKind, Integer> struck = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Integer> idle = new EnumMap<>(FaultKind.class);

    RunLog(Path path) {
        try {
            file = new PrintWriter(Files.newBufferedWriter(path), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One step. */
    synchronized void step(String format, Object... arguments) {
        double seconds = (System.nanoTime() - start) / 1e9;
        String text = arguments.length == 0 ? format : String.format(format, arguments);
        print(String.format(Locale.ROOT, "%7.2f  %s", seconds, text));
    }

    /** A line without a time. */
    synchronized void print(String line) {
        screen.println(line);
        file.println(line);
    }

    /** A planned fault struck, or found nothing to strike within its time. */
    void count(FaultKind kind, boolean hasStruck) {
        (hasStruck ? struck : idle).merge(kind, 1, Integer::sum);
    }

    /** How many faults struck. */
    int struck() {
        return struck.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How often each kind struck, and which found nothing to strike. */
    void printCounts() {
        print("faults by kind:");
        struck.forEach((kind, count) -> print(String.format("  %4d %s", count, kind.text())));
        idle.forEach(
                (kind, count) ->
                        print(
                                String.format(
                                        "  %4d %s found nothing to strike", count, kind.text())));
    }

    @Override
    public void close() {
        file.close();
    }
}
