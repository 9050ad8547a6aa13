package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Loads the native library, once per class loader: a file given by {@code
 * doris.native.library-path}, else the one in this jar, which class loaders of one process share
 * ({@link SharedLibrary}). What cannot work is refused before it is loaded, and a failure is thrown
 * again at every later use.
 */
@Internal
public final class NativeLibrary {
    /** Number of the boundary that this jar speaks; the library's must be the same. */
    static final int ABI_VERSION = 7;

    static final String PATH_OPTION = "doris.native.library-path";
    static final String FILE_NAME = "libdoris_flink_native.so";
    private static final String VERSION_RESOURCE = "version.properties";
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

    private static final Map<String, NativeException> FAILURES = new HashMap<>();
    private static NativeException spoiled;
    private static String loadedFrom;
    private static volatile boolean loaded;

    private NativeLibrary() {}

    /**
     * Loads the library unless this class loader has it already.
     *
     * @param path a library file to use instead of the one in the jar; null or blank for none
     * @throws NativeException with {@link ErrorCode#LIBRARY}; the first failure is kept and is the
     *     cause of every later one
     */
    public static synchronized void load(String path) throws NativeException {
        String wanted = path == null || path.isBlank() ? "" : path.trim();
        if (loaded) {
            if (!wanted.isEmpty() && !wanted.equals(loadedFrom)) {
                LOG.warn(
                        "{} = '{}' has no effect: the library was loaded from {} before",
                        PATH_OPTION,
                        wanted,
                        loadedFrom.isEmpty() ? "the jar" : "'" + loadedFrom + "'");
            }
            return;
        }
        NativeException first = spoiled != null ? spoiled : FAILURES.get(wanted);
        if (first != null) {
            throw new NativeException(ErrorCode.LIBRARY, first.getMessage(), first);
        }
        try {
            if (wanted.isEmpty()) {
                loadFromJar(Platform.current());
            } else {
                loadFile(Paths.get(wanted));
            }
            checkVersion(wanted);
            loadedFrom = wanted;
            loaded = true;
        } catch (NativeException e) {
            FAILURES.put(wanted, e);
            throw e;
        } catch (RuntimeException e) {
            NativeException failure =
                    new NativeException(
                            ErrorCode.LIBRARY, "the native library could not be loaded: " + e, e);
            FAILURES.put(wanted, failure);
            throw failure;
        }
    }

    /** Loads the library from the jar unless one is loaded. */
    static void ensureLoaded() throws NativeException {
        if (!loaded) {
            load(null);
        }
    }

    /** Whether native methods can be called. */
    static boolean isLoaded() {
        return loaded;
    }

