package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.NativeException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One file per library and process, which class loaders load by links. The JVM lets a file be
 * loaded by one class loader only and goes by its path; the system maps files by what they are. So
 * each loader gets a hard link of its own, and all of them share one mapping with its statics: what
 * a job that brings the connector along costs does not add up.
 *
 * <p>Class loaders find the file by a system property, which is the process's and keeps none of
 * them alive. The file is there until the process ends; what a killed one leaves is removed by the
 * next process that unpacks.
 */
final class SharedLibrary {

    private static final String PREFIX = "doris-flink-native-p";
    private static final String PROPERTY = "org.apache.doris.flink.native.";
    private static final Pattern OF_PROCESS = Pattern.compile(PREFIX + "(\\d+)-.*");

    /** A younger folder may be one whose process this one does not see yet. */
    private static final Duration MAKING = Duration.ofMinutes(1);

    /** One object for all class loaders of the process. */
    private static final Object LOCK = (PROPERTY + "lock").intern();

    private SharedLibrary() {}

    /** Where a library comes from. */
    interface Content {
        InputStream open() throws IOException;
    }

    /** Loads a file by its path; throws what {@link System#load} does. */
    interface Loading {
        void load(Path file) throws NativeException;
    }

    /**
     * Loads the library by a link of this class loader's own.
     *
     * @param facts what the content has to be
     * @return false where the folder's file system has no links; nothing is left over then
     * @throws IOException when the library cannot be unpacked or is not what the facts say
     */
    static boolean load(LibraryFacts facts, Content content, Loading loading) throws IOException {
        synchronized (LOCK) {
            Path file = file(facts, content);
            Path link = file.resolveSibling(UUID.randomUUID() + ".so");
            try {
                Files.createLink(link, file);
            } catch (IOException | UnsupportedOperationException e) {
                forget(facts, file);
                return false;
            }
            boolean loaded = false;
            try {
                loading.load(link);
                loaded = true;
            } finally {
                // The mapping stays when the link is gone.
                Files.deleteIfExists(link);
                if (!loaded) {
                    forget(facts, file);
                }
            }
            return true;
        }
    }

    private static Path file(LibraryFacts facts, Content content) throws IOException {
        String known = System.getProperty(property(facts));
        if (known != null) {
            Path file = Paths.get(known);
            // A cleaner of temporary files may have been there.
            if (Files.isRegularFile(file) && Files.size(file) == facts.size()) {
                return file;
            }
        }
        LibraryCopy.sweep();
        sweep();
        Path folder =
                Files.createTempDirectory(
                        LibraryCopy.parent(), PREFIX + ProcessHandle.current().pid() + "-");
        Path file = folder.resolve(NativeLibrary.FILE_NAME);
        try (InputStream in = content.open()) {
            Files.copy(in, file);
            LibraryFacts found = LibraryFacts.of(file);
            if (!found.sha256().equals(facts.sha256())) {
                throw new IOException(
                        "the library that was unpacked to "
                                + file
                                + " has "
                                + found
                                + "; expected are "
                                + facts);
            }
        } catch (IOException | RuntimeException e) {
            remove(folder);
            throw e;
        }
        folder.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        System.setProperty(property(facts), file.toString());
        return file;
    }

    private static void forget(LibraryFacts facts, Path file) throws IOException {
        System.clearProperty(property(facts));
        remove(file.getParent());
    }

    private static String property(LibraryFacts facts) {
        return PROPERTY + facts.sha256() + "@" + LibraryCopy.parent();
    }

    /** Removes the folders of processes that are gone. Best effort. */
    static void sweep() {
        try (DirectoryStream<Path> folders =
                Files.newDirectoryStream(LibraryCopy.parent(), PREFIX + "*")) {
            for (Path folder : folders) {
                try {
                    if (isStale(folder)) {
                        remove(folder);
                    }
                } catch (IOException | RuntimeException e) {
                    // Another user's, or being swept by another JVM.
                }
            }
        } catch (IOException | RuntimeException e) {
            // Unpacking will report what is wrong with the folder.
        }
    }

    /** Whether a folder is one of these, which have no lock. */
    static boolean isFolder(Path folder) {
        return folder.getFileName().toString().startsWith(PREFIX);
    }

    /** A process of another container is not seen here; without its file it unpacks once more. */
    private static boolean isStale(Path folder) throws IOException {
        Matcher process = OF_PROCESS.matcher(folder.getFileName().toString());
        return process.matches()
                && !Files.isSymbolicLink(folder)
                && ProcessHandle.of(Long.parseLong(process.group(1))).isEmpty()
                && Files.getLastModifiedTime(folder)
                        .toInstant()
                        .isBefore(Instant.now().minus(MAKING));
    }

    private static void remove(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }
}
