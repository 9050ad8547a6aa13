package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.LATER;
import static org.apache.doris.flink.config.option.DorisOption.Status.NO_EFFECT;
import static org.apache.doris.flink.config.option.DorisOption.Status.WORKS;
import static org.apache.flink.configuration.ConfigOptions.key;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.factories.FactoryUtil;

import java.time.Duration;
import java.util.List;

/** Options of writing. They are checked whatever a table is used for. */
@Internal
public final class SinkOptions {

    /** Prefix of the Stream Load parameters, the only free-form keys of a table. */
    public static final String PROPERTIES_PREFIX = "sink.properties.";

    public static final ConfigOption<String> LABEL_PREFIX =
            key("sink.label-prefix")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Start of every load's label: at most 64 characters of"
                                + " `[-_A-Za-z0-9:]`, unique to the job. Set it, so that a job that"
                                + " is started again finds what it left behind. Default: `flink_`"
                                + " and 16 random hex digits, drawn per submission. Required when"
                                + " `sink.enable-2pc` is set to `true`.");

    public static final ConfigOption<Boolean> ENABLE_DELETE =
            key("sink.enable-delete")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Lets the kind of a row decide: `+I` and `+U` write it, `-D` and `-U`"
                                + " delete it, on Unique tables; other tables have no deletes, and"
                                + " the rows are written as they are, with a warning and a counter."
                                + " `false`: the kind is not looked at, and the table may declare"
                                + " `__DORIS_DELETE_SIGN__` as a column of its own.");

    public static final ConfigOption<Boolean> ENABLE_2PC =
            key("sink.enable-2pc")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Two-phase commit: rows become visible when their checkpoint completes,"
                                + " exactly once. `false`: they become visible when the load ends,"
                                + " before the checkpoint completes, at least once. Off with group"
                                + " commit.");

    public static final ConfigOption<String> WRITE_MODE =
            key("sink.write-mode")
                    .stringType()
                    .defaultValue("STREAM_LOAD")
                    .withDescription(
                            "`STREAM_LOAD` streams rows into one open load per table and subtask."
                                    + " `STREAM_LOAD_BATCH` and `TVF` (object storage) are refused"
                                    + " until they are built.");

    public static final ConfigOption<Boolean> ENABLE_BATCH_MODE =
            key("sink.enable.batch-mode")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Older spelling of `sink.write-mode` = `STREAM_LOAD_BATCH`; refused"
                                    + " until that is built.");

    public static final ConfigOption<MemorySize> BUFFER_SIZE =
            key("sink.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Size of one buffer between the task and the upload, 1 KB to 1 GB. An"
                                    + " open load holds at most this times `sink.buffer-count`.");

    public static final ConfigOption<Integer> BUFFER_COUNT =
            key("sink.buffer-count")
                    .intType()
                    .defaultValue(3)
                    .withDescription(
                            "Buffers per open load, 2 or more. When all are full the task waits."
                                    + " Raise it for a network that stalls.");

    public static final ConfigOption<Integer> MAX_RETRIES =
            key("sink.max-retries")
                    .intType()
                    .defaultValue(3)
                    .withDescription(
                            "Attempts after the first of a commit, and of a broken load that can be"
                                + " sent again (`sink.replay-buffer-size`), 0 or more. Only"
                                + " failures that may pass are retried; data errors fail at once.");

    public static final ConfigOption<Integer> FLUSH_QUEUE_SIZE =
            key("sink.flush.queue-size")
                    .intType()
                    .defaultValue(2)
                    .withDescription("Batch mode: buffers that may wait for upload. 1 or more.");

    public static final ConfigOption<Integer> FLUSH_MAX_ROWS =
            key("sink.buffer-flush.max-rows")
                    .intType()
                    .defaultValue(500000)
                    .withDescription(
                            "Batch mode: rows after which a buffer is flushed. 1 or more.");

    public static final ConfigOption<MemorySize> FLUSH_MAX_BYTES =
            key("sink.buffer-flush.max-bytes")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(100))
                    .withDescription(
                            "Batch mode: bytes after which a buffer is flushed. 64 KB or more.");

    public static final ConfigOption<Duration> FLUSH_INTERVAL =
            key("sink.buffer-flush.interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription(
                            "Batch mode: longest wait of the oldest unflushed row. 100 ms or"
                                    + " more.");

    public static final ConfigOption<Boolean> IGNORE_UPDATE_BEFORE =
            key("sink.ignore.update-before")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "`true` asks the planner for an upsert stream, without `-U`. "
                                    + "One that arrives all the same deletes its row in both "
                                    + "settings; where the table cannot delete, `true` leaves it "
                                    + "out. `false` asks for all of them, for a table without "
                                    + "primary key whose updates may change the key.");

    public static final ConfigOption<Integer> PARALLELISM =
            key(FactoryUtil.SINK_PARALLELISM.key())
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Number of sink subtasks, 1 or more. Default: the planner's. Rows of a"
                                + " changelog are then sent by primary key, so that changes of one"
                                + " key keep their order.");

    public static final ConfigOption<Boolean> IGNORE_COMMIT_ERROR =
            key("sink.ignore.commit-error")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "`true` skips a transaction that Doris says is aborted or not"
                                    + " found, with an error in the log and a counter: its rows may"
                                    + " be lost. Any other failure of a commit fails the task all "
                                    + "the same. For one start, to leave behind a transaction that "
                                    + "Doris has dropped.");

    public static final ConfigOption<Duration> PRECOMMIT_TIMEOUT =
            key("sink.precommit-timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(3600))
                    .withDescription(
                            "After which time Doris drops a pre-committed transaction; the same as"
                                + " `stream_load_default_precommit_timeout_second` of the front"
                                + " ends, 60 s or more. The sink fails the job in time when commits"
                                + " do not come.");

    public static final ConfigOption<Duration> CHECK_INTERVAL =
            key("sink.check-interval")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription("Accepted and ignored.");

    public static final ConfigOption<Boolean> USE_CACHE =
            key("sink.use-cache")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Former name: `true` is `sink.replay-buffer-size` without a limit.");

    public static final ConfigOption<MemorySize> REPLAY_BUFFER_SIZE =
            key("sink.replay-buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Compressed bytes kept per subtask, so that a broken load can be sent"
                                + " again without a restart of the job. While all that was sent is"
                                + " still kept, it is; beyond it a failure restarts the job from"
                                + " its checkpoint. `0` off.");

    public static final ConfigOption<Integer> COMPRESS_LEVEL =
            key("sink.compress-level")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Level of the compressor behind `sink.properties.compress_type`: 1 to"
                                + " 12 for `gz`, 1 to 22 for `zstd`; `lz4` has none. Default: the"
                                + " level that costs least time per row.");

    public static final ConfigOption<String> S3_ENDPOINT =
            s3("endpoint", "Address of the object storage.");
    public static final ConfigOption<String> S3_REGION = s3("region", "Region of the bucket.");
    public static final ConfigOption<String> S3_BUCKET = s3("bucket", "Bucket for staged files.");
    public static final ConfigOption<String> S3_PREFIX =
            s3("prefix", "Folder for staged files, without glob characters.");
    public static final ConfigOption<String> S3_ACCESS_KEY = s3("access-key", "Access key.");
    public static final ConfigOption<String> S3_SECRET_KEY =
            s3("secret-key", "Secret key. Never shown.");
    public static final ConfigOption<Boolean> S3_PATH_STYLE_ACCESS =
            key("sink.s3.path-style-access")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Bucket in the path instead of the host name.");
    public static final ConfigOption<String> S3_ROLE_ARN = s3("role-arn", "Role to assume.");
    public static final ConfigOption<String> S3_EXTERNAL_ID =
            s3("external-id", "External id of the role; only with a role.");
    public static final ConfigOption<String> S3_CLEANUP =
            key("sink.s3.cleanup")
                    .stringType()
                    .defaultValue("none")
                    .withDescription(
                            "`none`, or `after-commit` to delete staged files after their commit.");

    private static final String GROUP = "Writing";
    private static final String TVF = "Writing through object storage";

    public static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(LABEL_PREFIX, GROUP, "String", WORKS),
                    new DorisOption(ENABLE_DELETE, GROUP, "Boolean", WORKS),
                    new DorisOption(ENABLE_2PC, GROUP, "Boolean", WORKS),
                    new DorisOption(WRITE_MODE, GROUP, "Enum", WORKS),
                    new DorisOption(ENABLE_BATCH_MODE, GROUP, "Boolean", LATER),
                    new DorisOption(BUFFER_SIZE, GROUP, "MemorySize", WORKS),
                    new DorisOption(BUFFER_COUNT, GROUP, "Integer", WORKS),
                    new DorisOption(MAX_RETRIES, GROUP, "Integer", WORKS),
                    new DorisOption(FLUSH_QUEUE_SIZE, GROUP, "Integer", LATER),
                    new DorisOption(FLUSH_MAX_ROWS, GROUP, "Integer", LATER),
                    new DorisOption(FLUSH_MAX_BYTES, GROUP, "MemorySize", LATER),
                    new DorisOption(FLUSH_INTERVAL, GROUP, "Duration", LATER),
                    new DorisOption(IGNORE_UPDATE_BEFORE, GROUP, "Boolean", WORKS),
                    new DorisOption(PARALLELISM, GROUP, "Integer", WORKS),
                    new DorisOption(IGNORE_COMMIT_ERROR, GROUP, "Boolean", WORKS),
                    new DorisOption(PRECOMMIT_TIMEOUT, GROUP, "Duration", WORKS),
                    new DorisOption(CHECK_INTERVAL, GROUP, "Duration", NO_EFFECT),
                    new DorisOption(USE_CACHE, GROUP, "Boolean", WORKS),
                    new DorisOption(REPLAY_BUFFER_SIZE, GROUP, "MemorySize", WORKS),
                    new DorisOption(COMPRESS_LEVEL, GROUP, "Integer", WORKS),
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
