package org.apache.doris.flink.jni;

import org.apache.doris.flink.it.Standin;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A stand-in server for one test, with the table that {@link TestConfig} reads: four rows in three
 * tablets; and others, if the test wants some.
 */
final class StandinProcess implements BeforeEachCallback, AfterEachCallback {
    private static final String INIT =
            "CREATE DATABASE test;\n"
                + "CREATE TABLE test.boundary (id BIGINT, name STRING) DUPLICATE KEY(id)\n"
                + "DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('replication_num' = '1');\n"
                + "INSERT INTO test.boundary VALUES (1, 'Zoë'), (2, NULL), (3, '😀'), (4, '');\n";

    private final String tables;
    private Path init;
    private Standin server;

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
        return server.fenodes();
    }

    /** The MySQL port of the front end. */
    int mysqlPort() {
        return server.port("fe", 0, "mysql");
    }

    /** A call of the admin port; the answer's body. */
    String admin(String method, String path, String body) {
        return server.call(method, path, body);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        init = Files.createTempFile("boundary", ".sql");
        Files.writeString(init, INIT + tables);
        server = Standin.with("--init", init.toString()).start();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (server != null) {
            server.close();
        }
        Files.delete(init);
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
