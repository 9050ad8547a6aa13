package org.apache.doris.flink.config.option;

import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Every option that a table of this connector knows: the one list that the factory, the
 * documentation and the tests go by. The constants are those that other packages read.
 */
@Internal
public final class DorisConfigOptions {

    /** Id of the connector in {@code 'connector' = 'doris'}. */
    public static final String IDENTIFIER = "doris";

    /** Prefix of the Stream Load parameters, the only free-form keys. */
    public static final String SINK_PROPERTIES_PREFIX = SinkOptions.PROPERTIES_PREFIX;

    public static final ConfigOption<String> FENODES = CommonOptions.FENODES;
    public static final ConfigOption<String> BENODES = CommonOptions.BENODES;
    public static final ConfigOption<String> TABLE_IDENTIFIER = CommonOptions.TABLE_IDENTIFIER;
    public static final ConfigOption<String> USERNAME = CommonOptions.USERNAME;
    public static final ConfigOption<String> PASSWORD = CommonOptions.PASSWORD;
    public static final ConfigOption<String> JDBC_URL = CommonOptions.JDBC_URL;
    public static final ConfigOption<Boolean> AUTO_REDIRECT = CommonOptions.AUTO_REDIRECT;
    public static final ConfigOption<Integer> REQUEST_RETRIES = CommonOptions.REQUEST_RETRIES;
    public static final ConfigOption<Duration> CONNECT_TIMEOUT = CommonOptions.CONNECT_TIMEOUT;
    public static final ConfigOption<Duration> READ_TIMEOUT = CommonOptions.READ_TIMEOUT;
    public static final ConfigOption<String> NATIVE_LIBRARY_PATH =
            CommonOptions.NATIVE_LIBRARY_PATH;
    public static final ConfigOption<Integer> NATIVE_WORKER_THREADS =
            CommonOptions.NATIVE_WORKER_THREADS;

    public static final ConfigOption<Integer> FLIGHT_SQL_PORT = ReadOptions.FLIGHT_SQL_PORT;
    public static final ConfigOption<Duration> QUERY_TIMEOUT = ReadOptions.QUERY_TIMEOUT;
    public static final ConfigOption<Integer> TABLET_SIZE = ReadOptions.TABLET_SIZE;
    public static final ConfigOption<Integer> BATCH_SIZE = ReadOptions.BATCH_SIZE;
    public static final ConfigOption<MemorySize> EXEC_MEM_LIMIT = ReadOptions.EXEC_MEM_LIMIT;
    public static final ConfigOption<Integer> DESERIALIZE_QUEUE_SIZE =
            ReadOptions.DESERIALIZE_QUEUE_SIZE;
    public static final ConfigOption<String> FILTER_QUERY = ReadOptions.FILTER_QUERY;
    public static final ConfigOption<MemorySize> READ_BUFFER_SIZE = ReadOptions.READ_BUFFER_SIZE;
    public static final ConfigOption<String> FLIGHT_HOST_MAPPING = ReadOptions.FLIGHT_HOST_MAPPING;

    public static final ConfigOption<String> SCAN_MODE = ChangelogOptions.SCAN_MODE;
    public static final ConfigOption<String> SCAN_TIMESTAMP = ChangelogOptions.SCAN_TIMESTAMP;
    public static final ConfigOption<String> INCREMENT_TYPE = ChangelogOptions.INCREMENT_TYPE;
    public static final ConfigOption<Duration> POLL_INTERVAL = ChangelogOptions.POLL_INTERVAL;
    public static final ConfigOption<Duration> VISIBLE_WAIT_TIMEOUT =
            ChangelogOptions.VISIBLE_WAIT_TIMEOUT;
    public static final ConfigOption<String> OFFSET_TABLE = ChangelogOptions.OFFSET_TABLE;
    public static final ConfigOption<String> CONSUMER_ID = ChangelogOptions.CONSUMER_ID;
    public static final ConfigOption<String> SLICES = ChangelogOptions.SLICES;
    public static final ConfigOption<Duration> MAX_WINDOW = ChangelogOptions.MAX_WINDOW;
    public static final ConfigOption<String> ON_EXPIRED = ChangelogOptions.ON_EXPIRED;
    public static final ConfigOption<String> CHANGELOG_MODE = ChangelogOptions.CHANGELOG_MODE;

