package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.WORKS;
import static org.apache.flink.configuration.ConfigOptions.key;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;

import java.time.Duration;
import java.util.List;

/** Options of the incremental read, which follows a table's changes; docs/changelog.md. */
@Internal
public final class ChangelogOptions {

    public static final ConfigOption<String> SCAN_MODE =
            key("source.scan.mode")
                    .stringType()
                    .defaultValue("snapshot")
                    .withDescription(
                            "What a new job reads. `snapshot`: the current content, then it ends."
                                + " `initial`: the current content, then the changes since before"
                                + " it was read. `latest`: changes committed after the start."
                                + " `from-timestamp`: changes since `source.scan.timestamp`. The"
                                + " last three never end. A restored position, then a row of the"
                                + " offset table, come before the mode.");

    public static final ConfigOption<String> SCAN_TIMESTAMP =
            key("source.scan.timestamp")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Start of `from-timestamp`, included: `yyyy-MM-dd HH:mm:ss` in the time"
                                    + " zone of the account's connections. Required there, an error"
                                    + " with any other mode.");

    public static final ConfigOption<String> INCREMENT_TYPE =
            key("source.changelog.increment-type")
                    .stringType()
                    .defaultValue("detail")
                    .withFallbackKeys("source.binlog.increment-type")
                    .withDescription(
                            "`detail`: every recorded change, in order. `min_delta`: the net effect"
                                + " per key over each window; needs a Unique table with"
                                + " `changelog.need_historical_value`. `append_only`: inserted rows"
                                + " alone. Without effect in snapshot mode.");

    public static final ConfigOption<Duration> POLL_INTERVAL =
            key("source.changelog.poll-interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withFallbackKeys("source.binlog.poll-interval")
                    .withDescription(
                            "How often the newest position is looked up, once for the whole source;"
                                + " 1 s or more. Lower it for fresher rows: each interval with"
                                + " something new costs one query per slice. A slice that is behind"
                                + " does not wait for it.");

    public static final ConfigOption<Duration> VISIBLE_WAIT_TIMEOUT =
            key("source.changelog.visible-wait-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withFallbackKeys("source.binlog.visible-wait-timeout")
                    .withDescription(
                            "How long one window is tried again while transactions inside it are"
                                + " open on the server, counted from the first such answer; then"
                                + " the job fails. `0s`: not at all. Raise it where loads into the"
                                + " table stay open for longer. A server clock that went back is"
                                + " waited for as long.");

    public static final ConfigOption<String> OFFSET_TABLE =
            key("source.changelog.offset-table")
                    .stringType()
                    .noDefaultValue()
                    .withFallbackKeys("source.binlog.offset-table")
                    .withDescription(
                            "`database.table` in Doris that publishes progress and lets a job"
                                    + " without a checkpoint resume. Needs"
                                    + " `source.changelog.consumer-id` and `jdbc-url`; an error in"
                                    + " snapshot mode.");

    public static final ConfigOption<String> CONSUMER_ID =
            key("source.changelog.consumer-id")
                    .stringType()
                    .noDefaultValue()
                    .withFallbackKeys("source.binlog.consumer-id")
                    .withDescription(
                            "The job's row in the offset table, 1 to 256 bytes of UTF-8; one per"
                                    + " job and table. Needs `source.changelog.offset-table`; an"
                                    + " error in snapshot mode.");

    public static final ConfigOption<String> SLICES =
            key("source.changelog.slices")
                    .stringType()
                    .defaultValue("1")
                    .withDescription(
                            "Parts of the table's keys that are followed in parallel, each in order"
                                + " per key: 1 to 1024 by a hash of the key, or `partitions`, one"
                                + " per partition. Raise it to the source's parallelism when one"
                                + " reader cannot keep up; may differ at a restore.");

    public static final ConfigOption<Duration> MAX_WINDOW =
            key("source.changelog.max-window")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "Upper length of one window while catching up, 1 s or more. Default:"
                                    + " fitted so that each window ends within a checkpoint"
                                    + " interval.");

    public static final ConfigOption<String> ON_EXPIRED =
            key("source.changelog.on-expired")
                    .stringType()
                    .defaultValue("doris-default")
                    .withDescription(
                            "When needed changes have expired. `doris-default`: `min_delta` fails,"
                                + " `detail` and `append_only` go on without them, with an error in"
                                + " the log and a counter. `fail`: all three fail, with the lost"
                                + " range. `resnapshot` is refused until it is built.");

    public static final ConfigOption<String> CHANGELOG_MODE =
            key("source.changelog.changelog-mode")
                    .stringType()
                    .defaultValue("all")
                    .withDescription(
                            "The shape of changes in Flink. `all`: `+I`, `-U`, `+U`, `-D` as Doris"
                                + " has them. `upsert`: without `-U`, needs a primary key; right"
                                + " for tables without `changelog.need_historical_value`. `audit`:"
                                + " every change is an inserted row, metadata column `op` tells"
                                + " what it was.");

    private static final String GROUP = "Incremental read";

    public static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(SCAN_MODE, GROUP, "Enum", WORKS),
                    new DorisOption(SCAN_TIMESTAMP, GROUP, "String", WORKS),
                    new DorisOption(INCREMENT_TYPE, GROUP, "Enum", WORKS),
                    new DorisOption(POLL_INTERVAL, GROUP, "Duration", WORKS),
                    new DorisOption(VISIBLE_WAIT_TIMEOUT, GROUP, "Duration", WORKS),
                    new DorisOption(OFFSET_TABLE, GROUP, "String", WORKS),
                    new DorisOption(CONSUMER_ID, GROUP, "String", WORKS),
                    new DorisOption(SLICES, GROUP, "String", WORKS),
                    new DorisOption(MAX_WINDOW, GROUP, "Duration", WORKS),
                    new DorisOption(ON_EXPIRED, GROUP, "Enum", WORKS),
                    new DorisOption(CHANGELOG_MODE, GROUP, "Enum", WORKS));

    private ChangelogOptions() {}
}
