package org.apache.doris.flink.state;

import org.apache.flink.annotation.Internal;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes the primitives of checkpoint state: big-endian numbers, text of any length. */
@Internal
public final class StateWriter {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    private final DataOutputStream out = new DataOutputStream(bytes);

    /** One byte, 0 to 255. */
    public void writeByte(int value) throws IOException {
        out.writeByte(value);
    }

    /** One byte, 0 or 1. */
    public void writeBoolean(boolean value) throws IOException {
        out.writeBoolean(value);
    }

    /** Four bytes. */
    public void writeInt(int value) throws IOException {
        out.writeInt(value);
    }

    /** Eight bytes. */
    public void writeLong(long value) throws IOException {
        out.writeLong(value);
    }

    /** Length in four bytes, then UTF-8. */
    public void writeText(String value) throws IOException {
        writeBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** Length in four bytes, then the bytes. */
    public void writeBytes(byte[] value) throws IOException {
        out.writeInt(value.length);
        out.write(value);
    }

    /** All that was written. */
    public byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
