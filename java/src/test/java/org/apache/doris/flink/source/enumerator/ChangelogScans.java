package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Configured reads of the changes of {@code test.t}, for tests. */
final class ChangelogScans {

    private ChangelogScans() {}

    /** Options as pairs; the checkpoint interval is ten seconds. */
    static ScanConfig scan(String... options) {
        return scan(OptionalLong.of(10_000), options);
    }

    /** Options as pairs. */
    static ScanConfig scan(OptionalLong checkpointInterval, String... options) {
        Map<String, String> map = new HashMap<>();
        map.put("fenodes", "h:1");
        map.put("table.identifier", "test.t");
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        OptionValues values = OptionValues.of(map);
        return new ScanConfig(
                ConnectionConfig.from(values),
                ReadConfig.from(values),
                RowType.of(new IntType()),
                List.of(),
                "",
                ScanConfig.NO_LIMIT,
                "UTC",
                ChangelogConfig.from(values).withCheckpointInterval(checkpointInterval),
                List.of());
    }

    /** The same with progress published in {@code ops.offsets}. */
    static ScanConfig publishing(String... options) {
        String[] all = Arrays.copyOf(options, options.length + 6);
        String[] offset = {
            "source.changelog.offset-table", "ops.offsets",
            "source.changelog.consumer-id", "c",
            "jdbc-url", "jdbc:mysql://h:9030"
        };
        System.arraycopy(offset, 0, all, options.length, offset.length);
        return scan(all);
    }
}
