package org.apache.doris.flink.config.option;

import static org.apache.doris.flink.config.option.DorisOption.Status.LATER;
import static org.apache.doris.flink.config.option.DorisOption.Status.NO_EFFECT;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.factories.FactoryUtil;

import java.time.Duration;
import java.util.List;

/** Options of the snapshot read and of the lookup join. */
@Internal
public final class ReadOptions {

    private static final OptionGroup SNAPSHOT = new OptionGroup("Snapshot read");
    private static final OptionGroup LOOKUP = new OptionGroup("Lookup join", LATER);

    private static final int MAX_BATCH_ROWS = 65535;

    public static final DorisOption<Boolean> USE_FLIGHT_SQL =
            SNAPSHOT.flag("source.use-flight-sql", true)
                    .describe(
                            "Data come through Arrow Flight SQL. `false` asks for the back ends'"
                                    + " Thrift scan service and is refused until that is built.");

    public static final DorisOption<Integer> FLIGHT_SQL_PORT =
            SNAPSHOT.integer("source.flight-sql-port", "-1")
                    .where(
                            port -> port == -1 || port >= 1 && port <= 65535,
                            "allowed are -1 and 1 to 65535",
                            "Leave the option out, or use -1, to take the port that the cluster"
                                    + " reports.")
                    .crosses()
                    .describe(
                            "Flight port of the front ends. `-1`: the port that the cluster reports"
                                    + " for each. Set it when a proxy listens on another port.");

    public static final DorisOption<Duration> QUERY_TIMEOUT =
            SNAPSHOT.duration("doris.request.query.timeout", "6h")
                    .atLeast("1s")
                    .adjusted(ReadOptions::wholeSeconds, "")
                    .former("doris.request.query.timeout.s", "s")
                    .replaces("scan.params.query-timeout-s")
                    .crosses()
                    .describe(
                            "Longest run time of one split's query; parts of a second"
                                    + " are rounded up. Lower it to notice stuck queries sooner.");

    public static final DorisOption<Integer> TABLET_SIZE =
            SNAPSHOT.integer("doris.request.tablet.size", null)
                    .adjusted(
                            tablets -> Math.max(1, tablets),
                            "a split has at least 1 tablet, so 1 is used")
                    .describe(
                            "Tablets per split. Default: automatic, as many as leave each source"
                                + " subtask 8 splits, so 1 where there are no more tablets than"
                                + " that. Smaller values give more splits, hence less to read again"
                                + " after a failure, and a query each. Values below 1 act as 1.");

    public static final DorisOption<Integer> BATCH_SIZE =
            SNAPSHOT.integer("doris.batch.size", "4064")
                    .atLeast("1")
                    .adjusted(
                            rows -> Math.min(rows, MAX_BATCH_ROWS),
                            "a batch has at most " + MAX_BATCH_ROWS + " rows, so that is used")
                    .replaces("scan.fetch-size")
                    .crosses()
                    .describe(
                            "Rows per batch that a back end sends; values above 65535 act as 65535."
                                + " A hint: servers without such a setting ignore it. Lower it for"
                                + " very wide rows.");

    public static final DorisOption<MemorySize> EXEC_MEM_LIMIT =
            SNAPSHOT.size("doris.exec.mem.limit", "8192mb")
                    .atLeast("1b")
                    .replaces("scan.params.mem-limit-byte")
                    .crosses()
                    .describe(
                            "Memory that a back end may use for one split's query. Raise"
                                    + " it when the server refuses a query for its memory.");

    public static final DorisOption<Boolean> DESERIALIZE_ARROW_ASYNC =
            SNAPSHOT.flag("doris.deserialize.arrow.async", false)
                    .status(NO_EFFECT)
                    .describe(
                            "Accepted and ignored: decoding always takes place outside the task"
                                    + " thread.");

    public static final DorisOption<Integer> DESERIALIZE_QUEUE_SIZE =
            SNAPSHOT.integer("doris.deserialize.queue.size", "64")
                    .atLeast("1")
                    .crosses()
                    .describe(
                            "Batches that a reader fetches ahead."
                                    + " `source.read-buffer-size` limits them in bytes as well.");

