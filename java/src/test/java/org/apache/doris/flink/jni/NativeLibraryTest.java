package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Every way in which loading the library can go, each in a class loader of its own. */
class NativeLibraryTest {
    private final String arch = System.getProperty("os.arch");
    private final String tmp = System.getProperty("java.io.tmpdir");

    @TempDir Path folder;

    @AfterEach
    void restoreProperties() {
        System.setProperty("os.arch", arch);
        System.setProperty("java.io.tmpdir", tmp);
    }

    @Test
    void classLoadersShareOneFileAndLeaveNoLinks() throws Exception {
        System.setProperty("java.io.tmpdir", folder.toString());
        Thread thread = Thread.currentThread();
        ClassLoader context = thread.getContextClassLoader();
        // The thread's class loader must not matter: with ADD JAR it cannot see the connector.
        thread.setContextClassLoader(null);
        try (IsolatedConnector first = new IsolatedConnector();
                IsolatedConnector second = new IsolatedConnector()) {
            first.loadLibrary(null);
            first.loadLibrary(" ");
            second.loadLibrary(null);
            assertThat(counters(first)).isZero();
            assertThat(counters(second)).isZero();
        } finally {
            thread.setContextClassLoader(context);
        }
        assertThat(list(folder)).singleElement().asString().startsWith("doris-flink-native-p");
        assertThat(list(folder.resolve(list(folder).get(0))))
                .containsExactly(NativeLibrary.FILE_NAME);
    }

    /** A cleaner of temporary files, or a disk that ran full, in the life of a process. */
    @Test
    void aSharedFileThatIsGoneOrCutShortIsMadeAnew() throws Exception {
        System.setProperty("java.io.tmpdir", folder.toString());
        for (int length : new int[] {-1, 1000}) {
            try (IsolatedConnector connector = new IsolatedConnector()) {
                connector.loadLibrary(null);
            }
            for (String made : list(folder)) {
                Path file = folder.resolve(made).resolve(NativeLibrary.FILE_NAME);
                if (length < 0) {
                    Files.deleteIfExists(file);
                } else if (Files.exists(file)) {
                    // A copy, since the file itself is mapped.
                    Path copy = Files.copy(file, folder.resolve(made).resolve("copy"));
                    truncate(copy, length);
                    Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            try (IsolatedConnector connector = new IsolatedConnector()) {
                connector.loadLibrary(null);
                assertThat(counters(connector)).isZero();
            }
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    @Test
    void aLibraryThatIsCutShortIsRefusedWithPathAndSizes() throws Exception {
        Path library = unpack("lib.so");
        long size = Files.size(library);
        for (long length : new long[] {size - 1, size / 2, 4096, 0}) {
            truncate(library, length);
            try (IsolatedConnector connector = new IsolatedConnector()) {
                assertThatThrownBy(() -> connector.loadLibrary(library.toString()))
                        .hasMessageContaining("doris.native.library-path = '" + library + "'")
                        .hasMessageContaining("it has " + length + " bytes and SHA-256 ")
                        .hasMessageContaining("expected are " + size + " bytes and SHA-256 ");
            }
        }
    }

    /** As a download that reserved its space and broke: the size is right, the end is zeros. */
    @Test
    void aLibraryOfTheRightSizeWithOtherBytesIsRefused() throws Exception {
        Path library = unpack("lib.so");
        long size = Files.size(library);
        truncate(library, size / 2);
        try (RandomAccessFile file = new RandomAccessFile(library.toFile(), "rw")) {
            file.setLength(size);
        }
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(library.toString()))
                    .hasMessageContaining("is damaged or another library");
        }
    }

    @Test
    void aLibraryOfOnesOwnIsTakenByTheSumBesideIt() throws Exception {
        Path library = unpack("lib.so");
        Files.write(library, new byte[] {0}, StandardOpenOption.APPEND);
        Path sum = folder.resolve("lib.so.sha256");
        Files.writeString(sum, "0".repeat(64) + "  lib.so\n");
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(library.toString()))
                    .hasMessageContaining("as " + sum + " says");
        }
        writeSum(library);
        try (IsolatedConnector connector = new IsolatedConnector()) {
            connector.loadLibrary(library.toString());
            assertThat(counters(connector)).isZero();
        }
    }

