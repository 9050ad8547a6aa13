package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/**
 * Size and hash of a library. A file that is cut short or otherwise damaged takes the whole JVM
 * down, at once or at its first use of what is missing, so it is checked before it is loaded.
 */
final class LibraryFacts {

    /** What a library of one's own has beside it: its hash as {@code sha256sum} writes it. */
    static final String SUM_SUFFIX = ".sha256";

    private static final int HEX_DIGITS = 64;
    private static final int ELF_HEADER = 64;
    private static final int PROGRAM_HEADER = 56;
    private static final int LOADED = 1;
    private static final int BLOCK = 1 << 16;

    private final long size;
    private final String sha256;

    LibraryFacts(long size, String sha256) {
        this.size = size;
        this.sha256 = sha256;
    }

    /** Of the library in the jar for a platform; empty where the jar was built without one. */
    static Optional<LibraryFacts> ofJar(Properties version, String classifier) {
        String size = version.getProperty("library." + classifier + ".size");
        String sha256 = version.getProperty("library." + classifier + ".sha256");
        return size == null || sha256 == null
                ? Optional.empty()
                : Optional.of(new LibraryFacts(Long.parseLong(size), sha256));
    }

    /** Of a file. */
    static LibraryFacts of(Path file) throws IOException {
        MessageDigest digest = newDigest();
        long size = 0;
        byte[] block = new byte[BLOCK];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(block); read >= 0; read = in.read(block)) {
                digest.update(block, 0, read);
                size += read;
            }
        }
        return new LibraryFacts(size, hex(digest.digest()));
    }

    /** In bytes. */
    long size() {
        return size;
    }

    /** Lower case. */
    String sha256() {
        return sha256;
    }

    /**
     * Refuses a file that is neither the jar's library nor, by the sum beside it, one that its user
     * built. For a platform that the jar has no library for, a file without a sum is refused only
     * where it is cut short.
     *
     * @return what the file is
     * @throws NativeException with {@link ErrorCode#LIBRARY}; names path, expected and found
     */
    static LibraryFacts check(Path file, Optional<LibraryFacts> ofJar, String option)
            throws NativeException {
        Path sumFile = file.resolveSibling(file.getFileName() + SUM_SUFFIX);
        try {
            LibraryFacts found = of(file);
            if (ofJar.isPresent() && ofJar.get().sha256.equals(found.sha256)) {
                return found;
            }
            if (Files.exists(sumFile)) {
                String sum = sum(sumFile);
                if (!sum.equals(found.sha256)) {
                    throw refused(
                            file, option, found, "SHA-256 " + sum + ", as " + sumFile + " says");
                }
                return found;
            }
            if (ofJar.isPresent()) {
                throw refused(file, option, found, ofJar.get() + ", the library of this jar");
            }
            long wanted = elfSize(file);
            if (wanted > found.size) {
                throw refused(file, option, found, wanted + " bytes, as its own header says");
            }
            return found;
        } catch (IOException e) {
            if (e instanceof NativeException) {
                throw (NativeException) e;
            }
            throw new NativeException(
                    ErrorCode.LIBRARY,
                    String.format("%s = '%s' cannot be read: %s", option, file, e),
                    e);
        }
    }

    private static NativeException refused(
            Path file, String option, LibraryFacts found, String expected) {
        return new NativeException(
                ErrorCode.LIBRARY,
                String.format(
                        "%s = '%s' is damaged or another library, which could end the JVM: it has"
                            + " %s; expected are %s. Copy the library out of the jar again, or, if"
                            + " you built this one yourself, write its sum beside it: sha256sum"
                            + " '%s' > '%s%s'",
                        option, file, found, expected, file, file, SUM_SUFFIX));
    }

    private static String sum(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim();
        return text.substring(0, Math.min(HEX_DIGITS, text.length())).toLowerCase(Locale.ROOT);
    }

    /** Bytes that the headers of an ELF file speak of; 0 for another kind of file. */
    static long elfSize(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer header = read(channel, 0, ELF_HEADER);
            if (header.remaining() < ELF_HEADER || header.getInt(0) != 0x464C457F) {
                return 0;
            }
            long programs = header.getLong(32);
            int programSize = header.getShort(54) & 0xFFFF;
            int programCount = header.getShort(56) & 0xFFFF;
            long sections = header.getLong(40);
            int sectionSize = header.getShort(58) & 0xFFFF;
            int sectionCount = header.getShort(60) & 0xFFFF;
            long end = sections + (long) sectionSize * sectionCount;
            end = Math.max(end, programs + (long) programSize * programCount);
            for (int i = 0; i < programCount; i++) {
                ByteBuffer program =
                        read(channel, programs + (long) i * programSize, PROGRAM_HEADER);
                if (program.remaining() == PROGRAM_HEADER && program.getInt(0) == LOADED) {
                    end = Math.max(end, program.getLong(8) + program.getLong(32));
                }
            }
            return end;
        }
    }

    private static ByteBuffer read(FileChannel channel, long from, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) > 0) {
            // Until it is full or the file ends.
        }
        buffer.flip();
        return buffer;
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return size + " bytes and SHA-256 " + sha256;
    }
}
