package org.apache.doris.flink.jni;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * A private copy of the library in a folder of its own, since one file can be loaded by one class
 * loader only. It lives from unpacking to loading. A JVM that is killed in between leaves it
 * behind: each new copy removes those whose lock is free.
 */
final class LibraryCopy {
    private static final String PREFIX = "doris-flink-native-";
    private static final String LOCK = "lock";

    /** A younger folder may be one that is being made and not locked yet. */
    private static final Duration MAKING = Duration.ofMinutes(1);

    private final Path folder;
    private final FileChannel lock;

    private LibraryCopy(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** Where copies go: {@code java.io.tmpdir}. */
    static Path parent() {
        return Paths.get(System.getProperty("java.io.tmpdir", "/tmp"));
    }

    /** Unpacks a copy that only this user can read. */
    static LibraryCopy create(InputStream library) throws IOException {
        sweep();
        LibraryCopy copy = lockedFolder();
        try {
            Files.copy(library, copy.file());
            return copy;
        } catch (IOException | RuntimeException e) {
            copy.delete();
            throw e;
        }
    }

    Path folder() {
        return folder;
    }

    Path file() {
        return folder.resolve(NativeLibrary.FILE_NAME);
    }

    /** Removes the copy. What cannot be removed now (a loaded file on Windows) is swept later. */
    void delete() {
        try {
            remove(folder);
        } catch (IOException e) {
            // The next copy sweeps it.
        }
        close(lock);
    }

    private static LibraryCopy lockedFolder() throws IOException {
        // createTempDirectory makes it accessible to the owner alone.
        Path folder = Files.createTempDirectory(parent(), PREFIX);
        FileChannel channel = null;
        try {
            channel =
                    FileChannel.open(
                            folder.resolve(LOCK),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            tryLock(channel);
            return new LibraryCopy(folder, channel);
        } catch (IOException | RuntimeException e) {
            close(channel);
            remove(folder);
            throw e;
        }
    }

    /** Removes the copies of JVMs that are gone. Best effort. */
    static void sweep() {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent(), PREFIX + "*")) {
            for (Path stale : folders) {
                if (SharedLibrary.isFolder(stale)) {
                    continue;
                }
                try {
                    sweep(stale);
                } catch (IOException | RuntimeException e) {
                    // Another user's, or being swept by another JVM.
                }
            }
        } catch (IOException | RuntimeException e) {
            // Unpacking will report what is wrong with the folder.
        }
    }

    private static void sweep(Path stale) throws IOException {
        if (Files.isSymbolicLink(stale)) {
            return;
        }
        FileTime made = Files.getLastModifiedTime(stale);
        if (made.toInstant().isAfter(Instant.now().minus(MAKING))) {
            return;
        }
        try (FileChannel channel =
                FileChannel.open(stale.resolve(LOCK), StandardOpenOption.WRITE)) {
            if (tryLock(channel) != null) {
                remove(stale);
            }
        } catch (NoSuchFileException e) {
            remove(stale);
        }
    }

    /** The lock, null when somebody holds it; the kernel frees it when its holder dies. */
    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another class loader of this JVM.
            return null;
        }
    }

    private static void remove(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    private static void close(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing is written to it.
            }
        }
    }
}