    /** The jar knows nothing of another platform's library: its own headers have to do. */
    @Test
    void aLibraryForAPlatformThatTheJarLacksIsRefusedWhereItIsCutShort() throws Exception {
        Path library = unpack("lib.so");
        long size = Files.size(library);
        assertThat(LibraryFacts.elfSize(library)).isBetween(size / 2, size);
        System.setProperty("os.arch", "sparcv9");
        truncate(library, LibraryFacts.elfSize(library) - 1);
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(library.toString()))
                    .hasMessageContaining("bytes, as its own header says");
        }
    }

    private static void writeSum(Path library) throws IOException {
        Files.writeString(
                library.resolveSibling(library.getFileName() + LibraryFacts.SUM_SUFFIX),
                LibraryFacts.of(library).sha256() + "  " + library.getFileName() + "\n");
    }

    private static long counters(IsolatedConnector connector) throws Exception {
        return (long)
                connector.invoke(NativeCounters.class.getName(), "openHandles", new Class<?>[0]);
    }

    @Test
    void platformWithoutLibraryIsNamedAndStaysNamed() throws Exception {
        System.setProperty("os.arch", "sparcv9");
        try (IsolatedConnector connector = new IsolatedConnector()) {
            Throwable first = catchThrowable(() -> connector.loadLibrary(null));
            assertThat(first)
                    .hasMessageContaining("linux on sparcv9")
                    .hasMessageContaining("/native/linux-sparcv9/libdoris_flink_native.so")
                    .hasMessageContaining("Supported: linux-" + Platform.archName(arch))
                    .hasMessageContaining("doris.native.library-path");
            System.setProperty("os.arch", arch);
            // Later uses tell the first cause, whatever has changed since.
            Throwable later = catchThrowable(() -> connector.loadLibrary(null));
            assertThat(later).hasMessage(first.getMessage()).hasCause(first);
            Throwable use =
                    catchThrowable(
                            () ->
                                    connector.invoke(
                                            NativeScan.class.getName(),
                                            "open",
                                            new Class<?>[] {byte[].class},
                                            new byte[0]));
            assertThat(use).hasMessage(first.getMessage()).hasCause(first);
        }
    }

    @Test
    void muslIsRefusedBeforeLoading() {
        Platform alpine = new Platform("linux", "x86_64", true, Optional.empty());
        assertThatThrownBy(() -> NativeLibrary.loadFromJar(alpine))
                .isInstanceOfSatisfying(
                        NativeException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.LIBRARY))
                .hasMessageContaining("linux on x86_64, musl")
                .hasMessageContaining("/native/linux-x86_64-musl/")
                .hasMessageContaining("Supported: ");
    }

    @Test
    void olderGlibcIsRefusedBeforeLoading() {
        Optional<Platform.GlibcVersion> centos7 = Platform.GlibcVersion.parse("2.17");
        Optional<Platform.GlibcVersion> wanted = Platform.GlibcVersion.parse("2.34");
        assertThatThrownBy(() -> NativeLibrary.checkGlibc(centos7, wanted))
                .hasMessageContaining("wants glibc 2.34 or newer, this system has 2.17")
                .hasMessageContaining("Supported: ");
    }

    @Test
    void temporaryFolderThatCannotBeWritten() throws Exception {
        Path noFolder = Files.createFile(folder.resolve("a file"));
        System.setProperty("java.io.tmpdir", noFolder.toString());
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(null))
                    .hasMessageContaining(
                            "cannot be unpacked into the temporary folder " + noFolder)
                    .hasMessageContaining("java.io.tmpdir")
                    .hasMessageContaining("doris.native.library-path");
        }
    }

    @Test
    void temporaryFolderMountedNoexec() throws Exception {
        Optional<Path> noexec = noexecFolder();
        assumeTrue(noexec.isPresent(), "no writable folder is mounted noexec here");
        System.setProperty("java.io.tmpdir", noexec.get().toString());
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(null))
                    .hasMessageContaining("temporary folder " + noexec.get())
                    .hasMessageContaining("noexec")
                    .hasMessageContaining("java.io.tmpdir")
                    .hasMessageContaining("doris.native.library-path");
        }
        assertThat(list(noexec.get())).noneMatch(name -> name.startsWith("doris-flink-native-"));
    }

    private static Optional<Path> noexecFolder() throws IOException {
        try (Stream<String> mounts = Files.lines(Paths.get("/proc/mounts"))) {
            return mounts.map(line -> line.split(" "))
                    .filter(mount -> mount[2].equals("tmpfs"))
                    .filter(mount -> ("," + mount[3] + ",").contains(",noexec,"))
                    .map(mount -> Paths.get(mount[1]))
                    .filter(path -> Files.isDirectory(path) && Files.isWritable(path))
                    .filter(path -> path.toFile().getUsableSpace() > 256L << 20)
                    .findFirst();
        }
    }

    @Test
    void libraryFromOutsideIsUsedByEveryClassLoader() throws Exception {
        Path library = unpack("lib.so");
        // Nothing in the jar fits, so that only the given file can have been loaded.
        System.setProperty("os.arch", "sparcv9");
        try (IsolatedConnector first = new IsolatedConnector();
                IsolatedConnector second = new IsolatedConnector()) {
            first.loadLibrary(library.toString());
            second.loadLibrary(library.toString());
            assertThat(counters(first)).isZero();
            assertThat(counters(second)).isZero();
        }
    }

    @Test
    void pathThatIsNoLibrary() throws Exception {
        Path noLibrary = folder.resolve("text.so");
        Files.writeString(noLibrary, "not a library");
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary("/nowhere/lib.so"))
                    .hasMessageContaining("doris.native.library-path = '/nowhere/lib.so'")
                    .hasMessageContaining("no file that can be read");
            assertThatThrownBy(() -> connector.loadLibrary(noLibrary.toString()))
                    .hasMessageContaining("'" + noLibrary + "' is damaged or another library");
            // A failure belongs to its path: a corrected option works.
            connector.loadLibrary(null);
            assertThatThrownBy(() -> new IsolatedConnector().loadLibrary("a\0b"))
                    .hasMessageContaining("could not be loaded");
        }
    }

    @Test
    void foreignLibraryIsRefused() throws Exception {
        Optional<Path> foreign =
                Stream.of("/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6")
                        .map(Paths::get)
                        .filter(Files::exists)
                        .findFirst();
        assumeTrue(foreign.isPresent(), "no other library at hand");
        Path library = Files.copy(foreign.get(), folder.resolve("libother.so"));
        writeSum(library);
        try (IsolatedConnector connector = new IsolatedConnector()) {
            assertThatThrownBy(() -> connector.loadLibrary(library.toString()))
                    .hasMessageContaining("is none of this connector");
            // It is bound now, so nothing else may follow in this class loader.
            assertThatThrownBy(() -> connector.loadLibrary(null))
                    .hasMessageContaining("is none of this connector");
        }
    }

    @Test
    void libraryOfAnotherVersionIsRefused() throws Exception {
        Path properties = folder.resolve("org/apache/doris/flink/jni/version.properties");
        Files.createDirectories(properties.getParent());
        Files.writeString(properties, "version=99.1.2\n");
        try (IsolatedConnector connector = new IsolatedConnector(folder.toUri().toURL())) {
            assertThatThrownBy(() -> connector.loadLibrary(null))
                    .hasMessageContaining("has version " + libraryVersion())
                    .hasMessageContaining("the jar has version 99.1.2");
        }
    }

    private static String libraryVersion() throws IOException {
        try (InputStream in = NativeLibrary.class.getResourceAsStream("version.properties")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("(?s).*version=(\\S+).*", "$1");
        }
    }

    @Test
    void copiesOfKilledProcessesAreSwept() throws Exception {
        System.setProperty("java.io.tmpdir", folder.toString());
        Path stale = copy("doris-flink-native-stale", 3600, true);
        Path unlocked = copy("doris-flink-native-unlocked", 3600, false);
        Path inUse = copy("doris-flink-native-in-use", 3600, true);
        Path beingMade = copy("doris-flink-native-being-made", 0, false);
        Path others = copy("something-else", 3600, true);
        long ended = endedProcess();
        Path ofEnded = copy("doris-flink-native-p" + ended + "-1", 3600, false);
        Path ofNew = copy("doris-flink-native-p" + ended + "-2", 0, false);
        Path ofLiving =
                copy("doris-flink-native-p" + ProcessHandle.current().pid() + "-x", 3600, false);
        try (FileChannel channel =
                FileChannel.open(inUse.resolve("lock"), StandardOpenOption.WRITE)) {
            channel.lock();
            try (IsolatedConnector connector = new IsolatedConnector()) {
                connector.loadLibrary(null);
            }
        }
        assertThat(stale).doesNotExist();
        assertThat(unlocked).doesNotExist();
        assertThat(inUse).exists();
        assertThat(beingMade).exists();
        assertThat(others).exists();
        assertThat(ofEnded).doesNotExist();
        assertThat(ofNew).exists();
        assertThat(ofLiving).exists();
        assertThat(list(folder)).hasSize(6);
    }

    private static long endedProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }

    private Path copy(String name, long ageSeconds, boolean lock) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        Files.writeString(copy.resolve(NativeLibrary.FILE_NAME), "half a library");
        if (lock) {
            Files.createFile(copy.resolve("lock"));
        }
        return Files.setLastModifiedTime(
                copy, FileTime.from(Instant.now().minusSeconds(ageSeconds)));
    }

    @Test
    void libraryWantsAGlibcThatThisSystemHas() throws Exception {
        Optional<Platform.GlibcVersion> wanted = Platform.glibcWanted(unpack("lib.so"));
        Optional<Platform.GlibcVersion> found = Platform.current().glibc();
        assertThat(wanted).isPresent();
        assertThat(found).isPresent();
        assertThat(found.get()).isGreaterThanOrEqualTo(wanted.get());
    }

    private Path unpack(String name) throws IOException {
        Path file = folder.resolve(name);
        String resource =
                "/native/" + Platform.current().classifier() + "/" + NativeLibrary.FILE_NAME;
        try (InputStream in = NativeLibrary.class.getResourceAsStream(resource);
                OutputStream out = Files.newOutputStream(file)) {
            assertThat(in).as(resource).isNotNull();
            in.transferTo(out);
        }
        return file;
    }

    private static java.util.List<String> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString())
                    .collect(java.util.stream.Collectors.toList());
        }
    }
}
