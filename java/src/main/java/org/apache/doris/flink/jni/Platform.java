package org.apache.doris.flink.jni;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a native library has to fit: operating system, processor, C library. Found out without
 * loading anything, since a library for another C library can take the JVM down.
 */
final class Platform {
    private static final Path MAPS = Paths.get("/proc/self/maps");
    private static final Pattern GLIBC_RELEASE =
            Pattern.compile("release version (\\d{1,4})\\.(\\d{1,4})");
    private static final Pattern GLIBC_SYMBOL = Pattern.compile("GLIBC_(\\d{1,4})\\.(\\d{1,4})");

    /** A library's symbol versions stand in its first sections. */
    private static final int SYMBOL_BYTES = 4 << 20;

    private final String os;
    private final String arch;
    private final boolean musl;
    private final Optional<GlibcVersion> glibc;

    Platform(String os, String arch, boolean musl, Optional<GlibcVersion> glibc) {
        this.os = os;
        this.arch = arch;
        this.musl = musl;
        this.glibc = glibc;
    }

    /** The platform of this JVM. */
    static Platform current() {
        String os = osName(System.getProperty("os.name", ""));
        String maps = os.equals("linux") ? read(MAPS) : "";
        boolean musl = isMusl(maps);
        return new Platform(
                os,
                archName(System.getProperty("os.arch", "")),
                musl,
                musl ? Optional.empty() : glibcOf(maps));
    }

    /** The folder of its library in the jar, {@code <os>-<arch>[-musl]}. */
    String classifier() {
        return os + "-" + arch + (musl ? "-musl" : "");
    }

    /** For messages. */
    @Override
    public String toString() {
        String libc = musl ? ", musl" : glibc.map(version -> ", glibc " + version).orElse("");
        return os + " on " + arch + libc;
    }

    /** The C library's version, empty when it is not glibc or not known. */
    Optional<GlibcVersion> glibc() {
        return glibc;
    }

    /** {@code linux}, {@code macos}, {@code windows} or the JVM's own name. */
    static String osName(String property) {
        String name = property.toLowerCase(Locale.ROOT);
        if (name.startsWith("mac") || name.startsWith("darwin")) {
            return "macos";
        }
        return name.startsWith("windows") ? "windows" : name.replace(' ', '_');
    }

    /** {@code x86_64}, {@code aarch64} or the JVM's own name. */
    static String archName(String property) {
        switch (property) {
            case "amd64":
            case "x86_64":
                return "x86_64";
            case "arm64":
            case "aarch64":
                return "aarch64";
            default:
                return property;
        }
    }

    /** Whether a process with these mappings runs on musl. */
    static boolean isMusl(String maps) {
        return maps.contains("/ld-musl-") || maps.contains("/libc.musl-");
    }

    /** The version of the glibc among these mappings. */
    static Optional<GlibcVersion> glibcOf(String maps) {
        // libc-2.17.so up to 2.33, libc.so.6 since.
        Matcher path = Pattern.compile("(/\\S*/libc(?:-([0-9.]+)\\.so|\\.so\\.6))").matcher(maps);
        if (!path.find()) {
            return Optional.empty();
        }
        if (path.group(2) != null) {
            return GlibcVersion.parse(path.group(2));
        }
        try {
            return newest(GLIBC_RELEASE, Files.readAllBytes(Paths.get(path.group(1))));
        } catch (IOException | OutOfMemoryError e) {
            return Optional.empty();
        }
    }

    /** The newest glibc whose symbols a library wants; empty when it wants none. */
    static Optional<GlibcVersion> glibcWanted(Path library) throws IOException {
        byte[] start;
        try (var in = Files.newInputStream(library)) {
            start = in.readNBytes(SYMBOL_BYTES);
        }
        return newest(GLIBC_SYMBOL, start);
    }

    private static Optional<GlibcVersion> newest(Pattern pattern, byte[] bytes) {
        Matcher matcher = pattern.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        GlibcVersion newest = null;
        while (matcher.find()) {
            GlibcVersion found =
                    new GlibcVersion(
                            Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            if (newest == null || found.compareTo(newest) > 0) {
                newest = found;
            }
        }
        return Optional.ofNullable(newest);
    }

    private static String read(Path path) {
        try (Stream<String> lines = Files.lines(path, StandardCharsets.ISO_8859_1)) {
            StringBuilder text = new StringBuilder();
            lines.forEach(line -> text.append(line).append('\n'));
            return text.toString();
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }

    /** Version of glibc; only major and minor matter. */
    static final class GlibcVersion implements Comparable<GlibcVersion> {
        private final int major;
        private final int minor;

        GlibcVersion(int major, int minor) {
            this.major = major;
            this.minor = minor;
        }

        static Optional<GlibcVersion> parse(String text) {
            Matcher matcher = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*").matcher(text);
            return matcher.matches()
                    ? Optional.of(
                            new GlibcVersion(
                                    Integer.parseInt(matcher.group(1)),
                                    Integer.parseInt(matcher.group(2))))
                    : Optional.empty();
        }

        @Override
        public int compareTo(GlibcVersion other) {
            return major != other.major
                    ? Integer.compare(major, other.major)
                    : Integer.compare(minor, other.minor);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof GlibcVersion && compareTo((GlibcVersion) other) == 0;
        }

        @Override
        public int hashCode() {
            return 31 * major + minor;
        }

        @Override
        public String toString() {
            return major + "." + minor;
        }
    }
}
