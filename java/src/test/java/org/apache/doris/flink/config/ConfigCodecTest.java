package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The map that the native core reads: complete, resolved, exact. */
class ConfigCodecTest {

    private static final RowType DECLARED =
            RowType.of(
                    new LogicalType[] {
                        DataTypes.INT().notNull().getLogicalType(),
                        DataTypes.STRING().getLogicalType(),
                        DataTypes.ROW(DataTypes.FIELD("a`b", DataTypes.TIMESTAMP_LTZ(6)))
                                .getLogicalType()
                    },
                    new String[] {"id", "name", "s"});

    private static final String[] READ = {
        "fenodes", "fe1:8030, [::1]:8030",
        "table.identifier", "test.`stu``dent`",
        "username", "u",
        "password", "p@ss:w/ö rd%",
        "doris.native.worker-threads", "2",
        "source.flight-host-mapping", "a:1=b:2, [::1]:3 = c:4",
        "doris.filter.query", " a = 1 "
    };

    private static final String[] FOLLOWED = {
        "source.scan.mode", "latest",
        "source.changelog.increment-type", "MIN-DELTA",
        "source.changelog.visible-wait-timeout", "0s",
        "source.changelog.offset-table", "ops.`off``set.s`",
        "source.changelog.consumer-id", "ö 1",
        "jdbc-url", "jdbc:mysql://fe1:9030"
    };

    private static final String[] WRITTEN = {
        "fenodes", "fe1:8030",
        "benodes", "be1:8040, [::1]:8040",
        "table.identifier", "test.student",
        "username", "u",
        "password", "p@ss:w/ö rd%",
        "doris.request.read.timeout", "5s",
        "doris.native.worker-threads", "2",
        "auto-redirect", "FALSE",
        "sink.max-retries", "7",
        "sink.use-cache", "true",
        "sink.properties.Format", "JSON",
        "sink.properties.compress_type", "",
        "sink.properties.WHERE", "Name <> 'ö'"
    };

    private static final String[] BATCH = {
        "sink.write-mode", "stream-load-batch",
        "sink.buffer-size", "2mb",
        "sink.buffer-flush.max-rows", "20000",
        "sink.buffer-flush.max-bytes", "10mb",
        "sink.buffer-flush.interval", "2s",
        "sink.flush.queue-size", "4"
    };

    /** What both need at least; the number of threads would depend on the machine. */
    private static final String[] LEAST = {
        "fenodes", "fe1:8030",
        "table.identifier", "db.t",
        "username", "root",
        "doris.native.worker-threads", "2"
    };

    @Test
    void aReadIsAsTheNativeCoreExpectsIt() throws IOException {
        OptionValues least = options(LEAST);
        ScanConfig scan =
                new ScanConfig(
                        ConnectionConfig.from(least),
                        ReadConfig.from(least),
                        DECLARED,
                        ScanColumn.allOf(DECLARED),
                        "",
                        ScanConfig.NO_LIMIT,
                        "UTC");
        assertCrosses("read-default", ConfigCodec.encode(scan));
        assertCrosses("read-full", ConfigCodec.encode(scan(READ)));
    }

    @Test
    void whatFollowsChangesIsAsTheNativeCoreExpectsIt() throws IOException {
        assertCrosses("changelog-full", ConfigCodec.encode(scan(READ, FOLLOWED)));
    }

    @Test
    void aSinkIsAsTheNativeCoreExpectsIt() throws IOException {
        OptionValues least = options(LEAST);
        SinkConfig sink =
                new SinkConfig(
                        ConnectionConfig.from(least), WriteConfig.from(least), DECLARED, "UTC");
        assertCrosses("write-default", ConfigCodec.encode(sink, 3600, Duration.ofMinutes(5)));
        assertCrosses("write-full", ConfigCodec.encode(sink(), 3600, Duration.ofSeconds(90)));
        OptionValues batch = options(LEAST, BATCH);
        SinkConfig inBatches =
                new SinkConfig(
                        ConnectionConfig.from(batch), WriteConfig.from(batch), DECLARED, "UTC");
        assertCrosses("write-batch", ConfigCodec.encode(inBatches, 3600, Duration.ofMinutes(5)));
    }

    /** Run with {@code -Ddoris.fixtures.update=true} to write the files anew. */
    private static void assertCrosses(String fixture, byte[] bytes) throws IOException {
        Map<String, String> sent = decode(bytes);
        if (Boolean.getBoolean("doris.fixtures.update")) {
            List<String> lines = new ArrayList<>();
            new TreeMap<>(sent).forEach((key, value) -> lines.add(key + "=" + value));
            Files.write(ConfigFixture.path(fixture), lines);
        }
        assertThat(sent).as(fixture).isEqualTo(ConfigFixture.read(fixture));
    }

    private static SinkConfig sink() {
        OptionValues values = options(WRITTEN);
        return new SinkConfig(
                ConnectionConfig.from(values), WriteConfig.from(values), DECLARED, "Asia/Shanghai");
    }

    @Test
    void aSinkTravelsWithTheJobAndShowsNoPassword() throws Exception {
        SinkConfig sink = sink();
        SinkConfig copy = InstantiationUtil.clone(sink, ConfigCodecTest.class.getClassLoader());
        assertThat(ConfigCodec.encode(copy, 1, Duration.ZERO))
                .isEqualTo(ConfigCodec.encode(sink, 1, Duration.ZERO));
        assertThat(copy.labelPrefix()).isEqualTo(sink.labelPrefix());
        assertThat(copy.declared()).contains(DECLARED);
        assertThat(sink.toString()).doesNotContain("p@ss");
    }

    private static OptionValues options(String[]... groups) {
        Map<String, String> options = new HashMap<>();
        for (String[] group : groups) {
            for (int i = 0; i < group.length; i += 2) {
                options.put(group[i], group[i + 1]);
            }
        }
        return OptionValues.of(options);
    }

    private static ScanConfig scan(String[]... groups) {
        OptionValues values = options(groups);
        return new ScanConfig(
                ConnectionConfig.from(values),
                ReadConfig.from(values),
                DECLARED,
                List.of(
                        new ScanColumn(
                                List.of("s", "a`b"), DataTypes.TIMESTAMP_LTZ(6).getLogicalType()),
                        new ScanColumn(List.of("id"), DataTypes.INT().notNull().getLogicalType())),
                "`id` > 1",
                10,
                "Asia/Shanghai",
                ChangelogConfig.from(values),
                List.of(MetadataColumn.OP));
    }

    private static Map<String, String> decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Map<String, String> map = new LinkedHashMap<>();
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            map.put(text(in), text(in));
        }
        assertThat(in.hasRemaining()).isFalse();
        return map;
    }

    private static String text(ByteBuffer in) {
        byte[] utf8 = new byte[in.getInt()];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
