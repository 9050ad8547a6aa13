package org.apache.doris.flink.chaos.job;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.types.Row;
import org.apache.flink.util.TimeUtils;

import java.util.Map;
import java.util.Properties;

/** A DataStream sink in JSON that routes each row to the table of its position. */
final class RoutedSink {

    private static final String LOAD_PROPERTY = "sink.properties.";

    private RoutedSink() {}

    /** The row as JSON, and its table. */
    static final class Route implements MapFunction<Row, RecordWithMeta> {

        private static final long serialVersionUID = 1L;

        @Override
        public RecordWithMeta map(Row row) {
            String json =
                    String.format(
                            "{\"s\":%s,\"p\":%s,\"n\":%s,\"v\":\"%s\"}",
                            row.getField(0),
                            row.getField(1),
                            row.getField(2),
                            ((String) row.getField(3)).replace("\\", "\\\\").replace("\"", "\\\""));
            return new RecordWithMeta(
                    ChaosJob.DATABASE, ChaosJob.routed((Long) row.getField(2)), json);
        }
    }

    /** The sink with the options that a table in SQL would have. */
    static DorisSink<RecordWithMeta> of(Map<String, String> options) {
        Properties load = new Properties();
        load.setProperty("format", "json");
        load.setProperty("compress_type", "gz");
        DorisExecutionOptions.Builder execution =
                DorisExecutionOptions.builder().setDeletable(false).setStreamLoadProp(load);
        options.forEach(
                (key, value) -> {
                    if (key.startsWith(LOAD_PROPERTY)) {
                        load.setProperty(key.substring(LOAD_PROPERTY.length()), value);
                    } else if (key.startsWith("sink.")) {
                        set(execution, key, value);
                    }
                });
        return DorisSink.<RecordWithMeta>builder()
                .setDorisOptions(
                        DorisOptions.builder()
                                .setFenodes(options.get("fenodes"))
                                .setUsername(options.get("username"))
                                .setPassword(options.get("password"))
                                .build())
                .setDorisExecutionOptions(execution.build())
                .setSerializer(new RecordWithMetaSerializer())
                .build();
    }

    private static void set(DorisExecutionOptions.Builder execution, String key, String value) {
        switch (key) {
            case "sink.label-prefix":
                execution.setLabelPrefix(value);
                break;
            case "sink.max-retries":
                execution.setMaxRetries(Integer.parseInt(value));
                break;
            case "sink.enable.batch-mode":
                execution.setBatchMode(Boolean.valueOf(value));
                break;
            case "sink.enable-2pc":
                if (!Boolean.parseBoolean(value)) {
                    execution.disable2PC();
                }
                break;
            case "sink.flush.queue-size":
                execution.setFlushQueueSize(Integer.parseInt(value));
                break;
            case "sink.buffer-flush.max-rows":
                execution.setBufferFlushMaxRows(Integer.parseInt(value));
                break;
            case "sink.buffer-flush.max-bytes":
                execution.setBufferFlushMaxBytes((int) MemorySize.parse(value).getBytes());
                break;
            case "sink.buffer-flush.interval":
                execution.setBufferFlushIntervalMs(TimeUtils.parseDuration(value).toMillis());
                break;
            default:
                throw new IllegalArgumentException("the routed sink does not pass on " + key);
        }
    }
}
