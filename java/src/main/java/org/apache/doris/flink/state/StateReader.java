package org.apache.doris.flink.state;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads what {@link StateWriter} wrote. Every length is checked against what is left before
 * anything is allocated, so damaged bytes end in an {@link IOException} and nothing else.
 */
@Internal
public final class StateReader {

    private final String what;
    private final ByteBuffer bytes;

    /**
     * @param what the thing that is read, for error messages
     */
    public StateReader(String what, byte[] bytes) {
        this.what = what;
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /** One byte, 0 to 255. */
    public int readByte() throws IOException {
        require(1);
        return bytes.get() & 0xFF;
    }

    /** One byte that must be 0 or 1. */
    public boolean readBoolean() throws IOException {
        int value = readByte();
        if (value > 1) {
            throw damaged("a flag has the value " + value);
        }
        return value == 1;
    }

    /** Four bytes. */
    public int readInt() throws IOException {
        require(Integer.BYTES);
        return bytes.getInt();
    }

    /** Eight bytes. */
    public long readLong() throws IOException {
        require(Long.BYTES);
        return bytes.getLong();
    }

    /** Text with its length in front. */
    public String readText() throws IOException {
        byte[] utf8 = readBytes();
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw damaged("a text is not UTF-8");
        }
    }

    /** Bytes with their length in front. */
    public byte[] readBytes() throws IOException {
        int length = readCount(1);
        byte[] value = new byte[length];
        bytes.get(value);
        return value;
    }

    /**
     * A number of elements.
     *
     * @param elementSize least number of bytes that one element takes
     */
    public int readCount(int elementSize) throws IOException {
        int count = readInt();
        if (count < 0 || (long) count * elementSize > bytes.remaining()) {
            throw damaged(
                    String.format(
                            "%d elements announced, %d bytes left", count, bytes.remaining()));
        }
        return count;
    }

    /** Fails unless everything was read. */
    public void end() throws IOException {
        if (bytes.hasRemaining()) {
            throw damaged(bytes.remaining() + " bytes too many");
        }
    }

    /** The error for bytes that no version of ours wrote. */
    public IOException damaged(String detail) {
        return new IOException(
                String.format("The checkpointed %s cannot be read: %s.", what, detail));
    }

    /** The error for a version that this release does not know. */
    public static IOException unknownVersion(String what, int version, int newest) {
        return new IOException(
                String.format(
                        "The checkpointed %s has version %d; this release reads versions 1 to %d."
                                + " Restore with the release that wrote it, or a newer one.",
                        what, version, newest));
    }

    private void require(int size) throws IOException {
        if (bytes.remaining() < size) {
            throw damaged(String.format("%d bytes expected, %d left", size, bytes.remaining()));
        }
    }
}
