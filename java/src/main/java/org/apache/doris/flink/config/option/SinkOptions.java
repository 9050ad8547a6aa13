package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.LATER;
import static org.apache.doris.flink.config.option.DorisOption.Status.NO_EFFECT;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.factories.FactoryUtil;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Options of writing. They are checked whatever a table is used for. */
@Internal
public final class SinkOptions {

    private static final OptionGroup WRITING = new OptionGroup("Writing");
    private static final OptionGroup TVF = new OptionGroup("Writing through object storage", LATER);

    private static final String[] WRITE_MODES = {"STREAM_LOAD", "STREAM_LOAD_BATCH", "TVF"};

    /** Prefix of the Stream Load parameters, the only free-form keys of a table. */
    public static final String PROPERTIES_PREFIX = "sink.properties.";

    public static final DorisOption<String> LABEL_PREFIX =
            WRITING.exact("sink.label-prefix")
                    .where(
                            prefix -> prefix.isBlank() || prefix.matches("[-_A-Za-z0-9:]{1,64}"),
                            "allowed are 1 to 64 characters of letters, digits, '-', '_' and ':'",
                            "Choose a shorter or plainer prefix.")
                    .describe(
                            "Start of every load's label, unique to the job. Set it, so that a job"
                                    + " that is started again finds what it left behind. Default:"
                                    + " `flink_` and 16 random hex digits, drawn per submission."
                                    + " Required when `sink.enable-2pc` is set to `true`.");

    public static final DorisOption<Boolean> ENABLE_DELETE =
            WRITING.flag("sink.enable-delete", true)
                    .describe(
                            "The kind of a row decides: `+I` and `+U` write it, `-D` and `-U`"
                                + " delete it, on Unique tables; other tables have no deletes, and"
                                + " the rows are written as they are, with a warning and a counter."
                                + " `false`: the kind is ignored, and the table may declare"
                                + " `__DORIS_DELETE_SIGN__` as a column of its own.");

    public static final DorisOption<Boolean> ENABLE_2PC =
            WRITING.flag("sink.enable-2pc", true)
                    .replacesInWriting("sink.semantic")
                    .describe(
                            "Two-phase commit: rows become visible when their checkpoint completes,"
                                + " exactly once. `false`: they become visible when the load ends,"
                                + " before the checkpoint completes, at least once. Off with group"
                                + " commit.");

    public static final DorisOption<String> WRITE_MODE =
            WRITING.word("sink.write-mode", "STREAM_LOAD")
                    .oneOf(WRITE_MODES)
                    .where(SinkOptions::isMode, SinkOptions::modes, "Leave the option out.")
                    .describe(
                            "`STREAM_LOAD` streams rows into one open load per table and subtask,"
                                + " visible with the checkpoint. `STREAM_LOAD_BATCH` sends a load"
                                + " whenever enough rows, bytes or time have come together; rows"
                                + " are visible after it, at least once, with or without"
                                + " checkpoints. `TVF` (object storage) is refused until it is"
                                + " built.");

    public static final DorisOption<Boolean> ENABLE_BATCH_MODE =
            WRITING.flag("sink.enable.batch-mode", false)
                    .describe(
                            "`true` is the older spelling of `sink.write-mode` ="
                                    + " `STREAM_LOAD_BATCH`.");

    public static final DorisOption<MemorySize> BUFFER_SIZE =
            WRITING.size("sink.buffer-size", "1mb")
                    .atLeast("1kb")
                    .atMost("1gb", "Some megabytes are enough for any network.")
                    .crosses()
                    .describe(
                            "Streaming mode: size of one buffer between the task and the upload. An"
                                    + " open load holds at most this times `sink.buffer-count`.");

    public static final DorisOption<Integer> BUFFER_COUNT =
            WRITING.integer("sink.buffer-count", "3")
                    .atLeast("2")
                    .crosses()
                    .describe(
                            "Streaming mode: buffers per open load. When all are full the task"
                                    + " waits. Raise it for a network that stalls.");

