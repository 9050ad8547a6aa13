package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;

import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** How a snapshot is read: limits, sizes, ports. Immutable, validated when built. */
@Internal
public final class ReadConfig implements Serializable {

    /** In place of a number of tablets per split: it follows from the parallelism. */
    public static final int AUTOMATIC = 0;

    private static final long serialVersionUID = 1L;

    /** Most rows that a batch may be asked to have. */
    static final int MAX_BATCH_ROWS = 65535;

    private final Duration queryTimeout;
    private final int tabletSize;
    private final int batchSize;
    private final long execMemLimit;
    private final int queueSize;
    private final int flightPort;
    private final long bufferSize;
    private final String hostMapping;
    private final String filterQuery;

    private ReadConfig(OptionValues options) {
        queryTimeout =
                wholeSeconds(
                        options.duration(DorisConfigOptions.QUERY_TIMEOUT, Duration.ofSeconds(1)));
        tabletSize = tabletSize(options);
        int rows = options.integer(DorisConfigOptions.BATCH_SIZE, 1, Integer.MAX_VALUE);
        if (rows > MAX_BATCH_ROWS) {
            options.warn(
                    String.format(
                            "Option '%s' is %d; a batch has at most %d rows, so that is used.",
                            DorisConfigOptions.BATCH_SIZE.key(), rows, MAX_BATCH_ROWS));
        }
        batchSize = Math.min(rows, MAX_BATCH_ROWS);
        execMemLimit = options.bytes(DorisConfigOptions.EXEC_MEM_LIMIT, new MemorySize(1));
        queueSize =
                options.integer(DorisConfigOptions.DESERIALIZE_QUEUE_SIZE, 1, Integer.MAX_VALUE);
        flightPort = flightPort(options);
        bufferSize = options.bytes(DorisConfigOptions.READ_BUFFER_SIZE, new MemorySize(1));
        hostMapping = hostMapping(options);
        filterQuery = options.text(DorisConfigOptions.FILTER_QUERY).orElse("");
    }

    /** Reads and checks the options of a snapshot read. */
    public static ReadConfig from(OptionValues options) {
        return new ReadConfig(options);
    }

    private static int tabletSize(OptionValues options) {
        if (!options.has(DorisConfigOptions.TABLET_SIZE)) {
            return AUTOMATIC;
        }
        int tablets =
                options.integer(
                        DorisConfigOptions.TABLET_SIZE, Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (tablets < 1) {
            options.warn(
                    String.format(
                            "Option '%s' is %d; a split has at least 1 tablet, so 1 is used.",
                            DorisConfigOptions.TABLET_SIZE.key(), tablets));
        }
        return Math.max(1, tablets);
    }

    /** Longest run time of one split's query, in whole seconds. */
    public Duration queryTimeout() {
        return queryTimeout;
    }

    /** Tablets per split, 1 or more, or {@link #AUTOMATIC}. */
    public int tabletSize() {
        return tabletSize;
    }

    /** Rows asked for per batch, 1 to 65535. */
    public int batchSize() {
        return batchSize;
    }

    /** Bytes that a back end may use for one split. */
    public long execMemLimit() {
        return execMemLimit;
    }

    /** Batches fetched ahead, 1 or more. */
    public int queueSize() {
        return queueSize;
    }

    /** Flight port of all front ends, or -1 to ask the cluster. */
    public int flightPort() {
        return flightPort;
    }

    /** Native bytes that one reader may hold. */
    public long bufferSize() {
        return bufferSize;
    }

    /** {@code a:1=b:2,c:3=d:4} or empty. */
    public String hostMapping() {
        return hostMapping;
    }

    /** The user's own predicate in Doris' dialect, or empty. */
    public String filterQuery() {
        return filterQuery;
    }

    private static Duration wholeSeconds(Duration duration) {
        return duration.getNano() == 0 ? duration : Duration.ofSeconds(duration.getSeconds() + 1);
    }

    private static int flightPort(OptionValues options) {
        int port =
                options.integer(
                        DorisConfigOptions.FLIGHT_SQL_PORT, Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (port != -1 && (port < 1 || port > 65535)) {
            throw options.invalid(
                    DorisConfigOptions.FLIGHT_SQL_PORT,
                    "allowed are -1 and 1 to 65535",
                    "Leave the option out, or use -1, to take the port that the cluster reports.");
        }
        return port;
    }

    private static String hostMapping(OptionValues options) {
        Map<String, String> mapping = new LinkedHashMap<>();
        for (String element : options.list(DorisConfigOptions.FLIGHT_HOST_MAPPING)) {
            String[] sides = element.split("=", -1);
            boolean pair =
                    sides.length == 2
                            && NetworkAddress.parse(sides[0].trim()).isPresent()
                            && NetworkAddress.parse(sides[1].trim()).isPresent();
            if (!pair) {
                throw options.invalid(
                        DorisConfigOptions.FLIGHT_HOST_MAPPING,
                        "element '" + element + "' is not internal-host:port=reachable-host:port",
                        "Write for example '172.16.0.4:8050=proxy:18050'.");
            }
            String from = NetworkAddress.parse(sides[0].trim()).get().toString();
            String to = NetworkAddress.parse(sides[1].trim()).get().toString();
            String earlier = mapping.put(from, to);
            if (earlier != null && !earlier.equals(to)) {
                throw options.invalid(
                        DorisConfigOptions.FLIGHT_HOST_MAPPING,
                        "'" + from + "' is mapped to both '" + earlier + "' and '" + to + "'",
                        "Keep one of the two.");
            }
        }
        StringBuilder text = new StringBuilder();
        mapping.forEach(
                (from, to) ->
                        text.append(text.length() == 0 ? "" : ",")
                                .append(from)
                                .append('=')
                                .append(to));
        return text.toString();
    }
}
