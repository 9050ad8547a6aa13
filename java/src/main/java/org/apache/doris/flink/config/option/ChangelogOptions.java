package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.List;

/** Options of the incremental read, which follows a table's changes; docs/changelog.md. */
@Internal
public final class ChangelogOptions {

    private static final OptionGroup CHANGES = new OptionGroup("Incremental read");

    /** Value of {@link #SLICES} for one slice per partition. */
    public static final String PARTITIONS = "partitions";

    private static final int MAX_SLICES = 1024;
    private static final int MAX_ID_BYTES = 256;
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
                    .withResolverStyle(ResolverStyle.STRICT);

    public static final DorisOption<String> SCAN_MODE =
            CHANGES.word("source.scan.mode", "snapshot")
                    .oneOf("snapshot", "initial", "latest", "from-timestamp")
                    .describe(
                            "What a new job reads. `snapshot`: the current content, then it ends."
                                + " `initial`: the current content, then the changes since before"
                                + " it was read. `latest`: changes committed after the start."
                                + " `from-timestamp`: changes since `source.scan.timestamp`. The"
                                + " last three never end. A restored position, then a row of the"
                                + " offset table, come before the mode.");

    public static final DorisOption<String> SCAN_TIMESTAMP =
            CHANGES.text("source.scan.timestamp", null)
                    .where(
                            ChangelogOptions::isTimestamp,
                            "allowed is an existing time as 'yyyy-MM-dd HH:mm:ss', without fraction"
                                    + " and zone",
                            "Write for example '2026-10-09 10:00:00', in the time zone of the"
                                    + " account.")
                    .describe(
                            "Start of `from-timestamp`, included: `yyyy-MM-dd HH:mm:ss` in the time"
                                    + " zone of the account's connections. Required there, an error"
                                    + " with any other mode.");

    public static final DorisOption<String> INCREMENT_TYPE =
            CHANGES.word("source.changelog.increment-type", "detail")
                    .oneOf("detail", "min_delta", "append_only")
                    .former("source.binlog.increment-type")
                    .describe(
                            "`detail`: every recorded change, in order. `min_delta`: the net effect"
                                + " per key over each window; needs a Unique table with"
                                + " `changelog.need_historical_value`. `append_only`: inserted rows"
                                + " alone. Without effect in snapshot mode.");

    public static final DorisOption<Duration> POLL_INTERVAL =
            CHANGES.duration("source.changelog.poll-interval", "10s")
                    .atLeast("1s")
                    .former("source.binlog.poll-interval")
                    .describe(
                            "How often the newest position is looked up, once for the whole source."
                                + " Lower it for fresher rows: each interval with something new"
                                + " costs one query per slice. A slice that is behind does not wait"
                                + " for it.");

    public static final DorisOption<Duration> VISIBLE_WAIT_TIMEOUT =
            CHANGES.duration("source.changelog.visible-wait-timeout", "5min")
                    .atLeast("0s")
                    .former("source.binlog.visible-wait-timeout")
                    .describe(
                            "How long one window is retried while transactions inside it are open"
                                + " on the server, counted from the first such answer; then the job"
                                + " fails. `0s`: no retry. Raise it where loads into the table stay"
                                + " open for longer. The same limit holds for a server clock that"
                                + " went back.");

    public static final DorisOption<String> OFFSET_TABLE =
            CHANGES.text("source.changelog.offset-table", null)
                    .former("source.binlog.offset-table")
                    .describe(
                            "`database.table` in Doris that publishes progress and lets a job"
                                    + " without a checkpoint resume. Needs"
                                    + " `source.changelog.consumer-id` and `jdbc-url`; an error in"
                                    + " snapshot mode.");

    public static final DorisOption<String> CONSUMER_ID =
            CHANGES.exact("source.changelog.consumer-id")
                    .where(
                            id -> id.isBlank() || id.equals(id.trim()) && bytes(id) <= MAX_ID_BYTES,
                            id ->
                                    "allowed are 1 to 256 bytes of UTF-8 without blanks at either"
                                            + " end, these are "
                                            + bytes(id)
                                            + " bytes",
                            "Choose a shorter id, or remove the blanks.")
                    .former("source.binlog.consumer-id")
                    .describe(
                            "The job's row in the offset table, 1 to 256 bytes of UTF-8; one per"
                                    + " job and table. Needs `source.changelog.offset-table`; an"
                                    + " error in snapshot mode.");

    public static final DorisOption<String> SLICES =
            CHANGES.text("source.changelog.slices", "1")
                    .where(
                            ChangelogOptions::isSlices,
                            "allowed are a whole number from 1 to "
                                    + MAX_SLICES
                                    + " and '"
                                    + PARTITIONS
                                    + "'",
                            "Leave the option out for one slice, the whole table.")
                    .describe(
                            "Parts of the table's keys that are followed in parallel, each in order"
                                + " per key: 1 to 1024 by a hash of the key, or `partitions`, one"
                                + " per partition. Raise it to the source's parallelism when one"
                                + " reader cannot keep up; may differ at a restore.");

    public static final DorisOption<Duration> MAX_WINDOW =
            CHANGES.duration("source.changelog.max-window", null)
                    .atLeast("1s")
                    .describe(
                            "Upper length of one window while catching up. Default:"
                                    + " fitted so that each window ends within a checkpoint"
                                    + " interval.");

    public static final DorisOption<String> ON_EXPIRED =
            CHANGES.word("source.changelog.on-expired", "doris-default")
                    .oneOf("doris-default", "fail", "resnapshot")
                    .describe(
                            "When needed changes have expired. `doris-default`: `min_delta` fails,"
                                + " `detail` and `append_only` continue without them, with an error"
                                + " in the log and a counter. `fail`: all three fail, with the lost"
                                + " range. `resnapshot` is refused until it is built.");

    public static final DorisOption<String> CHANGELOG_MODE =
            CHANGES.word("source.changelog.changelog-mode", "all")
                    .oneOf("all", "upsert", "audit")
                    .describe(
                            "The shape of changes in Flink. `all`: `+I`, `-U`, `+U`, `-D` as Doris"
                                + " has them. `upsert`: without `-U`, needs a primary key; right"
                                + " for tables without `changelog.need_historical_value`. `audit`:"
                                + " every change is an inserted row, metadata column `op` holds its"
                                + " kind.");

    static final List<OptionGroup> GROUPS = List.of(CHANGES);

    private ChangelogOptions() {}

    private static boolean isTimestamp(String text) {
        try {
            return text.isEmpty() || LocalDateTime.parse(text, TIMESTAMP) != null;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static boolean isSlices(String text) {
        return text.equalsIgnoreCase(PARTITIONS)
                || text.matches("[0-9]{1,4}")
                        && Integer.parseInt(text) >= 1
                        && Integer.parseInt(text) <= MAX_SLICES;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
