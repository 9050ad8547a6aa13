package org.apache.doris.flink.it;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A MySQL client that is just enough to run statements as {@code root} without a password and to
 * see values as the port shows them: as text.
 */
public final class MysqlPort implements Closeable {

    private static final int CAPABILITIES = 0x0000_0200 | 0x0000_8000 | 0x0008_0000;
    private static final int UTF8MB4 = 45;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int sequence;

    /** Connects and logs in. */
    public MysqlPort(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
        out = socket.getOutputStream();
        receive();
        ByteArrayOutputStream login = new ByteArrayOutputStream();
        little(login, CAPABILITIES, 4);
        little(login, 1 << 30, 4);
        login.write(UTF8MB4);
        login.write(new byte[23]);
        login.write("root\0".getBytes(StandardCharsets.UTF_8));
        login.write(0);
        login.write("mysql_native_password\0".getBytes(StandardCharsets.UTF_8));
        send(login.toByteArray());
        receive();
    }

    /** Runs one statement; its rows as text, null for NULL; none for a statement without rows. */
    public List<List<String>> query(String sql) {
        try {
            sequence = 0;
            ByteArrayOutputStream command = new ByteArrayOutputStream();
            command.write(3);
            command.write(sql.getBytes(StandardCharsets.UTF_8));
            send(command.toByteArray());
            return answer();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage() + "\nin statement: " + sql, e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private List<List<String>> answer() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        Fields first = receive();
        if (first.bytes[0] == 0) {
            return rows;
        }
        int columns = (int) first.number();
        for (int i = 0; i <= columns; i++) {
            receive();
        }
        Fields packet = receive();
        while (!packet.isEnd()) {
            List<String> row = new ArrayList<>(columns);
            for (int i = 0; i < columns; i++) {
                row.add(packet.text());
            }
            rows.add(row);
            packet = receive();
        }
        return rows;
    }

    private void send(byte[] payload) throws IOException {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        int from = 0;
        int size;
        do {
            size = Math.min(0xFF_FFFF, payload.length - from);
            little(packet, size, 3);
            packet.write(sequence++);
            packet.write(payload, from, size);
            from += size;
        } while (size == 0xFF_FFFF);
        out.write(packet.toByteArray());
        out.flush();
    }

    /** The next packet, put together; a server's error is thrown. */
    private Fields receive() throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        int size;
        do {
            size = in.read() | in.read() << 8 | in.read() << 16;
            sequence = in.read() + 1;
            if (size < 0) {
                throw new EOFException("The server closed the MySQL connection.");
            }
            payload.write(in.readNBytes(size));
        } while (size == 0xFF_FFFF);
        byte[] bytes = payload.toByteArray();
        if (bytes.length > 0 && (bytes[0] & 0xFF) == 0xFF) {
            int text = Math.min(9, bytes.length);
            throw new IOException(
                    new String(bytes, text, bytes.length - text, StandardCharsets.UTF_8));
        }
        return new Fields(bytes);
    }

    private static void little(ByteArrayOutputStream out, int value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.write(value >>> 8 * i);
        }
    }

    private static final class Fields {

        private final byte[] bytes;
        private int at;

        private Fields(byte[] bytes) {
            this.bytes = bytes;
        }

        private boolean isEnd() {
            return bytes.length < 9 && (bytes[0] & 0xFF) == 0xFE;
        }

        private long number() {
            int first = bytes[at++] & 0xFF;
            int size = first == 0xFC ? 2 : first == 0xFD ? 3 : first == 0xFE ? 8 : 0;
            if (size == 0) {
                return first;
            }
            long value = 0;
            for (int i = 0; i < size; i++) {
                value |= (bytes[at++] & 0xFFL) << 8 * i;
            }
            return value;
        }

        private String text() {
            if ((bytes[at] & 0xFF) == 0xFB) {
                at++;
                return null;
            }
            int size = (int) number();
            at += size;
            return new String(bytes, at - size, size, StandardCharsets.UTF_8);
        }
    }
}
