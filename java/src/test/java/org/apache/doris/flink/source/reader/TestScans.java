package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.RowType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Scans of a table with one column, as the planner leaves them. */
final class TestScans {

    private TestScans() {}

    /** A read of the content alone. */
    static ScanConfig snapshot() {
        return with();
    }

    /** A read that follows changes, with further options as key, value, … */
    static ScanConfig changes(String... options) {
        String[] all = new String[options.length + 2];
        all[0] = "source.scan.mode";
        all[1] = "initial";
        System.arraycopy(options, 0, all, 2, options.length);
        return with(all);
    }

    /** A read of a snapshot of which so many rows are wanted. */
    static ScanConfig limited(long limit) {
        ScanConfig all = snapshot();
        return new ScanConfig(
                all.connection(),
                all.read(),
                RowType.of(new IntType()),
                all.columns(),
                "",
                limit,
                "UTC");
    }

    /** A read of a snapshot whose rows are only counted. */
    static ScanConfig withoutColumns() {
        ScanConfig all = snapshot();
        return new ScanConfig(
                all.connection(),
                all.read(),
                RowType.of(),
                List.of(),
                "",
                ScanConfig.NO_LIMIT,
                "UTC");
    }

    private static ScanConfig with(String... options) {
        Map<String, String> map = new HashMap<>();
        map.put("fenodes", "h:1");
        map.put("table.identifier", "test.t");
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        OptionValues values = OptionValues.of(map);
        RowType declared = RowType.of(new IntType());
        return new ScanConfig(
                ConnectionConfig.from(values),
                ReadConfig.from(values),
                declared,
                List.of(new ScanColumn(List.of("f0"), new IntType())),
                "",
                ScanConfig.NO_LIMIT,
                "UTC",
                ChangelogConfig.from(values).withCheckpointInterval(OptionalLong.of(10_000)),
                List.<MetadataColumn>of());
    }
}
