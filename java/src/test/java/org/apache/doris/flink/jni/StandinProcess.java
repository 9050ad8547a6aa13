package org.apache.doris.flink.jni;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A stand-in server for one test, with the table that {@link TestConfig} reads: four rows in three
 * tablets; and others, if the test wants some. Its program is given by {@code
 * doris.standin.binary}.
 */
final class StandinProcess implements BeforeEachCallback, AfterEachCallback {
    private static final String INIT =
            "CREATE DATABASE test;\n"
                + "CREATE TABLE test.boundary (id BIGINT, name STRING) DUPLICATE KEY(id)\n"
                + "DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('replication_num' = '1');\n"
                + "INSERT INTO test.boundary VALUES (1, 'Zoë'), (2, NULL), (3, '😀'), (4, '');\n";
    private static final Pattern ADMIN_PORT = Pattern.compile("\"admin\"\\s*:\\s*(\\d+)");
    private static final Pattern MYSQL_PORT =
            Pattern.compile("\"fe\"\\s*:\\s*\\[\\s*\\{[^}]*\"mysql\"\\s*:\\s*(\\d+)");
    private static final Pattern HTTP_PORT =
            Pattern.compile("\"fe\"\\s*:\\s*\\[\\s*\\{[^}]*\"http\"\\s*:\\s*(\\d+)");

    private final String tables;
    private Path folder;
    private Process server;
    private int port;
    private int mysql;
    private int admin;

    StandinProcess() {
        this("");
    }

    /**
     * With more tables.
     *
     * @param tables SQL statements, each ended by a semicolon
     */
    StandinProcess(String tables) {
        this.tables = tables;
    }

    /** A read of the table. */
    TestConfig config() {
        return new TestConfig(fenodes());
    }

    /** Where the front end is. */
    String fenodes() {
        return "127.0.0.1:" + port;
    }

    /** The MySQL port of the front end. */
    int mysqlPort() {
        return mysql;
    }

    /** A call of the admin port; the answer's body. */
    String admin(String method, String path, String body) throws Exception {
        HttpURLConnection call =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + admin + path).toURL().openConnection();
        call.setRequestMethod(method);
        call.setRequestProperty("Content-Type", "application/json");
        if (!body.isEmpty()) {
            call.setDoOutput(true);
            call.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        try (InputStream in = call.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("boundary-standin");
        Path init = Files.writeString(folder.resolve("init.sql"), INIT + tables);
        Path ports = folder.resolve("ports.json");
        Path log = folder.resolve("log");
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("doris.standin.binary"));
        for (String service :
                List.of("fe-http", "mysql", "fe-flight", "be-http", "be-flight", "admin")) {
            command.addAll(List.of("--" + service, "0"));
        }
        command.addAll(List.of("--init", init.toString(), "--ports-file", ports.toString()));
        command.add("--exit-with-stdin");
        server =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        await(
                () -> "the stand-in does not start: " + text(log),
                () -> Files.exists(ports) || !server.isAlive());
        Matcher http = HTTP_PORT.matcher(text(ports));
        Matcher control = ADMIN_PORT.matcher(text(ports));
        Matcher statements = MYSQL_PORT.matcher(text(ports));
        if (!server.isAlive() || !http.find() || !control.find() || !statements.find()) {
            throw new AssertionError("the stand-in did not start: " + text(log) + text(ports));
        }
        port = Integer.parseInt(http.group(1));
        mysql = Integer.parseInt(statements.group(1));
        admin = Integer.parseInt(control.group(1));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        server.getOutputStream().close();
        if (!server.waitFor(10, TimeUnit.SECONDS)) {
            server.destroyForcibly();
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    /** Something that comes true. */
    interface Condition {
        boolean holds() throws Exception;
    }

    static void await(Supplier<String> what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(what.get());
            }
            Thread.sleep(20);
        }
    }

    /** A file's text, empty when it is not there (yet). */
    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
