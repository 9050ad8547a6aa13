package org.apache.doris.flink.table;

import static org.apache.doris.flink.table.DorisOption.Status.LATER;
import static org.apache.doris.flink.table.DorisOption.Status.WORKS;
import static org.apache.flink.configuration.ConfigOptions.key;

import org.apache.flink.configuration.ConfigOption;

import java.time.Duration;
import java.util.List;

/**
 * Options of the incremental (changelog) read; only the scan mode {@code snapshot} works so far.
 */
final class ChangelogOptions {

    static final ConfigOption<String> SCAN_MODE =
            key("source.scan.mode")
                    .stringType()
                    .defaultValue("snapshot")
                    .withDescription(
                            "`snapshot` reads the current content and finishes. `initial`, `latest`"
                                + " and `from-timestamp` follow the changelog and are refused until"
                                + " that is built.");

    static final ConfigOption<String> SCAN_TIMESTAMP =
            key("source.scan.timestamp")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Start of `from-timestamp`, `yyyy-MM-dd HH:mm:ss` in the account's time"
                                + " zone, included. Required there, an error with any other mode.");

    static final ConfigOption<String> INCREMENT_TYPE =
            key("source.changelog.increment-type")
                    .stringType()
                    .defaultValue("detail")
                    .withFallbackKeys("source.binlog.increment-type")
                    .withDescription(
                            "`detail` (every change), `min_delta` (net effect per key) or"
                                    + " `append_only` (inserts only).");

    static final ConfigOption<Duration> POLL_INTERVAL =
            key("source.changelog.poll-interval")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withFallbackKeys("source.binlog.poll-interval")
                    .withDescription("How often the newest position is looked up. 1 s or more.");

    static final ConfigOption<Duration> VISIBLE_WAIT_TIMEOUT =
            key("source.changelog.visible-wait-timeout")
                    .durationType()
                    .defaultValue(Duration.ofMinutes(5))
                    .withFallbackKeys("source.binlog.visible-wait-timeout")
                    .withDescription(
                            "How long a window is retried while transactions inside it are open."
                                    + " `0s`: no retry.");

    static final ConfigOption<String> OFFSET_TABLE =
            key("source.changelog.offset-table")
                    .stringType()
                    .noDefaultValue()
                    .withFallbackKeys("source.binlog.offset-table")
                    .withDescription(
                            "`database.table` that publishes progress. Needs"
                                    + " `source.changelog.consumer-id` and `jdbc-url`; an error in"
                                    + " snapshot mode.");

    static final ConfigOption<String> CONSUMER_ID =
            key("source.changelog.consumer-id")
                    .stringType()
                    .noDefaultValue()
                    .withFallbackKeys("source.binlog.consumer-id")
                    .withDescription(
                            "Row of the offset table that is this job's, 1 to 256 bytes. Needs"
                                + " `source.changelog.offset-table`; an error in snapshot mode.");

    static final ConfigOption<String> SLICES =
            key("source.changelog.slices")
                    .stringType()
                    .defaultValue("1")
                    .withDescription(
                            "Parts of the table's keys that are followed in parallel: 1 to 1024, or"
                                    + " `partitions`.");

    static final ConfigOption<Duration> MAX_WINDOW =
            key("source.changelog.max-window")
                    .durationType()
                    .noDefaultValue()
                    .withDescription(
                            "Upper length of one window while catching up, 1 s or more. Default:"
                                    + " each window ends within a checkpoint interval.");

    static final ConfigOption<String> ON_EXPIRED =
            key("source.changelog.on-expired")
                    .stringType()
                    .defaultValue("doris-default")
                    .withDescription(
                            "What to do when needed changes have expired: `doris-default`, `fail`"
                                    + " or `resnapshot`.");

    static final ConfigOption<String> CHANGELOG_MODE =
            key("source.changelog.changelog-mode")
                    .stringType()
                    .defaultValue("all")
                    .withDescription(
                            "Changelog declared to the planner: `all`, `upsert` (needs a primary"
                                    + " key) or `audit`.");

    private static final String GROUP = "Incremental read";

    static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(SCAN_MODE, GROUP, "Enum", WORKS),
                    new DorisOption(SCAN_TIMESTAMP, GROUP, "String", LATER),
                    new DorisOption(INCREMENT_TYPE, GROUP, "Enum", LATER),
                    new DorisOption(POLL_INTERVAL, GROUP, "Duration", LATER),
                    new DorisOption(VISIBLE_WAIT_TIMEOUT, GROUP, "Duration", LATER),
                    new DorisOption(OFFSET_TABLE, GROUP, "String", LATER),
                    new DorisOption(CONSUMER_ID, GROUP, "String", LATER),
                    new DorisOption(SLICES, GROUP, "String", LATER),
                    new DorisOption(MAX_WINDOW, GROUP, "Duration", LATER),
                    new DorisOption(ON_EXPIRED, GROUP, "Enum", LATER),
                    new DorisOption(CHANGELOG_MODE, GROUP, "Enum", LATER));

    private ChangelogOptions() {}
}