    public static final DorisOption<Integer> THRIFT_MAX_MESSAGE_SIZE =
            SNAPSHOT.integer("doris.thrift.max.message.size", "2147483647")
                    .atLeast("1")
                    .status(NO_EFFECT)
                    .describe(
                            "Upper limit of one Thrift message in bytes. Without effect,"
                                    + " since reading uses Flight.");

    public static final DorisOption<Integer> SCAN_PARALLELISM =
            SNAPSHOT.integer(FactoryUtil.SOURCE_PARALLELISM.key(), null)
                    .atLeast("1")
                    .describe(
                            "Number of source subtasks. Default: the planner's. More"
                                    + " than there are splits is of no use.");

    public static final DorisOption<String> READ_FIELD =
            SNAPSHOT.text("doris.read.field", null)
                    .status(NO_EFFECT)
                    .describe(
                            "Deprecated and ignored in SQL, where the query decides on the"
                                    + " columns.");

    public static final DorisOption<String> FILTER_QUERY =
            SNAPSHOT.text("doris.filter.query", null)
                    .crosses("")
                    .describe(
                            "Deprecated: SQL predicate in Doris' dialect, sent as is and joined by"
                                    + " AND with what the query pushes down. Use it only for what"
                                    + " `WHERE` cannot express. Where changes are followed it is an"
                                    + " error, except with `append_only`.");

    public static final DorisOption<Boolean> USE_OLD_API =
            SNAPSHOT.flag("source.use-old-api", false)
                    .status(NO_EFFECT)
                    .describe("Deprecated and ignored: there is one source.");

    public static final DorisOption<MemorySize> READ_BUFFER_SIZE =
            SNAPSHOT.size("source.read-buffer-size", "64mb")
                    .atLeast("1b")
                    .crosses()
                    .describe(
                            "Native memory that one reader may hold in batches, those that Flink"
                                + " has not released yet included. A single larger batch is still"
                                + " read. Not part of Flink's managed memory: see \"Memory\""
                                + " above.");

    public static final DorisOption<List<String>> FLIGHT_HOST_MAPPING =
            SNAPSHOT.list("source.flight-host-mapping", null)
                    .describe(
                            "`internal-host:port=reachable-host:port`, several separated by commas:"
                                    + " replaces Flight addresses that the server names but task"
                                    + " managers cannot reach.");

    public static final DorisOption<Boolean> LOOKUP_ASYNC =
            LOOKUP.flag("lookup.jdbc.async", false)
                    .describe("Asynchronous lookups, several keys per query.");

    public static final DorisOption<Long> LOOKUP_CACHE_MAX_ROWS =
            LOOKUP.longInteger("lookup.cache.max-rows", "-1")
                    .atLeast("-1")
                    .describe(
                            "Maximum number of keys kept in a task's cache; `-1` and `0` switch it"
                                    + " off.");

    public static final DorisOption<Duration> LOOKUP_CACHE_TTL =
            LOOKUP.duration("lookup.cache.ttl", "10s")
                    .atLeast("1ms")
                    .replaces("lookup.cache.ttl-ms")
                    .describe("Life of a cache entry after it was written.");

    public static final DorisOption<Integer> LOOKUP_MAX_RETRIES =
            LOOKUP.integer("lookup.max-retries", "1")
                    .atLeast("0")
                    .describe("Attempts after the first when a lookup fails.");

    public static final DorisOption<Integer> LOOKUP_BATCH_SIZE =
            LOOKUP.integer("lookup.jdbc.read.batch.size", "128")
                    .atLeast("1")
                    .describe("Maximum number of keys in one asynchronous query.");

    public static final DorisOption<Integer> LOOKUP_QUEUE_SIZE =
            LOOKUP.integer("lookup.jdbc.read.batch.queue-size", "256")
                    .atLeast("1")
                    .describe("Keys that may wait per task.");

    public static final DorisOption<Integer> LOOKUP_THREAD_SIZE =
            LOOKUP.integer("lookup.jdbc.read.thread-size", "3")
                    .atLeast("1")
                    .describe("Connections per task.");

    static final List<OptionGroup> GROUPS = List.of(SNAPSHOT, LOOKUP);

    private ReadOptions() {}

    /** How content is read. */
    public static List<DorisOption<?>> ofSnapshot() {
        return SNAPSHOT.options();
    }

    private static Duration wholeSeconds(Duration duration) {
        return duration.getNano() == 0 ? duration : Duration.ofSeconds(duration.getSeconds() + 1);
    }
}