    public static final ConfigOption<String> LABEL_PREFIX = SinkOptions.LABEL_PREFIX;
    public static final ConfigOption<Boolean> ENABLE_DELETE = SinkOptions.ENABLE_DELETE;
    public static final ConfigOption<Boolean> ENABLE_2PC = SinkOptions.ENABLE_2PC;
    public static final ConfigOption<MemorySize> SINK_BUFFER_SIZE = SinkOptions.BUFFER_SIZE;
    public static final ConfigOption<Integer> SINK_BUFFER_COUNT = SinkOptions.BUFFER_COUNT;
    public static final ConfigOption<Integer> SINK_MAX_RETRIES = SinkOptions.MAX_RETRIES;
    public static final ConfigOption<Boolean> IGNORE_UPDATE_BEFORE =
            SinkOptions.IGNORE_UPDATE_BEFORE;
    public static final ConfigOption<Boolean> IGNORE_COMMIT_ERROR = SinkOptions.IGNORE_COMMIT_ERROR;
    public static final ConfigOption<Duration> PRECOMMIT_TIMEOUT = SinkOptions.PRECOMMIT_TIMEOUT;
    public static final ConfigOption<Boolean> SINK_USE_CACHE = SinkOptions.USE_CACHE;
    public static final ConfigOption<MemorySize> SINK_REPLAY_BUFFER_SIZE =
            SinkOptions.REPLAY_BUFFER_SIZE;
    public static final ConfigOption<Integer> SINK_COMPRESS_LEVEL = SinkOptions.COMPRESS_LEVEL;

    /**
     * Former name → today's option, for the names that only changed their spelling and unit-less
     * twins. The unit of the value is given beside it.
     */
    public static final Map<String, Former> FORMER_NAMES = formerNames();

    private static final Map<String, DorisOption> BY_KEY = byKey();

    private DorisConfigOptions() {}

    /** All options, in the order of the documentation. */
    public static List<DorisOption> all() {
        return List.copyOf(BY_KEY.values());
    }

    /** The option with this exact key. */
    public static Optional<DorisOption> find(String key) {
        return Optional.ofNullable(BY_KEY.get(key));
    }

    /** All keys a user may write, former names included, free-form prefixes left out. */
    static List<String> allKeys() {
        List<String> keys = new ArrayList<>(BY_KEY.keySet());
        keys.addAll(FORMER_NAMES.keySet());
        return keys;
    }

    /** Whether a table cannot do without the option. */
    static boolean required(DorisOption option) {
        return option.option() == FENODES || option.option() == TABLE_IDENTIFIER;
    }

    /** A former name: today's option, and the unit to append to a bare number. */
    public static final class Former {
        final ConfigOption<?> today;
        final String unit;

        private Former(ConfigOption<?> today, String unit) {
            this.today = today;
            this.unit = unit;
        }
    }

    private static Map<String, DorisOption> byKey() {
        Map<String, DorisOption> all = new LinkedHashMap<>();
        List.of(
                        CommonOptions.OPTIONS,
                        ReadOptions.OPTIONS,
                        ChangelogOptions.OPTIONS,
                        SinkOptions.OPTIONS)
                .forEach(group -> group.forEach(option -> all.put(option.key(), option)));
        return Collections.unmodifiableMap(all);
    }

    private static Map<String, Former> formerNames() {
        Map<String, Former> former = new LinkedHashMap<>();
        for (DorisOption option : ChangelogOptions.OPTIONS) {
            option.option()
                    .fallbackKeys()
                    .forEach(key -> former.put(key.getKey(), new Former(option.option(), "")));
        }
        former.put("doris.request.connect.timeout.ms", new Former(CONNECT_TIMEOUT, "ms"));
        former.put("doris.request.read.timeout.ms", new Former(READ_TIMEOUT, "ms"));
        former.put("doris.request.query.timeout.s", new Former(QUERY_TIMEOUT, "s"));
        return Collections.unmodifiableMap(former);
    }
}
