package org.apache.doris.flink.it;

import static java.util.stream.Collectors.toList;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The stand-in server as a process of its own, and its admin port. As an extension it lives as long
 * as the test class and looks at the end whether anything native or on the server was left open.
 */
public final class Standin
        implements BeforeAllCallback, AfterEachCallback, AfterAllCallback, AutoCloseable {

    private final List<String> arguments;

    private Path folder;
    private Process process;
    private Map<String, Object> ports;
    private MysqlPort mysql;

    private Standin(List<String> arguments) {
        this.arguments = arguments;
    }

    /** A server that is not started yet, on free ports, with further arguments. */
    public static Standin with(String... arguments) {
        return new Standin(Arrays.asList(arguments));
    }

    /** Starts the process and waits until all of its ports accept. */
    public Standin start() throws Exception {
        folder = Files.createTempDirectory("standin");
        Path portsFile = folder.resolve("ports.json");
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("doris.standin.binary"));
        for (String port :
                List.of("fe-http", "mysql", "fe-flight", "be-http", "be-flight", "admin")) {
            // A later argument may switch Flight off.
            if (!arguments.contains("--" + port)) {
                command.addAll(List.of("--" + port, "0"));
            }
        }
        command.addAll(List.of("--ports-file", portsFile.toString(), "--exit-with-stdin"));
        command.addAll(arguments);
        process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log").toFile())
                        .start();
        Until.holds(
                "the stand-in server is up: " + log(),
                () -> {
                    if (!process.isAlive()) {
                        throw new IOException("The stand-in server did not start: " + log());
                    }
                    return Files.exists(portsFile);
                });
        ports = Json.object(Files.readString(portsFile));
        mysql = new MysqlPort(port("fe", 0, "mysql"));
        return this;
    }

    /** {@code host:port} of the front ends' REST services, as option {@code fenodes} takes it. */
    public String fenodes() {
        return addresses("fe");
    }

    /** {@code host:port} of the back ends' HTTP services, as option {@code benodes} takes it. */
    public String benodes() {
        return addresses("be");
    }

    /**
     * A port: {@code fe} or {@code be}, its number, {@code http}, {@code flight}, {@code mysql}.
     */
    public int port(String kind, int index, String service) {
        return ((Long) nodes(kind).get(index).get(service)).intValue();
    }

    /** Runs a statement over the MySQL port; rows as text, null for NULL. */
    public List<List<String>> sql(String statement) {
        return mysql.query(statement);
    }

    /** Connects to the MySQL port anew, after its front end was stopped. */
    public void reconnect() throws IOException {
        use(0);
    }

    /** From now on statements go to the MySQL port of another front end. */
    public void use(int frontend) throws IOException {
        mysql.close();
        mysql = connect(frontend);
    }

    /** The newest position of the changelog, in milliseconds. */
    public long positionMillis() {
        return Long.parseLong(
                value("SELECT CURRENT_TSO_PHYSICAL_TIME FROM information_schema.tso_status"));
    }

    /** Runs statements over the MySQL port. */
    public void run(String... statements) {
        for (String statement : statements) {
            mysql.query(statement);
        }
    }

    /** The one value that a query gives. */
    public String value(String query) {
        return sql(query).get(0).get(0);
    }

    /** All transactions of loads that the server still knows, in order of their ids. */
    public List<Transaction> transactions() {
        return Json.objects(call("GET", "/transactions", "")).stream()
                .map(Transaction::new)
                .collect(toList());
    }

    /** Transactions whose label has a part, in order of their ids. */
    public List<Transaction> transactions(String labelPart) {
        return transactions().stream()
                .filter(transaction -> transaction.label().contains(labelPart))
                .collect(toList());
    }

    /** Moves the server's clock: timeouts of loads, pre-commit expiry and retention follow it. */
    public void advanceClock(Duration by) {
        call("POST", "/clock", "{\"advance_ms\":" + by.toMillis() + "}");
    }

    /** Moves the server's clock back, as a front end's may go that becomes the master. */
    public void turnClockBack(Duration by) {
        call("POST", "/clock", "{\"back_ms\":" + by.toMillis() + "}");
    }

    /** From now on a front end plans with what it saw so long ago; 0 ends that. */
    public void lag(int frontend, Duration by) {
        call("POST", "/frontends/" + frontend + "/lag", "{\"ms\":" + by.toMillis() + "}");
    }

    /** Forgets all Flight tokens: whoever has one must log in again. */
    public void dropSessions() {
        call("POST", "/sessions/drop", "");
    }

    /** Another connection to the MySQL port of a front end. */
    public MysqlPort connect(int frontend) throws IOException {
        return new MysqlPort(port("fe", frontend, "mysql"));
    }

    /** How many back or front ends there are: {@code be} or {@code fe}. */
    public int count(String kind) {
        return nodes(kind).size();
    }

    /**
     * Forgets finished transactions but for the newest, which frees their labels, as Doris does
     * with all that are over its limit.
     */
    public void purgeLabels(int kept) {
        List<Transaction> finished =
                transactions().stream().filter(Transaction::isFinished).collect(toList());
        for (Transaction old : finished.subList(0, Math.max(0, finished.size() - kept))) {
            call("POST", "/labels/purge", "{\"label\":" + Json.quote(old.label()) + "}");
        }
    }

    /** From now on loads into a table are read to the end and counted, but their rows not kept. */
    public void discard(String database, String table) {
        call("POST", "/tables/" + database + "/" + table + "/discard", "");
    }

    /** Tablets of a table, in order. */
    public List<Long> tablets(String database, String table) {
        Map<String, Object> info =
                Json.object(call("GET", "/tables/" + database + "/" + table, ""));
        return ((List<?>) info.get("tablets"))
                .stream().map(tablet -> (Long) ((Map<?, ?>) tablet).get("id")).collect(toList());
    }

    /** A figure of what is open, was served or taken. */
    public long stat(String name) {
        return (Long) Json.object(call("GET", "/stats", "")).get(name);
    }

    /** Position in the journal now; what comes after it is given by {@link #journal}. */
    public long mark() {
        List<Map<String, Object>> all = journal(0);
        return all.isEmpty() ? 0 : (Long) all.get(all.size() - 1).get("seq");
    }

    /** What was requested after a position. */
    public List<Map<String, Object>> journal(long since) {
        return Json.objects(journalText(since));
    }

    /** What was requested after a position, as it is served. */
    public String journalText(long since) {
        return call("GET", "/requests?since=" + since, "");
    }

    /** The queries on a table for whose rows a Flight client asked after a position. */
    public List<String> queries(long since, String table) {
        return journal(since).stream()
                .filter(entry -> "GetFlightInfo".equals(entry.get("method")))
                .map(entry -> String.valueOf(entry.get("statement")))
                .filter(statement -> statement.contains(table) && !statement.contains("LIMIT 0"))
                .filter(statement -> !statement.contains("information_schema"))
                .collect(toList());
    }

    /** Rows that went out for queries on a table after a position. */
    public long rowsSent(long since, String table) {
        return journal(since).stream()
                .filter(entry -> "DoGet".equals(entry.get("method")))
                .filter(entry -> String.valueOf(entry.get("statement")).contains("`" + table + "`"))
                .map(entry -> String.valueOf(entry.get("path")))
                .mapToLong(path -> Long.parseLong(path.replaceFirst(".*rows=", "")))
                .sum();
    }

    /** Adds a fault rule and gives its number. */
    public long fault(Fault fault) {
        return (Long) Json.object(call("POST", "/faults", fault.json())).get("id");
    }

    /** Deletes all rules; what they hold goes on. */
    public void clearFaults() {
        call("DELETE", "/faults", "");
    }

    /** Deletes a rule; what it holds goes on. */
    public void clearFault(long id) {
        call("DELETE", "/faults/" + id, "");
    }

    /** How often a rule struck. */
    public long fired(long id) {
        return (Long) rule(id).get("fired");
    }

    /** How many requests a rule holds now. */
    public long holding(long id) {
        return (Long) rule(id).get("holding");
    }

    /** Any call of the admin port; the answer's body. */
    public String call(String method, String path, String body) {
        try {
            URI uri = URI.create("http://127.0.0.1:" + ports.get("admin") + path);
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setRequestMethod(method);
            if (!body.isEmpty()) {
                connection.setDoOutput(true);
                connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
            }
            int status = connection.getResponseCode();
            InputStream stream =
                    status < 400 ? connection.getInputStream() : connection.getErrorStream();
            try (InputStream in = stream) {
                String answer =
                        in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (status >= 400) {
                    throw new AssertionError(
                            method + " " + path + " gave " + status + ": " + answer);
                }
                return answer;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A call of the admin port without a body. */
    public String post(String path) {
        return call("POST", path, "");
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        clearFaults();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        try {
            clearFaults();
            NothingLeft.check(this);
        } finally {
            close();
        }
    }

    @Override
    public void close() throws Exception {
        if (process == null) {
            return;
        }
        if (mysql != null) {
            mysql.close();
        }
        process.getOutputStream().close();
        Until.holds("the stand-in server has ended", () -> !process.isAlive());
        process = null;
        for (String file : List.of("ports.json", "log")) {
            Files.deleteIfExists(folder.resolve(file));
        }
        Files.delete(folder);
    }

    private String addresses(String kind) {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < nodes(kind).size(); i++) {
            nodes.add("127.0.0.1:" + port(kind, i, "http"));
        }
        return String.join(",", nodes);
    }

    private Map<String, Object> rule(long id) {
        return Json.objects(call("GET", "/faults", "")).stream()
                .filter(rule -> rule.get("id").equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no rule " + id));
    }

    @SuppressWarnings("unchecked")
    private List<Map<String, Object>> nodes(String kind) {
        return (List<Map<String, Object>>) ports.get(kind);
    }

    private String log() throws IOException {
        Path log = folder.resolve("log");
        return Files.exists(log) ? Files.readString(log) : "";
    }
}
