package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
        expected.put("read.local-time-zone", "Asia/Shanghai");
        expected.put(
                "read.declared",
                "ROW<`id` INT NOT NULL, `name` VARCHAR(2147483647),"
                        + " `s` ROW<`a``b` TIMESTAMP(6) WITH LOCAL TIME ZONE>>");
        expected.put("read.columns", "2");
        expected.put("read.column.0.path", "`s`.`a``b`");
        expected.put("read.column.0.type", "TIMESTAMP(6) WITH LOCAL TIME ZONE");
        expected.put("read.column.1.path", "`id`");
        expected.put("read.column.1.type", "INT NOT NULL");
        assertThat(decode(ConfigCodec.encode(scan()))).isEqualTo(expected);
    }

    private static ScanConfig scan() {
        Map<String, String> options = new HashMap<>();
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
                "Asia/Shanghai");
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
