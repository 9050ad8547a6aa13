package org.apache.doris.flink.jni;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A resolved configuration for tests of the boundary: table {@code test.boundary}, two columns. */
final class TestConfig {
    private final Map<String, String> map = new LinkedHashMap<>();

    /** Everything at its default but the front end. */
    TestConfig(String fenodes) {
        map.put("fenodes", fenodes);
        map.put("benodes", "");
        map.put("username", "root");
        map.put("password", "");
        map.put("table.catalog", "");
        map.put("table.database", "test");
        map.put("table.name", "boundary");
        map.put("doris.request.retries", "1");
        map.put("doris.request.connect.timeout", "5000");
        map.put("doris.request.read.timeout", "30000");
        map.put("doris.request.query.timeout", "60000");
        map.put("doris.batch.size", "4064");
        map.put("doris.exec.mem.limit", "2147483648");
        map.put("doris.deserialize.queue.size", "4");
        map.put("source.flight-sql-port", "-1");
        map.put("source.read-buffer-size", "67108864");
        map.put("source.flight-host-mapping", "");
        map.put("doris.native.worker-threads", "2");
        map.put("doris.filter.query", "");
        map.put("read.filter", "");
        map.put("read.limit", "-1");
        map.put("read.metadata", "");
        map.put("read.local-time-zone", "UTC");
        map.put("changelog.increment-type", "");
        map.put("changelog.visible-wait-timeout", "300000");
        map.put("changelog.offset-table.database", "");
        map.put("changelog.offset-table.name", "");
        map.put("changelog.consumer-id", "");
        map.put("jdbc-url", "");
        map.put("read.declared", "ROW<`id` BIGINT, `name` VARCHAR(2147483647)>");
        map.put("read.columns", "2");
        map.put("read.column.0.path", "`id`");
        map.put("read.column.0.type", "BIGINT");
        map.put("read.column.1.path", "`name`");
        map.put("read.column.1.type", "VARCHAR(2147483647)");
    }

    TestConfig with(String key, String value) {
        map.put(key, value);
        return this;
    }

    /** As {@code ConfigCodec} writes it. */
    byte[] bytes() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(map.size());
            for (Map.Entry<String, String> entry : map.entrySet()) {
                text(out, entry.getKey());
                text(out, entry.getValue());
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }
}