    public static final DorisOption<Integer> MAX_RETRIES =
            WRITING.integer("sink.max-retries", "3")
                    .atLeast("0")
                    .crosses()
                    .describe(
                            "Attempts after the first of a commit, and of a broken load that can be"
                                    + " sent again: in batch mode each, in streaming mode within"
                                    + " `sink.replay-buffer-size`. Only failures that may"
                                    + " pass are retried; data errors fail at once.");

    public static final DorisOption<Integer> FLUSH_QUEUE_SIZE =
            WRITING.integer("sink.flush.queue-size", "2")
                    .atLeast("1")
                    .crosses()
                    .describe(
                            "Batch mode: loads of a table that may wait for the one that is being"
                                    + " sent. When as many wait, the task waits. All tables of a"
                                    + " subtask together hold at most `sink.buffer-flush.max-bytes`"
                                    + " times one more than this.");

    public static final DorisOption<Integer> FLUSH_MAX_ROWS =
            WRITING.integer("sink.buffer-flush.max-rows", "500000")
                    .atLeast("1")
                    .crosses()
                    .describe(
                            "Batch mode: a load of a table is sent when it has so many rows. Below"
                                    + " 10000 a warning is logged: tiny loads overload Doris.");

    public static final DorisOption<MemorySize> FLUSH_MAX_BYTES =
            WRITING.size("sink.buffer-flush.max-bytes", "100mb")
                    .atLeast("64kb")
                    .crosses()
                    .describe(
                            "Batch mode: a load of a table is sent when it has so many bytes,"
                                    + " counted before compression.");

    public static final DorisOption<Duration> FLUSH_INTERVAL =
            WRITING.duration("sink.buffer-flush.interval", "10s")
                    .atLeast("100ms")
                    .crosses()
                    .describe(
                            "Batch mode: a load of a table is sent when its oldest row has waited"
                                    + " so long, unless `sink.flush.queue-size` loads wait already."
                                    + " Below 1 s a warning is logged.");

    public static final DorisOption<Boolean> IGNORE_UPDATE_BEFORE =
            WRITING.flag("sink.ignore.update-before", true)
                    .describe(
                            "`true`: the planner produces an upsert stream, without `-U`. A `-U`"
                                + " that arrives nevertheless deletes its row in both settings;"
                                + " where the table cannot delete, `true` skips it. `false`: the"
                                + " planner keeps every `-U`, for a table without primary key whose"
                                + " updates may change the key.");

    public static final DorisOption<Integer> PARALLELISM =
            WRITING.integer(FactoryUtil.SINK_PARALLELISM.key(), null)
                    .atLeast("1")
                    .describe(
                            "Number of sink subtasks. Default: the planner's. Rows of a changelog"
                                + " are then sent by primary key, so that changes of one key keep"
                                + " their order.");

    public static final DorisOption<Boolean> IGNORE_COMMIT_ERROR =
            WRITING.flag("sink.ignore.commit-error", false)
                    .describe(
                            "`true` skips a transaction that Doris reports as aborted or not found,"
                                + " with an error in the log and a counter: its rows may be lost."
                                + " Any other failure of a commit still fails the task. Set it for"
                                + " one start, to skip a transaction that Doris has dropped.");

    public static final DorisOption<Duration> PRECOMMIT_TIMEOUT =
            WRITING.duration("sink.precommit-timeout", "1h")
                    .atLeast("60s")
                    .describe(
                            "After which time Doris drops a pre-committed transaction; the same as"
                                + " `stream_load_default_precommit_timeout_second` of the front"
                                + " ends. The sink fails the job before that time when commits do"
                                + " not come.");

    public static final DorisOption<Duration> CHECK_INTERVAL =
            WRITING.duration("sink.check-interval", "0s")
                    .atLeast("0s")
                    .status(NO_EFFECT)
                    .describe("Accepted and ignored.");

    public static final DorisOption<Boolean> USE_CACHE =
            WRITING.flag("sink.use-cache", false)
                    .describe("Former name: `true` is `sink.replay-buffer-size` without a limit.");

