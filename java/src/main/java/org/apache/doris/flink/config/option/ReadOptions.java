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

/** Options of the snapshot read and of the lookup join. */
@Internal
public final class ReadOptions {

    public static final ConfigOption<Boolean> USE_FLIGHT_SQL =
            key("source.use-flight-sql")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Data come through Arrow Flight SQL. `false` asks for the back ends'"
                                    + " Thrift scan service and is refused until that is built.");

    public static final ConfigOption<Integer> FLIGHT_SQL_PORT =
            key("source.flight-sql-port")
                    .intType()
                    .defaultValue(-1)
                    .withDescription(
                            "Flight port of the front ends, 1 to 65535. `-1` asks the cluster for"
                                    + " it, per front end. Set it when a proxy listens on another"
                                    + " port.");

    public static final ConfigOption<Duration> QUERY_TIMEOUT =
            key("doris.request.query.timeout")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(21600))
                    .withDescription(
                            "Longest run time of one split's query; 1 s or more, parts of a second"
                                    + " are rounded up. Lower it to notice stuck queries sooner.");

    public static final ConfigOption<Integer> TABLET_SIZE =
            key("doris.request.tablet.size")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Tablets per split. Default: automatic, as many as leave each source"
                                + " subtask 8 splits, so 1 where there are no more tablets than"
                                + " that. Smaller values give more splits, hence less to read again"
                                + " after a failure, and a query each. Below 1 counts as 1.");

    public static final ConfigOption<Integer> BATCH_SIZE =
            key("doris.batch.size")
                    .intType()
                    .defaultValue(4064)
                    .withDescription(
                            "Rows per batch that a back end sends, 1 to 65535; more counts as"
                                + " 65535. A hint: servers without such a setting ignore it. Lower"
                                + " it for very wide rows.");

    public static final ConfigOption<MemorySize> EXEC_MEM_LIMIT =
            key("doris.exec.mem.limit")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(8192))
                    .withDescription(
                            "Memory that a back end may use for one split's query. Above 0. Raise"
                                    + " it when the server refuses a query for its memory.");

    public static final ConfigOption<Boolean> DESERIALIZE_ARROW_ASYNC =
            key("doris.deserialize.arrow.async")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Accepted and ignored: decoding always takes place outside the task"
                                    + " thread.");

    public static final ConfigOption<Integer> DESERIALIZE_QUEUE_SIZE =
            key("doris.deserialize.queue.size")
                    .intType()
                    .defaultValue(64)
                    .withDescription(
                            "Batches that a reader fetches ahead, 1 or more."
                                    + " `source.read-buffer-size` limits them in bytes as well.");

    public static final ConfigOption<Integer> THRIFT_MAX_MESSAGE_SIZE =
            key("doris.thrift.max.message.size")
                    .intType()
                    .defaultValue(Integer.MAX_VALUE)
                    .withDescription(
                            "Upper limit of one Thrift message in bytes, 1 or more. Without effect,"
                                    + " since reading uses Flight.");

    public static final ConfigOption<Integer> SCAN_PARALLELISM =
            key(FactoryUtil.SOURCE_PARALLELISM.key())
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Number of source subtasks, 1 or more. Default: the planner's. More"
                                    + " than there are splits is of no use.");

    public static final ConfigOption<String> READ_FIELD =
            key("doris.read.field")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Deprecated and ignored in SQL, where the query decides on the"
                                    + " columns.");

    public static final ConfigOption<String> FILTER_QUERY =
            key("doris.filter.query")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Deprecated: SQL predicate in Doris' dialect, sent as is and joined by"
                                    + " AND with what the query pushes down. Use it only for what"
                                    + " `WHERE` cannot say. Where changes are followed it is an"
                                    + " error, except with `append_only`.");

    public static final ConfigOption<Boolean> USE_OLD_API =
            key("source.use-old-api")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Deprecated and ignored: there is one source.");

    public static final ConfigOption<MemorySize> READ_BUFFER_SIZE =
            key("source.read-buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "Native memory that one reader may hold in batches, in flight and in"
                                + " Flink's hands together. Above 0; one larger batch still passes."
                                + " Outside Flink's own books: see \"Memory\" above.");

    public static final ConfigOption<String> FLIGHT_HOST_MAPPING =
            key("source.flight-host-mapping")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "`internal-host:port=reachable-host:port`, several separated by commas:"
                                    + " replaces Flight addresses that the server names but task"
                                    + " managers cannot reach.");

    public static final ConfigOption<Boolean> LOOKUP_ASYNC =
            key("lookup.jdbc.async")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription("Asynchronous lookups, several keys per query.");

    public static final ConfigOption<Long> LOOKUP_CACHE_MAX_ROWS =
            key("lookup.cache.max-rows")
                    .longType()
                    .defaultValue(-1L)
                    .withDescription(
                            "Most keys kept in a task's cache; `-1` and `0` switch it off.");

    public static final ConfigOption<Duration> LOOKUP_CACHE_TTL =
            key("lookup.cache.ttl")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(10))
                    .withDescription("Life of a cache entry after it was written. Above 0.");

    public static final ConfigOption<Integer> LOOKUP_MAX_RETRIES =
            key("lookup.max-retries")
                    .intType()
                    .defaultValue(1)
                    .withDescription("Attempts after the first when a lookup fails. 0 or more.");

    public static final ConfigOption<Integer> LOOKUP_BATCH_SIZE =
            key("lookup.jdbc.read.batch.size")
                    .intType()
                    .defaultValue(128)
                    .withDescription("Most keys in one asynchronous query. 1 or more.");

    public static final ConfigOption<Integer> LOOKUP_QUEUE_SIZE =
            key("lookup.jdbc.read.batch.queue-size")
                    .intType()
                    .defaultValue(256)
                    .withDescription("Keys that may wait per task. 1 or more.");

    public static final ConfigOption<Integer> LOOKUP_THREAD_SIZE =
            key("lookup.jdbc.read.thread-size")
                    .intType()
                    .defaultValue(3)
                    .withDescription("Connections per task. 1 or more.");

    private static final String GROUP = "Snapshot read";
    private static final String LOOKUP = "Lookup join";

    public static final List<DorisOption> OPTIONS =
            List.of(
                    new DorisOption(USE_FLIGHT_SQL, GROUP, "Boolean", WORKS),
                    new DorisOption(FLIGHT_SQL_PORT, GROUP, "Integer", WORKS),
                    new DorisOption(QUERY_TIMEOUT, GROUP, "Duration", WORKS),
                    new DorisOption(TABLET_SIZE, GROUP, "Integer", WORKS),
                    new DorisOption(BATCH_SIZE, GROUP, "Integer", WORKS),
                    new DorisOption(EXEC_MEM_LIMIT, GROUP, "MemorySize", WORKS),
                    new DorisOption(DESERIALIZE_ARROW_ASYNC, GROUP, "Boolean", NO_EFFECT),
                    new DorisOption(DESERIALIZE_QUEUE_SIZE, GROUP, "Integer", WORKS),
                    new DorisOption(THRIFT_MAX_MESSAGE_SIZE, GROUP, "Integer", NO_EFFECT),
                    new DorisOption(SCAN_PARALLELISM, GROUP, "Integer", WORKS),
                    new DorisOption(READ_FIELD, GROUP, "String", NO_EFFECT),
                    new DorisOption(FILTER_QUERY, GROUP, "String", WORKS),
                    new DorisOption(USE_OLD_API, GROUP, "Boolean", NO_EFFECT),
                    new DorisOption(READ_BUFFER_SIZE, GROUP, "MemorySize", WORKS),
                    new DorisOption(FLIGHT_HOST_MAPPING, GROUP, "String list", WORKS),
                    new DorisOption(LOOKUP_ASYNC, LOOKUP, "Boolean", LATER),
                    new DorisOption(LOOKUP_CACHE_MAX_ROWS, LOOKUP, "Long", LATER),
                    new DorisOption(LOOKUP_CACHE_TTL, LOOKUP, "Duration", LATER),
                    new DorisOption(LOOKUP_MAX_RETRIES, LOOKUP, "Integer", LATER),
                    new DorisOption(LOOKUP_BATCH_SIZE, LOOKUP, "Integer", LATER),
                    new DorisOption(LOOKUP_QUEUE_SIZE, LOOKUP, "Integer", LATER),
                    new DorisOption(LOOKUP_THREAD_SIZE, LOOKUP, "Integer", LATER));

    private ReadOptions() {}
}
