package org.apache.doris.flink.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Configurations as they cross to the native core, in files that the tests of both languages read:
 * one {@code key=value} a line, sorted, nothing escaped.
 */
public final class ConfigFixture {

    private static final Path FOLDER = Paths.get(System.getProperty("doris.fixtures"), "config");

    private ConfigFixture() {}

    /** The configuration of a file; a new map. */
    public static Map<String, String> read(String name) {
        try {
            Map<String, String> map = new LinkedHashMap<>();
            for (String line : Files.readAllLines(path(name))) {
                int equals = line.indexOf('=');
                map.put(line.substring(0, equals), line.substring(equals + 1));
            }
            return map;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path path(String name) {
        return FOLDER.resolve(name + ".properties");
    }
}