    private static void loadFile(Path file) throws NativeException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "%s = '%s' is no file that can be read: give the path of %s, or leave"
                                    + " the option out to use the one in the jar",
                            PATH_OPTION, file, FILE_NAME));
        }
        Platform platform = Platform.current();
        LibraryFacts facts =
                LibraryFacts.check(
                        file,
                        LibraryFacts.ofJar(versionResource(), platform.classifier()),
                        PATH_OPTION);
        checkGlibc(file, platform);
        try {
            System.load(file.toAbsolutePath().toString());
        } catch (UnsatisfiedLinkError e) {
            if (String.valueOf(e.getMessage()).contains("already loaded in another classloader")) {
                loadCopy(file, facts);
                return;
            }
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "%s = '%s' cannot be loaded: %s", PATH_OPTION, file, e.getMessage()),
                    e);
        }
    }

    /** One file can be loaded by one class loader only: all others share a copy. */
    private static void loadCopy(Path file, LibraryFacts facts) throws NativeException {
        try {
            SharedLibrary.Content content = () -> Files.newInputStream(file);
            if (!SharedLibrary.load(facts, content, link -> System.load(link.toString()))) {
                loadOwnCopy(content, copy -> System.load(copy.file().toString()));
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "%s = '%s' was loaded by another class loader of this JVM, and a copy"
                                    + " of it in the temporary folder %s cannot be: %s. Set"
                                    + " java.io.tmpdir to a folder that is writable and not mounted"
                                    + " noexec, or put the connector's jar into Flink's lib folder",
                            PATH_OPTION, file, LibraryCopy.parent(), e),
                    e);
        }
    }

    static void loadFromJar(Platform platform) throws NativeException {
        String resource = "/native/" + platform.classifier() + "/" + FILE_NAME;
        // Through the class, so by the class loader that defined it and not by the thread's.
        if (NativeLibrary.class.getResource(resource) == null) {
            throw new NativeException(ErrorCode.LIBRARY, noLibrary(platform, resource));
        }
        SharedLibrary.Content content = () -> NativeLibrary.class.getResourceAsStream(resource);
        Optional<LibraryFacts> facts = LibraryFacts.ofJar(versionResource(), platform.classifier());
        try {
            boolean shared =
                    facts.isPresent()
                            && SharedLibrary.load(
                                    facts.get(), content, link -> load(link, platform, resource));
            if (!shared) {
                loadOwnCopy(content, copy -> load(copy.file(), platform, resource));
            }
        } catch (IOException e) {
            if (e instanceof NativeException) {
                throw (NativeException) e;
            }
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "the native library cannot be unpacked into the temporary folder %s"
                                + " (%s). Make it writable, set java.io.tmpdir to another one, or"
                                + " unpack %s from the jar and set %s to its path",
                            LibraryCopy.parent(), e, resource, PATH_OPTION),
                    e);
        }
    }

    /** As long as it takes to load; the mapping stays when the file is gone. */
    private static void loadOwnCopy(SharedLibrary.Content content, CopyLoading loading)
            throws IOException {
        try (InputStream in = content.open()) {
            LibraryCopy copy = LibraryCopy.create(in);
            try {
                loading.load(copy);
            } finally {
                copy.delete();
            }
        }
    }

    private interface CopyLoading {
        void load(LibraryCopy copy) throws NativeException;
    }

    private static void load(Path file, Platform platform, String resource) throws NativeException {
        checkGlibc(file, platform);
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "the native library cannot be loaded from the temporary folder %s"
                                    + " (%s). If that folder is mounted noexec, set java.io.tmpdir"
                                    + " to another one, or unpack %s from the jar and set %s to its"
                                    + " path",
                            file.getParent(), e.getMessage(), resource, PATH_OPTION),
                    e);
        }
    }

    private static String noLibrary(Platform platform, String resource) {
        return String.format(
                "there is no native library for %s: the jar has no %s. Supported: %s. Use a JVM and"
                        + " system of these, or set %s to a library built for this one",
                platform, resource, supported(), PATH_OPTION);
    }

    /** The platforms that this jar has a library for. */
    static String supported() {
        StringBuilder names = new StringBuilder();
        for (String classifier :
                new String[] {
                    "linux-x86_64", "linux-aarch64", "linux-x86_64-musl", "linux-aarch64-musl"
                }) {
            String resource = "/native/" + classifier + "/" + FILE_NAME;
            if (NativeLibrary.class.getResource(resource) != null) {
                names.append(names.length() == 0 ? "" : ", ").append(classifier);
            }
        }
        return names.length() == 0 ? "none (this jar was built without one)" : names.toString();
    }

    private static void checkGlibc(Path file, Platform platform) throws NativeException {
        Optional<Platform.GlibcVersion> found = platform.glibc();
        Optional<Platform.GlibcVersion> wanted;
        try {
            wanted = Platform.glibcWanted(file);
        } catch (IOException e) {
            throw new NativeException(
                    ErrorCode.LIBRARY, "the native library " + file + " cannot be read", e);
        }
        checkGlibc(found, wanted);
    }

    static void checkGlibc(
            Optional<Platform.GlibcVersion> found, Optional<Platform.GlibcVersion> wanted)
            throws NativeException {
        if (found.isPresent() && wanted.isPresent() && wanted.get().compareTo(found.get()) > 0) {
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format(
                            "the native library wants glibc %s or newer, this system has %s. Use a"
                                    + " newer system, or set %s to a library built for this one."
                                    + " Supported: %s",
                            wanted.get(), found.get(), PATH_OPTION, supported()));
        }
    }

    /**
     * Refuses a library of another build; natives are bound by then, so nothing else can follow.
     */
    private static void checkVersion(String path) throws NativeException {
        String where = path.isEmpty() ? "in the jar" : "'" + path + "'";
        String jar = jarVersion();
        int abi;
        String library;
        try {
            abi = Native.abiVersion();
            library =
                    abi == ABI_VERSION ? new String(Native.version(), StandardCharsets.UTF_8) : "?";
        } catch (UnsatisfiedLinkError e) {
            spoiled =
                    new NativeException(
                            ErrorCode.LIBRARY,
                            "the native library " + where + " is none of this connector",
                            e);
            throw spoiled;
        }
        if (abi != ABI_VERSION || !library.equals(jar)) {
            spoiled =
                    new NativeException(
                            ErrorCode.LIBRARY,
                            String.format(
                                    "the native library %s has version %s (interface %d), the jar"
                                            + " has version %s (interface %d): use a library of the"
                                            + " jar's version, or leave out %s",
                                    where, library, abi, jar, ABI_VERSION, PATH_OPTION));
            throw spoiled;
        }
    }

    private static String jarVersion() throws NativeException {
        String version = versionResource().getProperty("version", "").trim();
        if (version.isEmpty()) {
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    "the jar is damaged: it has no " + VERSION_RESOURCE + " with its version");
        }
        return version;
    }

    private static Properties versionResource() throws NativeException {
        Properties properties = new Properties();
        try (InputStream in = NativeLibrary.class.getResourceAsStream(VERSION_RESOURCE)) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new NativeException(
                    ErrorCode.LIBRARY, "the version of the jar cannot be read", e);
        }
        return properties;
    }
}