    public static final DorisOption<MemorySize> REPLAY_BUFFER_SIZE =
            WRITING.size("sink.replay-buffer-size", "64mb")
                    .atLeast("0b")
                    .crosses()
                    .describe(
                            "Streaming mode: compressed bytes kept per subtask, so that a broken"
                                + " load can be sent again without a restart of the job. A load of"
                                + " which more was sent restarts the job from its checkpoint when"
                                + " it breaks. `0`: off.");

    /** Highest level per {@code compress_type}; the lowest is 1. Other types have no levels. */
    public static final Map<String, Integer> COMPRESS_LEVELS =
            Collections.unmodifiableMap(new TreeMap<>(Map.of("gz", 12, "zstd", 22)));

    public static final DorisOption<Integer> COMPRESS_LEVEL =
            WRITING.integer("sink.compress-level", null)
                    .atLeast("0")
                    .crosses("-1")
                    .describe(
                            "Level of the compressor behind `sink.properties.compress_type`: "
                                    + levels()
                                    + "; `lz4` has none. Default: the level that costs least time"
                                    + " per row.");

    public static final DorisOption<String> S3_ENDPOINT =
            s3("endpoint", "Address of the object storage.");
    public static final DorisOption<String> S3_REGION = s3("region", "Region of the bucket.");
    public static final DorisOption<String> S3_BUCKET = s3("bucket", "Bucket for staged files.");
    public static final DorisOption<String> S3_PREFIX =
            s3("prefix", "Folder for staged files, without glob characters.");
    public static final DorisOption<String> S3_ACCESS_KEY = s3("access-key", "Access key.");
    public static final DorisOption<String> S3_SECRET_KEY =
            s3("secret-key", "Secret key. Never shown.");
    public static final DorisOption<Boolean> S3_PATH_STYLE_ACCESS =
            TVF.flag("sink.s3.path-style-access", false)
                    .describe("Bucket in the path instead of the host name.");
    public static final DorisOption<String> S3_ROLE_ARN = s3("role-arn", "Role to assume.");
    public static final DorisOption<String> S3_EXTERNAL_ID =
            s3("external-id", "External id of the role; only with a role.");
    public static final DorisOption<String> S3_CLEANUP =
            TVF.word("sink.s3.cleanup", "none")
                    .oneOf("none", "after-commit")
                    .describe(
                            "`none`, or `after-commit` to delete staged files after their commit.");

    static final List<OptionGroup> GROUPS = List.of(WRITING, TVF);

    private SinkOptions() {}

    /** How rows are written. */
    public static List<DorisOption<?>> ofWriting() {
        return WRITING.options();
    }

    /** Options of the object storage, which have an effect with one write mode alone. */
    public static List<DorisOption<?>> ofObjectStorage() {
        return TVF.options();
    }

    private static String levels() {
        return COMPRESS_LEVELS.entrySet().stream()
                .map(levels -> "1 to " + levels.getValue() + " for `" + levels.getKey() + "`")
                .collect(Collectors.joining(", "));
    }

    /** Whether rows are written in batch mode, by either spelling. */
    public static boolean isBatch(OptionValues options) {
        return options.get(ENABLE_BATCH_MODE)
                || options.get(WRITE_MODE).equals("STREAM_LOAD_BATCH");
    }

    private static boolean isMode(String text) {
        String plain = DorisOption.plain(text);
        return Arrays.stream(WRITE_MODES).map(DorisOption::plain).anyMatch(plain::equals);
    }

    private static String modes(String given) {
        return (given.trim().equalsIgnoreCase("COPY")
                        ? "'COPY' belongs to one vendor's cloud service; "
                        : "")
                + "allowed are 'STREAM_LOAD' and 'STREAM_LOAD_BATCH'; 'TVF' is not supported yet";
    }

    private static DorisOption<String> s3(String name, String description) {
        return TVF.text("sink.s3." + name, null).describe(description);
    }
}
