package org.apache.doris.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Checkpoint bytes that released versions wrote, under {@code tests/fixtures/state}. A format that
 * is in users' checkpoints never changes: a new one gets a new version and new files.
 */
public final class GoldenBytes {

    private static final Path DIRECTORY = Paths.get(System.getProperty("doris.fixtures"), "state");

    private GoldenBytes() {}

    /**
     * The value is what the file holds, written and read. Run with {@code
     * -Ddoris.golden.write=true} to write files that do not exist yet.
     */
    public static <T> void check(
            SimpleVersionedSerializer<T> serializer, int version, String name, T value)
            throws IOException {
        Path file = DIRECTORY.resolve("v" + version).resolve(name + ".bin");
        if (Boolean.getBoolean("doris.golden.write") && !Files.exists(file)) {
            Files.createDirectories(file.getParent());
            Files.write(file, serializer.serialize(value));
        }
        byte[] golden = Files.readAllBytes(file);
        assertThat(serializer.deserialize(version, golden)).isEqualTo(value);
        if (serializer.getVersion() == version) {
            assertThat(serializer.serialize(value)).isEqualTo(golden);
        }
    }

    /** Every cut and every flipped byte gives an IOException or another value, nothing else. */
    public static <T> void checkDamage(SimpleVersionedSerializer<T> serializer, T value)
            throws IOException {
        int version = serializer.getVersion();
        byte[] bytes = serializer.serialize(value);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> serializer.deserialize(version, cut))
                    .as("cut to %d of %d", length, bytes.length)
                    .isInstanceOf(IOException.class);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> serializer.deserialize(version, longer))
                .isInstanceOf(IOException.class);
        for (int at = 0; at < bytes.length; at++) {
            for (int flip : new int[] {0x01, 0x80, 0xFF}) {
                byte[] damaged = bytes.clone();
                damaged[at] ^= (byte) flip;
                try {
                    serializer.deserialize(version, damaged);
                } catch (IOException expected) {
                    assertThat(expected.getMessage())
                            .containsAnyOf("cannot be read", "has version");
                }
            }
        }
        for (int unknown : new int[] {0, version + 1, -1}) {
            assertThatThrownBy(() -> serializer.deserialize(unknown, bytes))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("version " + unknown);
        }
    }
}
