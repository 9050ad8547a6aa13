package org.apache.doris.flink.table;

import static org.apache.doris.flink.table.DorisOption.Status.LATER;
import static org.apache.flink.configuration.ConfigOptions.key;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.factories.FactoryUtil;

import java.time.Duration;
import java.util.List;

/**
 * Options of writing. They are known, checked and without effect on reading; writing itself comes
 * later.
 */
final class SinkOptions {

    /** Prefix of the Stream Load parameters, the only free-form keys of a table. */
    static final String PROPERTIES_PREFIX = "sink.properties.";

    static final ConfigOption<String> LABEL_PREFIX =
            key("sink.label-prefix")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Start of every load's label, at most 64 characters of"
                                + " `[-_A-Za-z0-9:]`. Unique per job when two-phase commit is on.");

    static final ConfigOption<Boolean> ENABLE_DELETE =
            key("sink.enable-delete")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Lets the row kind decide between upsert and delete on Unique tables.");

    static final ConfigOption<Boolean> ENABLE_2PC =
            key("sink.enable-2pc")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("Two-phase commit tied to checkpoints: exactly once.");

    static final ConfigOption<String> WRITE_MODE =
            key("sink.write-mode")
                    .stringType()
                    .defaultValue("STREAM_LOAD")
                    .withDescription(
                            "`STREAM_LOAD`, `STREAM_LOAD_BATCH` or `TVF` (object storage).");

    static final ConfigOption<Boolean> ENABLE_BATCH_MODE =
            key("sink.enable.batch-mode")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Older spelling of `sink.write-mode` = `STREAM_LOAD_BATCH`.");

    static final ConfigOption<MemorySize> BUFFER_SIZE =
            key("sink.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription("Size of one buffer between task and upload. 1 KB or more.");

    static final ConfigOption<Integer> BUFFER_COUNT =
            key("sink.buffer-count")
                    .intType()
                    .defaultValue(3)
                    .withDescription("Buffers per open load. 2 or more.");

    static final ConfigOption<Integer> MAX_RETRIES =
            key("sink.max-retries")
                    .intType()
                    .defaultValue(3)
                    .withDescription("Attempts after the first for loads and commits. 0 or more.");

    static final ConfigOption<Integer> FLUSH_QUEUE_SIZE =
            key("sink.flush.queue-size")
                    .intType()
                    .defaultValue(2)
                    .withDescription("Buffers that may wait for upload. 1 or more.");

    static final ConfigOption<Integer> FLUSH_MAX_ROWS =
            key("sink.buffer-flush.max-rows")
                    .intType()
                    .defaultValue(500000)
                    .withDescription("Rows after which a buffer is flushed. 1 or more.");

    static final ConfigOption<MemorySize> FLUSH_MAX_BYTES =
            key("sink.buffer-flush.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(100))
                    .withDescription("Bytes after which a buffer is flushed. 64 KB or more.");

    static final ConfigOption<Duration> FLUSH_INTERVAL =
            key("sink.buffer-flush.interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription("Longest wait of the oldest unflushed row. 100 ms or more.");

    static final ConfigOption<Boolean> IGNORE_UPDATE_BEFORE =
            key("sink.ignore.update-before")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription("`true` asks the planner for an upsert stream, without `-U`.");

    static final ConfigOption<Integer> PARALLELISM =
            key(FactoryUtil.SINK_PARALLELISM.key())
                    .intType()
                    .noDefaultValue()
                    .withDescription("Number of sink subtasks, 1 or more.");

    static final ConfigOption<Boolean> IGNORE_COMMIT_ERROR =
            key("sink.ignore.commit-error")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Skips a commit that fails after all attempts: data may be lost.");

    static final ConfigOption<Duration> PRECOMMIT_TIMEOUT =
            key("sink.precommit-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(3600))
                    .withDescription(
                            "The server's own limit for pre-committed transactions, told to the"
                                    + " sink. 60 s or more.");

    static final ConfigOption<Duration> CHECK_INTERVAL =
            key("sink.check-interval")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription("Accepted without effect.");

    static final ConfigOption<Boolean> USE_CACHE =
            key("sink.use-cache")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "`true` keeps all that was sent, so that a broken load can be"
                                    + " repeated.");

    static final ConfigOption<MemorySize> REPLAY_BUFFER_SIZE =
            key("sink.replay-buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Compressed bytes kept per subtask so that a broken load can be"
                                    + " repeated. `0` off.");

    static final ConfigOption<Integer> COMPRESS_LEVEL =
            key("sink.compress-level")
                    .intType()
                    .noDefaultValue()
                    .withDescription("Level of the compressor behind `compress_type`.");

    static final ConfigOption<String> S3_ENDPOINT =
            s3("endpoint", "Address of the object storage.");
    static final ConfigOption<String> S3_REGION = s3("region", "Region of the bucket.");
    static final ConfigOption<String> S3_BUCKET = s3("bucket", "Bucket for staged files.");
    static final ConfigOption<String> S3_PREFIX =
            s3("prefix", "Folder for staged files, without glob characters.");
    static final ConfigOption<String> S3_ACCESS_KEY = s3("access-key", "Access key.");
    static final ConfigOption<String> S3_SECRET_KEY = s3("secret-key", "Secret key. Never shown.");
    static final ConfigOption<Boolean> S3_PATH_STYLE_ACCESS =
            key("sink.s3.path-style-access")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Bucket in the path instead of the host name.");
    static final ConfigOption<String> S3_ROLE_ARN = s3("role-arn", "Role to assume.");
    static final ConfigOption<String> S3_EXTERNAL_ID =
            s3("external-id", "External id of the role; only with a role.");
    static final ConfigOption<String> S3_CLEANUP =
            key("sink.s3.cleanup")
                    .stringType()
                    .defaultValue("none")
                    .withDescription(
                            "`none`, or `after-commit` to delete staged files after their commit.");

    private static final String GROUP = "Writing";
    private static final String TVF = "Writing through object storage";

    static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(LABEL_PREFIX, GROUP, "String", LATER),
                    new DorisOption(ENABLE_DELETE, GROUP, "Boolean", LATER),
                    new DorisOption(ENABLE_2PC, GROUP, "Boolean", LATER),
                    new DorisOption(WRITE_MODE, GROUP, "Enum", LATER),
                    new DorisOption(ENABLE_BATCH_MODE, GROUP, "Boolean", LATER),
                    new DorisOption(BUFFER_SIZE, GROUP, "MemorySize", LATER),
                    new DorisOption(BUFFER_COUNT, GROUP, "Integer", LATER),
                    new DorisOption(MAX_RETRIES, GROUP, "Integer", LATER),
                    new DorisOption(FLUSH_QUEUE_SIZE, GROUP, "Integer", LATER),
                    new DorisOption(FLUSH_MAX_ROWS, GROUP, "Integer", LATER),
                    new DorisOption(FLUSH_MAX_BYTES, GROUP, "MemorySize", LATER),
                    new DorisOption(FLUSH_INTERVAL, GROUP, "Duration", LATER),
                    new DorisOption(IGNORE_UPDATE_BEFORE, GROUP, "Boolean", LATER),
                    new DorisOption(PARALLELISM, GROUP, "Integer", LATER),
                    new DorisOption(IGNORE_COMMIT_ERROR, GROUP, "Boolean", LATER),
                    new DorisOption(PRECOMMIT_TIMEOUT, GROUP, "Duration", LATER),
                    new DorisOption(CHECK_INTERVAL, GROUP, "Duration", LATER),
                    new DorisOption(USE_CACHE, GROUP, "Boolean", LATER),
                    new DorisOption(REPLAY_BUFFER_SIZE, GROUP, "MemorySize", LATER),
                    new DorisOption(COMPRESS_LEVEL, GROUP, "Integer", LATER),
                    new DorisOption(S3_ENDPOINT, TVF, "String", LATER),
                    new DorisOption(S3_REGION, TVF, "String", LATER),
                    new DorisOption(S3_BUCKET, TVF, "String", LATER),
                    new DorisOption(S3_PREFIX, TVF, "String", LATER),
                    new DorisOption(S3_ACCESS_KEY, TVF, "String", LATER),
                    new DorisOption(S3_SECRET_KEY, TVF, "String", LATER),
                    new DorisOption(S3_PATH_STYLE_ACCESS, TVF, "Boolean", LATER),
                    new DorisOption(S3_ROLE_ARN, TVF, "String", LATER),
                    new DorisOption(S3_EXTERNAL_ID, TVF, "String", LATER),
                    new DorisOption(S3_CLEANUP, TVF, "Enum", LATER));

    private SinkOptions() {}

    private static ConfigOption<String> s3(String name, String description) {
        return key("sink.s3." + name).stringType().noDefaultValue().withDescription(description);
    }
}
