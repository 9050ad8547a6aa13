package org.apache.doris.flink.sink.writer.serializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;

/** Rows spelled for serializers that call this one: CSV and JSON without knowing the table. */
class RowDataSerializerTest {

    private static final TimeZone JVM_ZONE = TimeZone.getDefault();

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(JVM_ZONE);
    }

    static Stream<Arguments> values() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put(StringData.fromString("a\"b"), 1);
        map.put(StringData.fromString("c"), null);
        GenericMapData counts = new GenericMapData(Map.of(StringData.fromString("x"), 2));
        return Stream.of(
                Arguments.of(DataTypes.BOOLEAN(), true, "true"),
                Arguments.of(DataTypes.TINYINT(), (byte) -128, "-128"),
                Arguments.of(DataTypes.BIGINT(), Long.MIN_VALUE, "-9223372036854775808"),
                Arguments.of(DataTypes.FLOAT(), 0.1f, "0.1"),
                Arguments.of(DataTypes.FLOAT(), Float.NaN, "NaN"),
                Arguments.of(DataTypes.DOUBLE(), Double.NEGATIVE_INFINITY, "-inf"),
                Arguments.of(DataTypes.DOUBLE(), 1e-320, "1.0E-320"),
                // JSON-4
                Arguments.of(
                        DataTypes.DECIMAL(38, 18), decimal("0", 38, 18), "0." + "0".repeat(18)),
                Arguments.of(
                        DataTypes.DECIMAL(38, 18),
                        decimal("12345678901234567890.123456789012345678", 38, 18),
                        "12345678901234567890.123456789012345678"),
                Arguments.of(DataTypes.STRING(), StringData.fromString("ö 😱"), "ö 😱"),
                Arguments.of(DataTypes.STRING(), StringData.fromString(""), ""),
                Arguments.of(
                        DataTypes.DATE(),
                        (int) LocalDate.of(2024, 1, 31).toEpochDay(),
                        "2024-01-31"),
                Arguments.of(DataTypes.DATE(), -719528, "0000-01-01"),
                Arguments.of(DataTypes.TIME(0), millis("01:02:03.999"), "01:02:03"),
                Arguments.of(DataTypes.TIME(3), millis("01:02:03.045"), "01:02:03.045"),
                Arguments.of(DataTypes.TIME(9), millis("23:59:59.999"), "23:59:59.999"),
                Arguments.of(
                        DataTypes.TIMESTAMP(0),
                        TimestampData.fromLocalDateTime(LocalDateTime.of(2024, 3, 10, 2, 30)),
                        "2024-03-10 02:30:00"),
                // TIME-5
                Arguments.of(
                        DataTypes.TIMESTAMP(6),
                        TimestampData.fromLocalDateTime(
                                LocalDateTime.parse("2026-03-27T15:20:29.921550")),
                        "2026-03-27 15:20:29.921550"),
                Arguments.of(
                        DataTypes.TIMESTAMP(9),
                        TimestampData.fromLocalDateTime(
                                LocalDateTime.parse("1969-12-31T23:59:59.123456789")),
                        "1969-12-31 23:59:59.123456"),
                Arguments.of(
                        DataTypes.TIMESTAMP_LTZ(3),
                        TimestampData.fromInstant(Instant.parse("2024-01-01T00:00:00Z")),
                        "2024-01-01 08:00:00.000"),
                Arguments.of(DataTypes.INTERVAL(DataTypes.MONTH()), 14, "14"),
                Arguments.of(DataTypes.INTERVAL(DataTypes.SECOND(3)), 1500L, "1500"),
                // JSON-2
                Arguments.of(
                        DataTypes.ARRAY(DataTypes.STRING()),
                        new GenericArrayData(
                                new Object[] {
                                    StringData.fromString("a,b"),
                                    StringData.fromString("c]\"d"),
                                    StringData.fromString(""),
                                    null
                                }),
                        "[\"a,b\",\"c]\\\"d\",\"\",null]"),
                Arguments.of(
                        DataTypes.ARRAY(DataTypes.DATE()),
                        new GenericArrayData(
                                new int[] {(int) LocalDate.of(2024, 1, 31).toEpochDay()}),
                        "[\"2024-01-31\"]"),
                Arguments.of(
                        DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
                        new GenericMapData(map),
                        "{\"a\\\"b\":1,\"c\":null}"),
                Arguments.of(DataTypes.MULTISET(DataTypes.STRING()), counts, "{\"x\":2}"),
                // JSON-1
                Arguments.of(
                        DataTypes.ARRAY(
                                DataTypes.ROW(
                                        DataTypes.FIELD("a", DataTypes.STRING()),
                                        DataTypes.FIELD("d", DataTypes.DOUBLE()))),
                        new GenericArrayData(
                                new Object[] {
                                    GenericRowData.of(StringData.fromString("x\ny"), Double.NaN)
                                }),
                        "[{\"a\":\"x\\u000ay\",\"d\":\"NaN\"}]"));
    }

    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("values")
    void everyTypeHasOneSpelling(DataType type, Object value, String text) throws IOException {
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Shanghai"));
        RowDataSerializer csv = of("csv", false, type);
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        assertThat(text(csv, GenericRowData.of(value, null))).isEqualTo(text + "|\\N");
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Shanghai"));
        StringBuilder json = new StringBuilder();
        RowText.quoted(text, json);
        assertThat(text(of("json", false, type), GenericRowData.of(value, null)))
                .isEqualTo("{\"c\":" + json + ",\"n\":null}");
    }

    @Test
    void theRowKindIsTheDeleteSign() throws IOException {
        for (RowKind kind : RowKind.values()) {
            GenericRowData row = GenericRowData.ofKind(kind, 1, null);
            String sign = kind == RowKind.INSERT || kind == RowKind.UPDATE_AFTER ? "0" : "1";
            assertThat(text(of("csv", true, DataTypes.INT()), row)).isEqualTo("1|\\N|" + sign);
            assertThat(text(of("json", true, DataTypes.INT()), row))
                    .isEqualTo(
                            "{\"c\":\"1\",\"n\":null,\"__DORIS_DELETE_SIGN__\":\"" + sign + "\"}");
            assertThat(text(of("csv", false, DataTypes.INT()), row)).isEqualTo("1|\\N");
        }
    }

    @Test
    void aValueThatCsvCannotHoldNamesItsColumn() {
        RowDataSerializer csv = of("csv", false, DataTypes.STRING());
        for (String value : new String[] {"a|b", "a\nb", "\\N"}) {
            assertThatThrownBy(
                            () ->
                                    csv.serialize(
                                            GenericRowData.of(StringData.fromString(value), null)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("`c`")
                    .hasMessageContaining("JSON");
        }
    }

    /** JSON-7: never the identity of an object. */
    @Test
    void bytesAreRefusedWithoutTheTable() {
        assertThatThrownBy(
                        () ->
                                of("json", false, DataTypes.BYTES())
                                        .serialize(GenericRowData.of(new byte[] {1}, null)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("A value of type BYTES cannot be spelled");
    }

    @Test
    void arrowHasNoSingleRows() {
        assertThatThrownBy(
                        () ->
                                of("arrow", false, DataTypes.INT())
                                        .serialize(GenericRowData.of(1, null)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hand the RowDataSerializer to the sink itself");
    }

    @Test
    void itTravelsWithTheJob() throws Exception {
        RowDataSerializer copy = InstantiationUtil.clone(of("csv", true, DataTypes.STRING()));
        assertThat(text(copy, GenericRowData.of(StringData.fromString("x"), 1))).isEqualTo("x|1|0");
        assertThat(copy.getRowType().getFieldNames()).containsExactly("c", "n");
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThatThrownBy(
                        () ->
                                RowDataSerializer.builder()
                                        .setType("csv")
                                        .setFieldNames(new String[0])
                                        .setFieldType(new DataType[0])
                                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'csv' with a field delimiter");
        assertThatThrownBy(
                        () ->
                                RowDataSerializer.builder()
                                        .setType("json")
                                        .setFieldNames(new String[] {"a", "b"})
                                        .setFieldType(new DataType[] {DataTypes.INT()})
                                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 field names and 1 field types");
    }

    private static RowDataSerializer of(String format, boolean deletes, DataType type) {
        return RowDataSerializer.builder()
                .setFieldNames(new String[] {"c", "n"})
                .setFieldType(new DataType[] {type, DataTypes.INT()})
                .setType(format)
                .setFieldDelimiter("\\x7c")
                .enableDelete(deletes)
                .build();
    }

    private static String text(RowDataSerializer serializer, GenericRowData row)
            throws IOException {
        return new String(serializer.serialize(row).getRow(), StandardCharsets.UTF_8);
    }

    private static DecimalData decimal(String digits, int precision, int scale) {
        return DecimalData.fromBigDecimal(new BigDecimal(digits), precision, scale);
    }

    private static int millis(String time) {
        return (int) (LocalTime.parse(time).toNanoOfDay() / 1_000_000);
    }
}
