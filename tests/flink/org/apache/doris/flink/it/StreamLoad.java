package org.apache.doris.flink.it;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Loads of rows over plain HTTP, as programs do that are no connector. */
public final class StreamLoad {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Standin standin;
    private final String table;
    private final Map<String, String> headers = new TreeMap<>();
    private int backend;

    private StreamLoad(Standin standin, String table) {
        this.standin = standin;
        this.table = table;
        headers.put("format", "json");
        headers.put("read_json_by_line", "true");
    }

    /** Loads of lines of JSON into {@code database.table}. */
    public static StreamLoad into(Standin standin, String table) {
        return new StreamLoad(standin, table);
    }

    /** Sends to this back end instead of the first. */
    public StreamLoad backend(int index) {
        backend = index;
        return this;
    }

    /** Sets a parameter of the load. */
    public StreamLoad with(String header, String value) {
        headers.put(header, value);
        return this;
    }

    /** The rows delete their keys. */
    public StreamLoad deleting() {
        return with("merge_type", "DELETE");
    }

    /** Columns that are not given keep their values. */
    public StreamLoad partial(String columns) {
        return with("partial_columns", "true").with("columns", columns);
    }

    /** Loads rows; the server's answer, whose {@code Status} says what became of them. */
    public Map<String, Object> send(String rows) throws IOException {
        Map<String, String> all = new TreeMap<>(headers);
        all.putIfAbsent("label", "load_" + UUID.randomUUID());
        all.put("Expect", "100-continue");
        return put("_stream_load", all, rows);
    }

    /** As {@link #send}, when nothing else than success will do. */
    public void load(String rows) throws IOException {
        Map<String, Object> answer = send(rows);
        if (!"Success".equals(answer.get("Status"))) {
            throw new AssertionError("the load did not succeed: " + answer);
        }
    }

    /** Loads rows that stay invisible until {@link #commit}; the transaction's number. */
    public long prepare(String rows) throws IOException {
        Map<String, Object> answer = with("two_phase_commit", "true").send(rows);
        if (!"Success".equals(answer.get("Status"))) {
            throw new IOException("the load was not pre-committed: " + answer);
        }
        return (Long) answer.get("TxnId");
    }

    /** Makes the rows of a transaction visible. */
    public void commit(long transaction) throws IOException {
        decide("txn_id", String.valueOf(transaction), "commit");
    }

    /** Drops the rows of a transaction. */
    public void abort(long transaction) throws IOException {
        decide("txn_id", String.valueOf(transaction), "abort");
    }

    /** Drops the rows of the transaction of a label, if there is one. */
    public void abort(String label) throws IOException {
        decide("label", label, "abort");
    }

    /** The server refused, as it says. */
    public static final class Refused extends IOException {

        private static final long serialVersionUID = 1L;

        Refused(String answer) {
            super(answer);
        }
    }

    private void decide(String by, String value, String operation) throws IOException {
        Map<String, String> decision = new TreeMap<>();
        decision.put(by, value);
        decision.put("txn_operation", operation);
        Map<String, Object> answer = put("_stream_load_2pc", decision, "");
        if (!"Success".equalsIgnoreCase(String.valueOf(answer.get("status")))) {
            throw new Refused(operation + " of " + value + ": " + answer);
        }
    }

    private Map<String, Object> put(String what, Map<String, String> headers, String body)
            throws IOException {
        URI uri =
                URI.create(
                        String.format(
                                "http://127.0.0.1:%d/api/%s/%s",
                                standin.port("be", backend, "http"),
                                table.replace('.', '/'),
                                what));
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestMethod("PUT");
        connection.setConnectTimeout(PATIENCE_MILLIS);
        connection.setReadTimeout(PATIENCE_MILLIS);
        String login = Base64.getEncoder().encodeToString("root:".getBytes(StandardCharsets.UTF_8));
        connection.setRequestProperty("Authorization", "Basic " + login);
        headers.forEach(connection::setRequestProperty);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(bytes.length);
        connection.getOutputStream().write(bytes);
        int status = connection.getResponseCode();
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            String answer = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            if (status >= 400) {
                throw new IOException(what + " gave " + status + ": " + answer);
            }
            return Json.object(answer);
        }
    }
}
