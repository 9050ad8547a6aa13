package org.apache.doris.flink.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a run did, step by step, on the screen and in a file; counts of each kind of fault. */
public final class RunLog implements AutoCloseable {

    private final long start = System.nanoTime();
    private final PrintStream screen = System.out;
    private final PrintWriter file;
    private final Map<String, Integer> struck = new TreeMap<>();
    private final Map<String, Integer> idle = new TreeMap<>();

    /** A log that goes to a file as well. */
    public RunLog(Path path) {
        try {
            file = new PrintWriter(Files.newBufferedWriter(path), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One step. */
    public synchronized void step(String format, Object... arguments) {
        double seconds = (System.nanoTime() - start) / 1e9;
        String text = arguments.length == 0 ? format : String.format(format, arguments);
        print(String.format(Locale.ROOT, "%7.2f  %s", seconds, text));
    }

    /** A line without a time. */
    public synchronized void print(String line) {
        screen.println(line);
        file.println(line);
    }

    /** A planned fault struck, or found nothing to strike within its time. */
    public void count(Kind kind, boolean hasStruck) {
        (hasStruck ? struck : idle).merge(kind.text(), 1, Integer::sum);
    }

    /** How many faults struck. */
    public int struck() {
        return struck.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** How often each kind struck, and which found nothing to strike. */
    public void printCounts() {
        print("faults by kind:");
        struck.forEach((kind, count) -> print(String.format("  %4d %s", count, kind)));
        idle.forEach(
                (kind, count) ->
                        print(String.format("  %4d %s found nothing to strike", count, kind)));
    }

    @Override
    public void close() {
        file.close();
    }
}
