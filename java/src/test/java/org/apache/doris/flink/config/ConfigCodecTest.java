package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    @Test
    void everyKeyIsThere() {
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("fenodes", "fe1:8030,[::1]:8030");
        expected.put("benodes", "");
        expected.put("username", "u");
        expected.put("password", "p@ss:w/ö rd%");
        expected.put("table.catalog", "");
        expected.put("table.database", "test");
        expected.put("table.name", "stu`dent");
        expected.put("doris.request.retries", "3");
        expected.put("doris.request.connect.timeout", "60000");
        expected.put("doris.request.read.timeout", "60000");
        expected.put("doris.request.query.timeout", "21600000");
        expected.put("doris.batch.size", "4064");
        expected.put("doris.exec.mem.limit", "8589934592");
        expected.put("doris.deserialize.queue.size", "64");
        expected.put("source.flight-sql-port", "-1");
        expected.put("source.read-buffer-size", "67108864");
        expected.put("source.flight-host-mapping", "a:1=b:2,[::1]:3=c:4");
        expected.put("doris.native.worker-threads", "2");
        expected.put("doris.filter.query", "a = 1");
        expected.put("read.filter", "`id` > 1");
        expected.put("read.limit", "10");
        expected.put("read.metadata", "op");
        expected.put("read.local-time-zone", "Asia/Shanghai");
        expected.put(
                "read.declared",
                "ROW<`id` INT NOT NULL, `name` VARCHAR(2147483647),"
                        + " `s` ROW<`a``b` TIMESTAMP(6) WITH LOCAL TIME ZONE>>");
        expected.put("changelog.increment-type", "");
        expected.put("changelog.visible-wait-timeout", "300000");
        expected.put("changelog.offset-table.database", "");
        expected.put("changelog.offset-table.name", "");
        expected.put("changelog.consumer-id", "");
        expected.put("jdbc-url", "");
        expected.put("read.columns", "2");
        expected.put("read.column.0.path", "`s`.`a``b`");
        expected.put("read.column.0.type", "TIMESTAMP(6) WITH LOCAL TIME ZONE");
        expected.put("read.column.1.path", "`id`");
        expected.put("read.column.1.type", "INT NOT NULL");
        assertThat(decode(ConfigCodec.encode(scan()))).isEqualTo(expected);
    }

    @Test
    void whatFollowsChangesIsThere() {
        Map<String, String> map =
                ConfigCodec.resolve(
                        scan(
                                Map.of(
                                        "source.scan.mode",
                                        "latest",
                                        "source.changelog.increment-type",
                                        "MIN-DELTA",
                                        "source.changelog.visible-wait-timeout",
                                        "0s",
                                        "source.changelog.offset-table",
                                        "ops.`off``set.s`",
                                        "source.changelog.consumer-id",
                                        "ö 1",
                                        "jdbc-url",
                                        "jdbc:mysql://fe1:9030")));
        assertThat(map)
                .containsEntry("changelog.increment-type", "min_delta")
                .containsEntry("changelog.visible-wait-timeout", "0")
                .containsEntry("changelog.offset-table.database", "ops")
                .containsEntry("changelog.offset-table.name", "off`set.s")
                .containsEntry("changelog.consumer-id", "ö 1")
                .containsEntry("jdbc-url", "jdbc:mysql://fe1:9030");
    }

    @Test
    void everyKeyOfASinkIsThere() {
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("fenodes", "fe1:8030");
        expected.put("benodes", "be1:8040,[::1]:8040");
        expected.put("username", "u");
        expected.put("password", "p@ss:w/ö rd%");
        expected.put("doris.request.retries", "3");
        expected.put("doris.request.connect.timeout", "60000");
        expected.put("doris.request.read.timeout", "5000");
        expected.put("doris.native.worker-threads", "2");
        expected.put("auto-redirect", "false");
        expected.put("write.two-phase", "true");
        expected.put("write.group-commit", "false");
        expected.put("write.enable-delete", "true");
        expected.put("sink.max-retries", "7");
        expected.put("sink.buffer-size", "1048576");
        expected.put("sink.buffer-count", "3");
        expected.put("sink.replay-buffer-size", "-1");
        expected.put("sink.compress-level", "-1");
        expected.put("write.answer-timeout", "90000");
        expected.put("write.local-time-zone", "Asia/Shanghai");
        expected.put("write.properties", "5");
        expected.put("write.property.0.name", "compress_type");
        expected.put("write.property.0.value", "");
        expected.put("write.property.1.name", "format");
        expected.put("write.property.1.value", "json");
        expected.put("write.property.2.name", "read_json_by_line");
        expected.put("write.property.2.value", "true");
        expected.put("write.property.3.name", "timeout");
        expected.put("write.property.3.value", "3600");
        expected.put("write.property.4.name", "where");
        expected.put("write.property.4.value", "Name <> 'ö'");
        byte[] bytes = ConfigCodec.encode(sink(), 3600, Duration.ofSeconds(90));
        assertThat(decode(bytes)).isEqualTo(expected);
    }

    private static SinkConfig sink() {
        Map<String, String> options = new HashMap<>();
        options.put("fenodes", "fe1:8030");
        options.put("benodes", "be1:8040, [::1]:8040");
        options.put("table.identifier", "test.student");
        options.put("username", "u");
        options.put("password", "p@ss:w/ö rd%");
        options.put("doris.request.read.timeout", "5s");
        options.put("doris.native.worker-threads", "2");
        options.put("auto-redirect", "FALSE");
        options.put("sink.max-retries", "7");
        options.put("sink.use-cache", "true");
        options.put("sink.properties.Format", "JSON");
        options.put("sink.properties.compress_type", "");
        options.put("sink.properties.WHERE", "Name <> 'ö'");
        OptionValues values = OptionValues.of(options);
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

    private static ScanConfig scan() {
        return scan(Map.of());
    }

    private static ScanConfig scan(Map<String, String> further) {
        Map<String, String> options = new HashMap<>(further);
        options.put("fenodes", "fe1:8030, [::1]:8030");
        options.put("table.identifier", "test.`stu``dent`");
        options.put("username", "u");
        options.put("password", "p@ss:w/ö rd%");
        options.put("doris.native.worker-threads", "2");
        options.put("source.flight-host-mapping", "a:1=b:2, [::1]:3 = c:4");
        options.put("doris.filter.query", " a = 1 ");
        OptionValues values = OptionValues.of(options);
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
