package org.apache.doris.flink.deserialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.deserialization.converter.DorisRowConverter;
import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Values of deserialization schemas against Flink's own rows. */
class DorisRowConverterTest {

    private static final DataType[] TYPES = {
        DataTypes.BOOLEAN(),
        DataTypes.TINYINT(),
        DataTypes.SMALLINT(),
        DataTypes.INT(),
        DataTypes.BIGINT(),
        DataTypes.FLOAT(),
        DataTypes.DOUBLE(),
        DataTypes.DECIMAL(38, 4),
        DataTypes.STRING(),
        DataTypes.CHAR(3),
        DataTypes.BYTES(),
        DataTypes.DATE(),
        DataTypes.TIME(3),
        DataTypes.TIMESTAMP(6),
        DataTypes.TIMESTAMP_LTZ(6),
        DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.DATE())),
        DataTypes.MAP(DataTypes.STRING(), DataTypes.DECIMAL(10, 2)),
        DataTypes.ROW(
                DataTypes.FIELD("a", DataTypes.INT()),
                DataTypes.FIELD("b", DataTypes.MAP(DataTypes.INT(), DataTypes.STRING())))
    };

    private static final DorisRowConverter CONVERTER = new DorisRowConverter(TYPES);

    @Test
    void everyTypeGoesThereAndBack() throws Exception {
        DorisRowConverter travelled = InstantiationUtil.clone(CONVERTER);
        for (List<?> values : List.of(edge(true), edge(false), nulls())) {
            GenericRowData row = travelled.convertInternal(values);
            List<Object> back = new ArrayList<>();
            for (int i = 0; i < TYPES.length; i++) {
                back.add(travelled.convertExternal(row, i));
            }
            assertThat(Arrays.deepEquals(back.toArray(), values.toArray()))
                    .as("%s is %s", back, values)
                    .isTrue();
        }
    }

    private static List<?> edge(boolean high) {
        Map<String, BigDecimal> decimals = new LinkedHashMap<>();
        decimals.put("k", new BigDecimal("-1.50"));
        decimals.put("", null);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("a", null);
        fields.put("b", Collections.singletonMap(1, null));
        return Arrays.asList(
                high,
                high ? Byte.MAX_VALUE : Byte.MIN_VALUE,
                high ? Short.MAX_VALUE : Short.MIN_VALUE,
                high ? Integer.MAX_VALUE : Integer.MIN_VALUE,
                high ? Long.MAX_VALUE : Long.MIN_VALUE,
                high ? Float.POSITIVE_INFINITY : Float.NaN,
                high ? Double.MAX_VALUE : -0.0,
                new BigDecimal((high ? "" : "-") + "9".repeat(34) + ".9999"),
                high ? "" : "ö€😀",
                "abc",
                high ? new byte[0] : new byte[] {-1, 0, 1},
                high ? LocalDate.of(9999, 12, 31) : LocalDate.of(0, 1, 1),
                LocalTime.of(23, 59, 59, 999_000_000),
                high
                        ? LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_000)
                        : LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1000),
                Instant.ofEpochSecond(-1, 5000),
                Arrays.asList(Arrays.asList(LocalDate.EPOCH, null), null, List.of()),
                decimals,
                fields);
    }

    private static List<?> nulls() {
        return Arrays.asList(new Object[TYPES.length]);
    }

    /** What other code may hand in for the same column. */
    @Test
    void relatedClassesAreTaken() {
        DorisRowConverter converter =
                new DorisRowConverter(
                        new DataType[] {
                            DataTypes.INT(),
                            DataTypes.BIGINT(),
                            DataTypes.TIMESTAMP(3),
                            DataTypes.ARRAY(DataTypes.INT()),
                            DataTypes.DECIMAL(20, 0),
                            DataTypes.STRING()
                        });
        GenericRowData row =
                converter.convertInternal(
                        List.of(
                                5L,
                                7,
                                Timestamp.valueOf("2026-01-02 03:04:05.678"),
                                new Integer[] {1, 2},
                                BigInteger.TEN,
                                12));
        assertThat(row.getInt(0)).isEqualTo(5);
        assertThat(row.getLong(1)).isEqualTo(7);
        assertThat(row.getTimestamp(2, 3))
                .isEqualTo(
                        TimestampData.fromLocalDateTime(
                                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_000_000)));
        assertThat(row.getArray(3).getInt(1)).isEqualTo(2);
        assertThat(row.getDecimal(4, 20, 0).toUnscaledLong()).isEqualTo(10);
        assertThat(row.getString(5)).isEqualTo(StringData.fromString("12"));
    }

    @Test
    void whatDoesNotFitIsAnErrorThatNamesTheColumn() {
        DorisRowConverter converter =
                new DorisRowConverter(
                        new DataType[] {DataTypes.STRING(), DataTypes.INT(), DataTypes.DATE()});
        for (Object wrong : new Object[] {1L << 40, 1.5, "x", new BigDecimal("0.1")}) {
            assertThatThrownBy(() -> converter.convertInternal(Arrays.asList("", wrong, null)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("column 1")
                    .hasMessageContaining("INT");
        }
        assertThatThrownBy(() -> converter.convertInternal(List.of("", 1)))
                .hasMessageContaining("2 values")
                .hasMessageContaining("3 columns");
        assertThatThrownBy(
                        () ->
                                new DorisRowConverter(new DataType[] {DataTypes.DECIMAL(3, 1)})
                                        .convertInternal(List.of(new BigDecimal("100.0"))))
                .hasMessageContaining("DECIMAL(3, 1)");
    }

    @Test
    void schemasHandOnValuesKindsAndTypes() throws Exception {
        RowType type =
                (RowType)
                        DataTypes.ROW(
                                        DataTypes.FIELD("id", DataTypes.INT()),
                                        DataTypes.FIELD("name", DataTypes.STRING()))
                                .getLogicalType();
        RowDataDeserializationSchema rows =
                InstantiationUtil.clone(new RowDataDeserializationSchema(type));
        List<RowData> out = new ArrayList<>();
        rows.deserialize(
                DorisSourceRecord.incremental(List.of(1, "a"), 5L, 6L, 1L),
                new ListCollector<>(out));
        rows.deserialize(List.of(2, "b"), new ListCollector<>(out));
        assertThat(out)
                .containsExactly(
                        GenericRowData.ofKind(RowKind.DELETE, 1, StringData.fromString("a")),
                        GenericRowData.of(2, StringData.fromString("b")));
        assertThat(rows.getProducedType()).isEqualTo(InternalTypeInfo.of(type));

        List<List<?>> lists = new ArrayList<>();
        SimpleListDeserializationSchema simple = new SimpleListDeserializationSchema();
        simple.deserialize(
                DorisSourceRecord.snapshot(Arrays.asList(1, null)), new ListCollector<>(lists));
        assertThat(lists).containsExactly(Arrays.asList(1, null));
        assertThat(simple.getProducedType().getTypeClass()).isEqualTo(List.class);
    }

    @Test
    void aRecordKnowsItsKind() {
        RowKind[] kinds = {
            RowKind.INSERT, RowKind.DELETE, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER
        };
        for (long op = 0; op < kinds.length; op++) {
            DorisSourceRecord record = DorisSourceRecord.incremental(List.of(1), 2L, 3L, op);
            assertThat(record.getRowKind()).isEqualTo(kinds[(int) op]);
            assertThat(record.getBinlogTso()).isEqualTo(2);
            assertThat(record.getBinlogLsn()).isEqualTo(3);
            assertThat(record.getBinlogOp()).isEqualTo(op);
        }
        DorisSourceRecord snapshot = DorisSourceRecord.snapshot(List.of(1));
        assertThat(snapshot.getRowKind()).isEqualTo(RowKind.INSERT);
        assertThat(snapshot.getBinlogTso()).isNull();
        assertThat(snapshot.getBinlogLsn()).isNull();
        assertThat(snapshot.getBinlogOp()).isNull();
        for (long op : new long[] {-1, 4, 256}) {
            assertThatThrownBy(() -> DorisSourceRecord.incremental(List.of(), 1L, 1L, op))
                    .hasMessageContaining("Operation " + op);
        }
        assertThatThrownBy(() -> DorisSourceRecord.incremental(List.of(), 1L, null, 1L))
                .hasMessageContaining("null");
    }

    @Test
    void aSubclassMayConvertAColumnItself() throws Exception {
        DorisRowConverter upper = InstantiationUtil.clone(new UpperCase(TYPES_OF_TWO));
        assertThat(upper.convertInternal(Arrays.asList(1, "a")))
                .isEqualTo(GenericRowData.of(1, StringData.fromString("A")));
        assertThat(upper.convertInternal(Arrays.asList(null, null)))
                .isEqualTo(GenericRowData.of(null, null));
        assertThatThrownBy(() -> upper.convertInternal(List.of("x", "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The value of column 0, a java.lang.String, does not fit its type INT.");
    }

    @Test
    void convertersOfOneColumnAreForUseAlone() {
        GenericRowData row = GenericRowData.of(7, null);
        DorisRowConverter.SerializationConverter number =
                DorisRowConverter.createNullableExternalConverter(DataTypes.INT().getLogicalType());
        assertThat(number.serialize(0, row)).isEqualTo(7);
        assertThat(number.serialize(1, row)).isNull();
        DorisRowConverter.DeserializationConverter text =
                CONVERTER.createNullableInternalConverter(DataTypes.STRING().getLogicalType());
        assertThat(text.deserialize("a")).isEqualTo(StringData.fromString("a"));
        assertThat(text.deserialize(null)).isNull();
    }

    private static final DataType[] TYPES_OF_TWO = {DataTypes.INT(), DataTypes.STRING()};

    /** Texts in upper case. */
    private static final class UpperCase extends DorisRowConverter {

        private static final long serialVersionUID = 1L;

        private UpperCase(DataType[] types) {
            super(types);
        }

        @Override
        public DeserializationConverter createInternalConverter(LogicalType type) {
            DeserializationConverter converter = super.createInternalConverter(type);
            return type.is(LogicalTypeFamily.CHARACTER_STRING)
                    ? value -> converter.deserialize(((String) value).toUpperCase(Locale.ROOT))
                    : converter;
        }
    }
}
