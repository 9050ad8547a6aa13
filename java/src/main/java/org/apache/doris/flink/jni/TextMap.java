package org.apache.doris.flink.jni;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.annotation.Internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Maps of text as they cross the boundary, in both directions: configurations, requests, results.
 *
 * <p>Bytes, big-endian: u32 count, then per entry u32 length and UTF-8 of the key, u32 length and
 * UTF-8 of the value. A password may be among the values: the bytes must never be logged.
 */
@Internal
public final class TextMap {
    private TextMap() {}

    /** The bytes of a map, in its order. */
    public static byte[] encode(Map<String, String> map) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, map.size());
        map.forEach(
                (key, value) -> {
                    write(out, key);
                    write(out, value);
                });
        return out.toByteArray();
    }

    /**
     * The map of what {@link #encode} or the native library wrote.
     *
     * @throws NativeException {@link ErrorCode#INTERNAL} when the bytes are no such map
     */
    public static Map<String, String> decode(byte[] bytes) throws NativeException {
        if (bytes == null) {
            throw damaged("nothing");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int count = count(in, 8);
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String key = read(in);
            if (map.put(key, read(in)) != null) {
                throw damaged("'" + key + "' twice");
            }
        }
        if (in.hasRemaining()) {
            throw damaged(in.remaining() + " bytes too many");
        }
        return map;
    }

    private static void write(ByteArrayOutputStream out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        write(out, utf8.length);
        out.write(utf8, 0, utf8.length);
    }

    private static void write(ByteArrayOutputStream out, int number) {
        out.write(number >>> 24);
        out.write(number >>> 16);
        out.write(number >>> 8);
        out.write(number);
    }

    private static String read(ByteBuffer in) throws NativeException {
        int length = count(in, 1);
        String text =
                new String(
                        in.array(),
                        in.arrayOffset() + in.position(),
                        length,
                        StandardCharsets.UTF_8);
        in.position(in.position() + length);
        return text;
    }

    /** A count of items that take at least that many bytes each. */
    private static int count(ByteBuffer in, int bytesEach) throws NativeException {
        if (in.remaining() < 4) {
            throw damaged("a count is cut off");
        }
        int count = in.getInt();
        if (count < 0 || (long) count * bytesEach > in.remaining()) {
            throw damaged("a count of " + count + " with " + in.remaining() + " bytes left");
        }
        return count;
    }

    private static NativeException damaged(String what) {
        return new NativeException(
                ErrorCode.INTERNAL, "a map that crossed the boundary cannot be read: " + what);
    }
}
