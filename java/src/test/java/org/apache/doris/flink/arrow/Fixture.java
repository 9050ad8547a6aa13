package org.apache.doris.flink.arrow;

import org.apache.doris.flink.error.NativeException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A batch as {@code rust/jni/tests/fixtures.rs} wrote it; its bytes may be changed before use. */
public final class Fixture {
    private static final Path FOLDER =
            Paths.get(System.getProperty("doris.fixtures", "tests/fixtures"), "ipc");

    public final byte[] header;
    public final byte[] body;

    /** How often a batch of this fixture was freed. */
    public final AtomicInteger freed = new AtomicInteger();

    private Fixture(byte[] header, byte[] body) {
        this.header = header;
        this.body = body;
    }

    /** Reads {@code <name>.bin}. */
    public static Fixture of(String name) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(FOLDER.resolve(name + ".bin")));
        byte[] header = new byte[in.getInt()];
        in.get(header);
        byte[] body = new byte[in.getInt()];
        in.get(body);
        return new Fixture(header, body);
    }

    /** The lines of a text file beside the fixtures. */
    public static List<String> lines(String file) throws IOException {
        return Files.readAllLines(FOLDER.resolve(file), StandardCharsets.UTF_8);
    }

    /** A batch over direct buffers, as native code gives them. */
    public IpcBatch batch(long rows) throws NativeException {
        AtomicInteger counter = freed;
        return IpcBatch.create(direct(header), direct(body), rows, counter::incrementAndGet, null);
    }

    /** The same bytes in a direct buffer. */
    public static ByteBuffer direct(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
        buffer.duplicate().put(bytes);
        return buffer;
    }
}
