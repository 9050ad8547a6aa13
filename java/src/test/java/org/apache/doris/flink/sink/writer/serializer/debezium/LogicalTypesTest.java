package org.apache.doris.flink.sink.writer.serializer.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Values whose type the envelope names, as Debezium's connectors send them. */
class LogicalTypesTest {

    /** The line of an insert of one column. */
    private static String line(String schema, String value) throws IOException {
        String record =
                "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"struct\","
                        + "\"field\":\"after\",\"fields\":[{\"field\":\"c\",\"optional\":true,"
                        + schema
                        + "}]}]},\"payload\":{\"op\":\"c\",\"after\":{\"c\":"
                        + value
                        + "},\"source\":{\"db\":\"d\",\"table\":\"t\"}}}";
        Routing routing = new Routing("d.t", null, null, null);
        DebeziumReader reader = new DebeziumReader(routing, false, false, () -> {});
        return new String(reader.read(record).row(false, name -> name), StandardCharsets.UTF_8);
    }

    private static String schema(String type, String name) {
        return "\"type\":\"" + type + "\",\"name\":\"" + name + "\",\"version\":1";
    }

    @ParameterizedTest(name = "{1} {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int32|io.debezium.time.Date|19723|\"2024-01-01\"",
                "int32|io.debezium.time.Date|-1|\"1969-12-31\"",
                "int32|io.debezium.time.Date|-719528|\"0000-01-01\"",
                "int32|io.debezium.time.Date|2932896|\"9999-12-31\"",
                "int32|org.apache.kafka.connect.data.Date|20101|\"2025-01-13\"",
                "int32|io.debezium.time.Time|36610001|\"10:10:10.001\"",
                "int32|io.debezium.time.Time|0|\"00:00:00\"",
                "int32|org.apache.kafka.connect.data.Time|1000|\"00:00:01\"",
                "int64|io.debezium.time.MicroTime|3020399999999|\"838:59:59.999999\"",
                "int64|io.debezium.time.MicroTime|-3020399000000|\"-838:59:59\"",
                "int64|io.debezium.time.MicroTime|-1|\"-00:00:00.000001\"",
                "int64|io.debezium.time.NanoTime|36610123456789|\"10:10:10.123456\"",
                "int64|io.debezium.time.Timestamp|1704067200123|\"2024-01-01 00:00:00.123\"",
                "int64|io.debezium.time.Timestamp|1704067200000|\"2024-01-01 00:00:00\"",
                "int64|io.debezium.time.Timestamp|-1|\"1969-12-31 23:59:59.999\"",
                "int64|org.apache.kafka.connect.data.Timestamp|1|\"1970-01-01 00:00:00.001\"",
                "int64|io.debezium.time.MicroTimestamp|1704067200000001"
                        + "|\"2024-01-01 00:00:00.000001\"",
                "int64|io.debezium.time.MicroTimestamp|253402300799999999"
                        + "|\"9999-12-31 23:59:59.999999\"",
                "int64|io.debezium.time.NanoTimestamp|1704067200123456789"
                        + "|\"2024-01-01 00:00:00.123456\"",
                "int64|io.debezium.time.NanoTimestamp|-1|\"1969-12-31 23:59:59.999999\"",
                // Zones as given.
                "string|io.debezium.time.ZonedTimestamp|\"2024-01-01T10:00:00.123456Z\""
                        + "|\"2024-01-01T10:00:00.123456Z\"",
                "string|io.debezium.time.ZonedTimestamp|\"2024-01-01T10:00:00.1234567+02:00\""
                        + "|\"2024-01-01T10:00:00.123456+02:00\"",
                "string|io.debezium.time.ZonedTime|\"10:00:00Z\"|\"10:00:00Z\"",
                "int32|io.debezium.time.Year|2024|\"2024\"",
                "int64|io.debezium.time.MicroDuration|86400000000|\"86400000000\"",
                "string|io.debezium.time.Interval|\"P1DT2H\"|\"P1DT2H\"",
                "string|io.debezium.data.Json|\"{\\\"a\\\":1.10}\"|\"{\\\"a\\\":1.10}\"",
                "string|io.debezium.data.Enum|\"red\"|\"red\"",
                "string|io.debezium.data.EnumSet|\"a,b\"|\"a,b\"",
                "string|io.debezium.data.Uuid|\"6f0e\"|\"6f0e\"",
                "string|io.debezium.data.Xml|\"<a b=\\\"1\\\"/>\"|\"<a b=\\\"1\\\"/>\"",
                "bytes|io.debezium.data.Bits|\"BQE=\"|\"261\"",
                "bytes|io.debezium.data.Bits|\"//////////8=\"|\"18446744073709551615\"",
                "bytes|io.debezium.data.Bits|\"\"|\"0\"",
                "struct|io.debezium.data.VariableScaleDecimal|{\"scale\":2,\"value\":\"EtaH\"}"
                        + "|\"12345.67\"",
                "struct|io.debezium.data.VariableScaleDecimal|{\"scale\":-2,\"value\":\"AQ==\"}"
                        + "|\"100\"",
                "struct|io.debezium.data.VariableScaleDecimal|{\"scale\":0,\"value\":\"/w==\"}"
                        + "|\"-1\"",
                "struct|io.debezium.data.geometry.Point"
                        + "|{\"x\":1.5,\"y\":2.0,\"wkb\":\"AQ==\",\"srid\":null}"
                        + "|{\"x\":1.5,\"y\":2.0,\"wkb\":\"AQ==\",\"srid\":null}",
                // A converter at the source has spelled it already.
                "string|io.debezium.time.Date|\"2024-01-01\"|\"2024-01-01\"",
                "int64|io.debezium.time.MicroTimestamp|null|null",
            })
    void eachLogicalTypeHasItsText(String type, String name, String value, String expected)
            throws IOException {
        assertThat(line(schema(type, name), value)).isEqualTo("{\"c\":" + expected + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // 12345678901234567890123456789012345678 in 16 bytes.
                "18|\"CUmw9vACMxPESZBQ3jjzTg==\"|12345678901234567890.123456789012345678",
                "18|12345678901234567890.123456789012345678"
                        + "|12345678901234567890.123456789012345678",
                "0|\"/w==\"|-1",
                "2|\"AA==\"|0.00",
                "-3|\"Ag==\"|2000",
            })
    void decimalsKeepTheirDigits(int scale, String value, String expected) throws IOException {
        String schema =
                schema("bytes", "org.apache.kafka.connect.data.Decimal")
                        + ",\"parameters\":{\"scale\":\""
                        + scale
                        + "\",\"connect.decimal.precision\":\"38\"}";
        assertThat(line(schema, value)).isEqualTo("{\"c\":\"" + expected + "\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"type\":\"double\"|\"NaN\"|\"NaN\"",
                "\"type\":\"double\"|\"-Infinity\"|\"-inf\"",
                "\"type\":\"float\"|\"Infinity\"|\"inf\"",
                "\"type\":\"string\"|\"Infinity\"|\"Infinity\"",
                "\"type\":\"double\"|1.5|\"1.5\"",
                "\"type\":\"bytes\"|\"AAEC\"|\"AAEC\"",
                "\"type\":\"boolean\"|true|true",
                "\"type\":\"array\",\"items\":{\"type\":\"int32\","
                        + "\"name\":\"io.debezium.time.Date\"}|[19723,null]|[\"2024-01-01\",null]",
                "\"type\":\"map\",\"keys\":{\"type\":\"string\"},\"values\":{\"type\":\"int32\","
                        + "\"name\":\"io.debezium.time.Date\"}|{\"a\":0}|{\"a\":\"1970-01-01\"}",
                "\"type\":\"struct\",\"fields\":[{\"field\":\"d\",\"type\":\"int32\","
                        + "\"name\":\"io.debezium.time.Date\"}]|{\"d\":0,\"e\":1}"
                        + "|{\"d\":\"1970-01-01\",\"e\":1}",
            })
    void otherTypesStayButForTheirParts(String schema, String value, String expected)
            throws IOException {
        assertThat(line(schema, value)).isEqualTo("{\"c\":" + expected + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "int32|io.debezium.time.Date|2147483647|outside the years 0000 to 9999",
                "int32|io.debezium.time.Date|-719529|outside the years 0000 to 9999",
                "int64|io.debezium.time.MicroTimestamp|9223372036825200000"
                        + "|outside the years 0000 to 9999",
                "int64|io.debezium.time.Timestamp|9223372036854775807"
                        + "|outside the years 0000 to 9999",
                "string|io.debezium.time.ZonedTimestamp|\"+294247-01-10T04:00:54Z\""
                        + "|outside the years 0000 to 9999",
                "int32|io.debezium.time.Date|true|not of the type",
                "int32|io.debezium.time.Date|1.5|not of the type",
                "bytes|org.apache.kafka.connect.data.Decimal|\"AQ==\"|not of the type",
                "bytes|io.debezium.data.Bits|\"%%%\"|not of the type",
                "bytes|io.debezium.data.Bits|77|not of the type",
                "struct|io.debezium.data.VariableScaleDecimal|{\"value\":\"AQ==\"}"
                        + "|not of the type",
            })
    void otherValuesFailByColumnAndType(String type, String name, String value, String why) {
        assertThatThrownBy(() -> line(schema(type, name), value))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("table d.t")
                .hasMessageContaining("column 'c'")
                .hasMessageContaining(name)
                .hasMessageContaining(why)
                .hasMessageNotContaining(value);
    }
}
