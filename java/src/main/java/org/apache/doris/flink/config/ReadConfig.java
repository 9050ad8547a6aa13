package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How a snapshot is read: limits, sizes, ports. Immutable, validated when built. */
@Internal
public final class ReadConfig implements Serializable {

    /** In place of a number of tablets per split: it follows from the parallelism. */
    public static final int AUTOMATIC = 0;

    private static final long serialVersionUID = 1L;

    private final int tabletSize;
    private final TreeMap<String, String> sent;

    private ReadConfig(OptionValues options) {
        Integer tablets = options.get(ReadOptions.TABLET_SIZE);
        tabletSize = tablets == null ? AUTOMATIC : tablets;
        sent = new TreeMap<>(options.sent(ReadOptions.ofSnapshot()));
        sent.put(ReadOptions.FLIGHT_HOST_MAPPING.key(), hostMapping(options));
    }

    /** Reads and checks the options of a snapshot read. */
    public static ReadConfig from(OptionValues options) {
        return new ReadConfig(options);
    }

    /** Tablets per split, 1 or more, or {@link #AUTOMATIC}. */
    public int tabletSize() {
        return tabletSize;
    }

    /** What goes to the native core as it is, by the keys of the options. */
    public Map<String, String> sent() {
        return Collections.unmodifiableMap(sent);
    }

    private static String hostMapping(OptionValues options) {
        Map<String, String> mapping = new LinkedHashMap<>();
        List<String> elements = options.get(ReadOptions.FLIGHT_HOST_MAPPING);
        for (String element : elements == null ? List.<String>of() : elements) {
            String[] sides = element.split("=", -1);
            boolean pair =
                    sides.length == 2
                            && NetworkAddress.parse(sides[0].trim()).isPresent()
                            && NetworkAddress.parse(sides[1].trim()).isPresent();
            if (!pair) {
                throw options.invalid(
                        ReadOptions.FLIGHT_HOST_MAPPING,
                        "element '" + element + "' is not internal-host:port=reachable-host:port",
                        "Write for example '172.16.0.4:8050=proxy:18050'.");
            }
            String from = NetworkAddress.parse(sides[0].trim()).get().toString();
            String to = NetworkAddress.parse(sides[1].trim()).get().toString();
            String earlier = mapping.put(from, to);
            if (earlier != null && !earlier.equals(to)) {
                throw options.invalid(
                        ReadOptions.FLIGHT_HOST_MAPPING,
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
