package org.apache.doris.flink.jni;

import org.apache.doris.flink.config.ConfigFixture;

import java.util.Map;

/** A resolved configuration for tests of the boundary: table {@code test.boundary}, two columns. */
final class TestConfig {
    private final Map<String, String> map = ConfigFixture.read("read-default");

    /** Everything at its default but the front end, and what makes tests quick. */
    TestConfig(String fenodes) {
        map.keySet().removeIf(key -> key.startsWith("read.column"));
        map.put("fenodes", fenodes);
        map.put("table.database", "test");
        map.put("table.name", "boundary");
        map.put("doris.request.retries", "1");
        map.put("doris.request.connect.timeout", "5000");
        map.put("doris.request.read.timeout", "30000");
        map.put("doris.request.query.timeout", "60000");
        map.put("doris.exec.mem.limit", "2147483648");
        map.put("doris.deserialize.queue.size", "4");
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
        return TextMap.encode(map);
    }
}
