package org.apache.doris.flink.table;

import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.OptionValues;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.catalog.ResolvedSchema;

import java.time.Duration;
import java.util.List;

/** Rules on the options of writing. */
final class SinkRules {

    private static final int MAX = Integer.MAX_VALUE;
    private static final List<String> WRITE_MODES =
            List.of("STREAM_LOAD", "STREAM_LOAD_BATCH", "TVF");

    private SinkRules() {}

    /** Values that are wrong by themselves. */
    static void checkValues(OptionValues options) {
        checkWriteMode(options);
        options.bool(SinkOptions.ENABLE_DELETE);
        options.bool(SinkOptions.ENABLE_2PC);
        options.bool(SinkOptions.ENABLE_BATCH_MODE);
        options.bool(SinkOptions.IGNORE_UPDATE_BEFORE);
        options.bool(SinkOptions.IGNORE_COMMIT_ERROR);
        options.bool(SinkOptions.USE_CACHE);
        options.bool(SinkOptions.S3_PATH_STYLE_ACCESS);
        options.bytes(SinkOptions.BUFFER_SIZE, MemorySize.parse("1kb"));
        options.integer(SinkOptions.BUFFER_COUNT, 2, MAX);
        options.integer(SinkOptions.MAX_RETRIES, 0, MAX);
        options.integer(SinkOptions.FLUSH_QUEUE_SIZE, 1, MAX);
        options.integer(SinkOptions.FLUSH_MAX_ROWS, 1, MAX);
        options.bytes(SinkOptions.FLUSH_MAX_BYTES, MemorySize.parse("64kb"));
        options.duration(SinkOptions.FLUSH_INTERVAL, Duration.ofMillis(100));
        options.duration(SinkOptions.PRECOMMIT_TIMEOUT, Duration.ofSeconds(60));
        options.duration(SinkOptions.CHECK_INTERVAL, Duration.ZERO);
        options.bytes(SinkOptions.REPLAY_BUFFER_SIZE, MemorySize.ZERO);
        if (options.has(SinkOptions.PARALLELISM)) {
            options.integer(SinkOptions.PARALLELISM, 1, MAX);
        }
        if (options.has(SinkOptions.COMPRESS_LEVEL)) {
            options.integer(SinkOptions.COMPRESS_LEVEL, Integer.MIN_VALUE, MAX);
        }
        options.oneOf(SinkOptions.S3_CLEANUP, List.of("none", "after-commit"));
    }

    /** What a sink needs beside legal values. */
    static void checkSink(
            OptionValues options, ConnectionConfig connection, ResolvedSchema schema) {}

    private static void checkWriteMode(OptionValues options) {
        String mode = options.text(SinkOptions.WRITE_MODE).orElse("");
        if (mode.equalsIgnoreCase("COPY")) {
            throw options.invalid(
                    SinkOptions.WRITE_MODE,
                    "'COPY' belongs to one vendor's cloud service; allowed are '"
                            + String.join("', '", WRITE_MODES)
                            + "'",
                    "Use 'TVF' to write through object storage.");
        }
        options.oneOf(SinkOptions.WRITE_MODE, WRITE_MODES);
    }
}
