package org.apache.doris.flink.cfg;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.annotation.Internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The options objects of a DataStream job as keys and values of a table. A value that equals the
 * default is left out, as a user of a table would do, since objects cannot tell the two apart.
 */
@Internal
public final class SinkOptionMap {

    private static final DorisExecutionOptions DEFAULTS = DorisExecutionOptions.builder().build();

    private SinkOptionMap() {}

    /** A new map, for the caller to change. */
    public static Map<String, String> of(
            DorisOptions options, DorisReadOptions read, DorisExecutionOptions execution) {
        Map<String, String> map = new HashMap<>();
        ObjectOptions.putConnection(map, options);
        ObjectOptions.putRequests(map, read);
        putExecution(map, execution);
        execution
                .getStreamLoadProp()
                .forEach((name, value) -> map.put("sink.properties." + name, value.toString()));
        return map;
    }

    private static void putExecution(Map<String, String> map, DorisExecutionOptions execution) {
        put(map, "sink.check-interval", execution.checkInterval(), DEFAULTS.checkInterval());
        put(map, "sink.max-retries", execution.getMaxRetries());
        put(map, "sink.buffer-size", execution.getBufferSize());
        put(map, "sink.buffer-count", execution.getBufferCount());
        put(map, "sink.label-prefix", execution.getLabelPrefix());
        put(map, "sink.use-cache", execution.isUseCache());
        put(map, "sink.http-utf8-charset", execution.isHttpUtf8Charset());
        put(map, "sink.enable-delete", execution.getDeletable());
        // Given means asked for: only then a label prefix is demanded.
        if (execution.force2PC() || Boolean.FALSE.equals(execution.enabled2PC())) {
            put(map, "sink.enable-2pc", execution.enabled2PC());
        }
        put(map, "sink.enable.batch-mode", execution.enableBatchMode());
        put(
                map,
                "sink.flush.queue-size",
                execution.getFlushQueueSize(),
                DEFAULTS.getFlushQueueSize());
        put(
                map,
                "sink.buffer-flush.max-rows",
                execution.getBufferFlushMaxRows(),
                DEFAULTS.getBufferFlushMaxRows());
        put(
                map,
                "sink.buffer-flush.max-bytes",
                execution.getBufferFlushMaxBytes(),
                DEFAULTS.getBufferFlushMaxBytes());
        put(
                map,
                "sink.buffer-flush.interval",
                execution.getBufferFlushIntervalMs(),
                DEFAULTS.getBufferFlushIntervalMs());
        put(map, "sink.ignore.update-before", execution.getIgnoreUpdateBefore());
        put(
                map,
                "sink.write-mode",
                execution.getWriteMode() == null
                        ? WriteMode.STREAM_LOAD
                        : execution.getWriteMode());
        put(
                map,
                "sink.ignore.commit-error",
                execution.ignoreCommitError(),
                DEFAULTS.ignoreCommitError());
    }

    private static void put(Map<String, String> map, String key, Object value, Object ifAbsent) {
        if (!Objects.equals(value, ifAbsent)) {
            put(map, key, value);
        }
    }

    private static void put(Map<String, String> map, String key, Object value) {
        if (value != null) {
            map.put(key, value.toString());
        }
    }
}
