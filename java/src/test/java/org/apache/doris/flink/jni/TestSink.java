package org.apache.doris.flink.jni;

import org.apache.doris.flink.config.ConfigFixture;
import org.apache.doris.flink.error.NativeException;

import java.util.LinkedHashMap;
import java.util.Map;

/** Resolved configurations, loads and calls of a sink for tests of the boundary. */
final class TestSink {
    private final Map<String, String> map = ConfigFixture.read("write-default");
    private final Map<String, String> properties = new LinkedHashMap<>();

    /** Two-phase commit, small buffers, uncompressed CSV; everything else as by default. */
    TestSink(String fenodes) {
        map.keySet().removeIf(key -> key.startsWith("write.propert"));
        map.put("fenodes", fenodes);
        map.put("doris.request.retries", "1");
        map.put("doris.request.connect.timeout", "5000");
        map.put("doris.request.read.timeout", "30000");
        map.put("sink.max-retries", "1");
        map.put("sink.buffer-size", "4096");
        map.put("sink.buffer-count", "2");
        map.put("write.answer-timeout", "60000");
        property("format", "csv");
    }

    TestSink with(String key, String value) {
        map.put(key, value);
        return this;
    }

    /** Sets a Stream Load parameter. */
    TestSink property(String name, String value) {
        properties.put(name, value);
        if (name.equals("format") && value.equals("json")) {
            properties.put("read_json_by_line", "true");
        }
        return this;
    }

    byte[] bytes() {
        Map<String, String> all = new LinkedHashMap<>(map);
        all.put("write.properties", String.valueOf(properties.size()));
        int i = 0;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            all.put("write.property." + i + ".name", property.getKey());
            all.put("write.property." + i + ".value", property.getValue());
            i++;
        }
        return TextMap.encode(all);
    }

    /** A load of rows into {@code test.<table>}. */
    static Map<String, String> rows(String table, String declared, boolean deleteSign) {
        Map<String, String> spec = new LinkedHashMap<>();
        spec.put("database", "test");
        spec.put("table", table);
        spec.put("labels.base", "boundary_" + table + "_");
        spec.put("labels.next", "0");
        spec.put("input", "rows");
        spec.put("declared", declared);
        spec.put("delete-sign", String.valueOf(deleteSign));
        return spec;
    }

    /** A load of bytes into {@code test.<table>}. */
    static Map<String, String> raw(String table) {
        Map<String, String> spec = rows(table, "", false);
        spec.put("input", "raw");
        return spec;
    }

    /** A call about a label in database {@code test}. */
    static Map<String, String> call(String call, String label) {
        Map<String, String> request = new LinkedHashMap<>();
        request.put("call", call);
        request.put("database", "test");
        request.put("label", label);
        return request;
    }

    /** The abort of a label in database {@code test}, whose outcome is {@code 0.outcome}. */
    static Map<String, String> abort(String label) {
        return Map.of(
                "call", "abort",
                "count", "1",
                "first.failure.ends", "true",
                "0.database", "test",
                "0.label", label);
    }

    /** The commit of what a load gave. */
    static Map<String, String> commit(String table, Map<String, String> outcome) {
        Map<String, String> request = call("commit", outcome.get("label"));
        request.put("table", table);
        request.put("txn.id", outcome.get("txn.id"));
        return request;
    }

    /** The answer of a call that succeeds. */
    static Map<String, String> ask(NativeSink sink, Map<String, String> request)
            throws NativeException {
        try (NativeCall call = sink.call(request)) {
            if (!call.await(30_000)) {
                throw new AssertionError("no answer to " + request);
            }
            return call.result();
        }
    }
}
