package org.apache.doris.flink.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a run was asked for, as {@code name=value}: {@code seed}, {@code faults}, {@code minutes}
 * (ends the run earlier), {@code folder} (logs, checkpoints), {@code only} (kinds of faults, a
 * regular expression), options of the connector, and for processes of their own {@code flink} (a
 * home) and {@code jars}.
 */
public final class RunArguments {

    private final Map<String, String> values = new TreeMap<>();

    private RunArguments() {}

    /** The arguments of a command line. */
    public static RunArguments of(String... arguments) {
        RunArguments read = new RunArguments();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            read.values.put(argument.substring(0, at), argument.substring(at + 1));
        }
        return read;
    }

    /** Decides what the run does. */
    public long seed() {
        return Long.parseLong(values.get("seed"));
    }

    /** How many faults are planned. */
    public int faults() {
        return Integer.parseInt(values.get("faults"));
    }

    /** No round begins later than this. */
    public Duration time() {
        return Duration.ofMinutes(Long.parseLong(values.getOrDefault("minutes", "100000")));
    }

    /** Where everything of the run is. */
    public Path folder() {
        return Path.of(values.get("folder"));
    }

    /** What the names of the kinds of faults must match. */
    public String only() {
        return values.getOrDefault("only", ".*");
    }

    /** Options whose names begin so. */
    public Map<String, String> options(String prefix) {
        return values.entrySet().stream()
                .filter(option -> option.getKey().startsWith(prefix))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Any value. */
    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Whether Flink runs as processes of its own. */
    public boolean processes() {
        return values.containsKey("flink");
    }

    /** The cluster of the run, started. */
    public Flink flink(Waiter waiter) throws Exception {
        return processes()
                ? new ProcessFlink(folder(), Path.of(values.get("flink")), jars(), waiter)
                : new LocalFlink(folder(), waiter);
    }

    private List<Path> jars() {
        return Arrays.stream(values.getOrDefault("jars", "").split(":"))
                .filter(jar -> !jar.isEmpty())
                .map(Path::of)
                .collect(Collectors.toList());
    }
}
