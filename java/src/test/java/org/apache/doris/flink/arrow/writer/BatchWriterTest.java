package org.apache.doris.flink.arrow.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.NullType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Rows of every type written and read back by an independent reader. */
class BatchWriterTest {

    @Test
    void everyTypeWithoutWithSomeAndWithNothingButNulls() throws Exception {
        for (LogicalType flat : RandomValues.flatTypes()) {
            for (LogicalType type :
                    List.of(
                            flat,
                            new ArrayType(flat),
                            new MapType(flat.copy(false), flat),
                            new MultisetType(flat.copy(false)),
                            RowType.of(flat, flat))) {
                RandomValues values = new RandomValues(type.hashCode());
                Rows rows = new Rows(RowType.of(type), false);
                for (int i = 0; i < 130; i++) {
                    rows.add(values.row(RowType.of(type.copy(false))));
                }
                rows.check();
                for (int i = 0; i < 130; i++) {
                    rows.add(values.row(rows.type));
                }
                rows.check();
                for (int i = 0; i < 130; i++) {
                    rows.add(new RandomValues.Value(new GenericRowData(1), listOf((Object) null)));
                }
                rows.check();
            }
        }
    }

    @Test
    void randomRowsOfRandomTypesAsObjectsAndAsBytes() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            RandomValues values = new RandomValues(seed);
            Rows rows = new Rows(values.rowType(3), seed % 2 == 0);
            RowDataSerializer serializer = new RowDataSerializer(rows.type);
            for (int batch = 0; batch < 3; batch++) {
                for (int i = values.number(200); i >= 0; i--) {
                    RandomValues.Value row = values.row(rows.type);
                    if (i % 2 == 0) {
                        // The serializer gives the same object each time.
                        RowData binary = serializer.toBinaryRow((RowData) row.flink);
                        rows.add(new RandomValues.Value(binary, row.read));
                    } else {
                        rows.add(row);
                    }
                }
                rows.check();
            }
        }
    }

    @Test
    void ownersMayReuseRowsAndTheirValues() throws Exception {
        Rows rows =
                new Rows(
                        RowType.of(
                                VarCharType.STRING_TYPE,
                                new ArrayType(new IntType()),
                                RowType.of(new BigIntType())),
                        false);
        byte[] text = "one".getBytes(StandardCharsets.UTF_8);
        int[] array = {1, 2};
        GenericRowData inner = GenericRowData.of(1L);
        GenericRowData row =
                GenericRowData.of(StringData.fromBytes(text), new GenericArrayData(array), inner);
        rows.add(new RandomValues.Value(row, listOf("one", listOf(1, 2), listOf(1L))));
        text[0] = 'O';
        array[0] = 7;
        inner.setField(0, 2L);
        rows.add(new RandomValues.Value(row, listOf("One", listOf(7, 2), listOf(2L))));
        rows.check();
    }

    @Test
    void stringsFromPiecesOfMemoryAndFromJavaStrings() throws Exception {
        Rows rows = new Rows(RowType.of(VarCharType.STRING_TYPE), false);
        String text = "añ世😀".repeat(50);
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        for (int size : new int[] {8, 64, 4096}) {
            for (int offset : new int[] {0, 1, 7, 8, 9}) {
                BinaryStringData pieces = RandomValues.pieces(utf8, size, offset);
                rows.add(row(pieces, text));
            }
        }
        for (String java : List.of("", "ascii", "asciié", "é", text, "x" + text)) {
            rows.add(row(StringData.fromString(java), java));
        }
        // Half a pair is no character.
        rows.add(row(StringData.fromString("a\ud800b"), "a?b"));
        rows.add(row(StringData.fromString("\udc00"), "?"));
        rows.add(row(StringData.fromString("é\ud83d"), "é?"));
        rows.check();
    }

    @Test
    void aJavaStringStaysOne() throws Exception {
        BatchWriter writer = new BatchWriter(RowType.of(VarCharType.STRING_TYPE), false);
        BinaryStringData text = (BinaryStringData) StringData.fromString("never encoded");
        writer.write(GenericRowData.of(text), (byte) 0);
        assertThat(text.getBinarySection()).isNull();
    }

    @Test
    void timesBeforeTheEpochAreCutTowardsThePast() throws Exception {
        Rows rows = new Rows(RowType.of(new TimestampType(9)), false);
        rows.add(row(TimestampData.fromEpochMillis(-1, 999_999), -1L));
        rows.add(row(TimestampData.fromEpochMillis(-1, 1), -1000L));
        rows.add(row(TimestampData.fromEpochMillis(0, 999), 0L));
        rows.add(row(TimestampData.fromEpochMillis(1, 999_999), 1999L));
        rows.check();
    }

    @Test
    void timesBeyondMicrosecondsAreRefused() {
        BatchWriter writer = writer("at", new TimestampType(3));
        RowData row = GenericRowData.of(TimestampData.fromEpochMillis(Long.MAX_VALUE / 100));
        assertData(() -> writer.write(row, (byte) 0), "column `at`", "beyond");
    }

    @Test
    void decimalsOfAnotherScaleKeepTheirValueOrAreRefused() throws Exception {
        Rows rows = new Rows(RowType.of(new DecimalType(5, 2)), false);
        rows.add(row(decimal("1.5", 10, 1), new BigDecimal("1.50")));
        rows.add(row(decimal("-3", 38, 0), new BigDecimal("-3.00")));
        rows.add(row(decimal("1.2500", 20, 4), new BigDecimal("1.25")));
        rows.check();
        for (DecimalData wrong : List.of(decimal("1.234", 5, 3), decimal("1000", 4, 0))) {
            BatchWriter writer = writer("price", new DecimalType(5, 2));
            assertData(
                    () -> writer.write(GenericRowData.of(wrong), (byte) 0),
                    "column `price`",
                    wrong.toString(),
                    "DECIMAL(5, 2)");
        }
    }

    @Test
    void nullsWhereNoneMayBeNameTheirPlace() {
        LogicalType need = new IntType(false);
        RowType inner = new RowType(List.of(new RowType.RowField("in`ner", need)));
        GenericRowData one = new GenericRowData(1);
        assertData(() -> writer("a", need).write(one, (byte) 0), "column `a`: it is NOT NULL");
        assertData(
                () -> writer("a", inner).write(GenericRowData.of(one), (byte) 0),
                "column `a`.`in``ner`: it is NOT NULL");
        GenericArrayData array = new GenericArrayData(new Integer[] {1, null});
        assertData(
                () -> writer("a", new ArrayType(need)).write(GenericRowData.of(array), (byte) 0),
                "column `a`[]: it is NOT NULL");
        GenericMapData value = new GenericMapData(Collections.singletonMap(1, null));
        LogicalType map = new MapType(new IntType(), need);
        assertData(
                () -> writer("a", map).write(GenericRowData.of(value), (byte) 0),
                "column `a` (value): it is NOT NULL");
        GenericMapData key = new GenericMapData(Collections.singletonMap(null, 1));
        assertData(
                () -> writer("a", map).write(GenericRowData.of(key), (byte) 0),
                "column `a` (key): it is NOT NULL");
    }

    @Test
    void aNullAroundWhatIsNotNullIsNone() throws Exception {
        LogicalType need = new IntType(false);
        Rows rows = new Rows(RowType.of(RowType.of(need, new ArrayType(false, need))), false);
        rows.add(row(null, null));
        rows.add(
                row(
                        GenericRowData.of(1, new GenericArrayData(new int[] {2})),
                        listOf(1, listOf(2))));
        rows.check();
    }

    @Test
    void deleteSignsAreTheLastColumn() throws Exception {
        BatchWriter writer = new BatchWriter(RowType.of(new IntType()), true);
        writer.write(GenericRowData.of(5), (byte) 0);
        writer.write(GenericRowData.of((Object) null), (byte) 1);
        ByteBuffer body = ByteBuffer.allocateDirect((int) writer.bytes());
        long[] layout = writer.seal(body);
        assertThat(DecodedBatch.rows(RowType.of(new IntType()), true, 2, body, layout))
                .containsExactly(listOf(5, (byte) 0), listOf(null, (byte) 1));
        assertThat(layout).startsWith(2, 2, 1, 2, 0, 4);
        assertThatThrownBy(() -> writer("a", new IntType()).write(GenericRowData.of(1), (byte) 1))
                .hasMessageContaining("delete sign");
    }

    @Test
    void aRowThatFailedMakesTheBatchUnusable() {
        BatchWriter writer = new BatchWriter(RowType.of(new IntType(), new IntType(false)), false);
        assertData(() -> writer.write(GenericRowData.of(1, null), (byte) 0), "`f1`");
        assertThatThrownBy(() -> writer.write(GenericRowData.of(1, 1), (byte) 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.seal(ByteBuffer.allocate((int) writer.bytes())))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void valuesOfAnotherTypeNameTheirColumn() {
        RowData row = GenericRowData.of("a Java string");
        assertData(
                () -> writer("name", VarCharType.STRING_TYPE).write(row, (byte) 0),
                "column `name`: a row has a value of another type",
                "java.lang.String");
    }

    @Test
    void aBodyOfAnotherSizeIsRefusedAndNothingIsLost() throws Exception {
        Rows rows = new Rows(RowType.of(new IntType()), false);
        rows.add(row(4, 4));
        assertThatThrownBy(() -> rows.writer.seal(ByteBuffer.allocate(1)))
                .hasMessageContaining("a body of 1 bytes where 64 are needed");
        rows.check();
    }

    @Test
    void aBatchIsFullBeforeItExceedsItsBody() throws Exception {
        for (long limit : new long[] {16 << 10, 1 << 20}) {
            for (int seed = 0; seed < 10; seed++) {
                RandomValues values = new RandomValues(seed);
                RowType type = values.rowType(2);
                BatchWriter writer = new BatchWriter(type, true);
                assertThat(writer.isFull(limit)).isFalse();
                // The largest row first, so that the rest is known.
                List<RowData> rows = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    rows.add((RowData) values.row(type).flink);
                }
                for (RowData row : rows) {
                    writer.write(row, (byte) 0);
                }
                for (int i = 0; !writer.isFull(limit); i++) {
                    writer.write(rows.get(i % rows.size()), (byte) 0);
                }
                assertThat(writer.bytes()).as("%s", type).isBetween(limit / 5, limit);
                if (limit == 1 << 20) {
                    assertThat(writer.bytes()).as("%s", type).isGreaterThan(limit * 9 / 10);
                }
                writer.seal(ByteBuffer.allocate((int) writer.bytes()));
                assertThat(writer.isFull(limit)).isFalse();
            }
        }
    }

    @Test
    void typesWithoutAFormAreRefusedByName() {
        assertThatThrownBy(() -> writer("odd", new ArrayType(new NullType())))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("column `odd`[]: values of type NULL");
    }

    private static BatchWriter writer(String name, LogicalType type) {
        return new BatchWriter(new RowType(List.of(new RowType.RowField(name, type))), false);
    }

    private static RandomValues.Value row(Object flink, Object read) {
        return new RandomValues.Value(GenericRowData.of(flink), listOf(read));
    }

    private static DecimalData decimal(String text, int precision, int scale) {
        return DecimalData.fromBigDecimal(new BigDecimal(text), precision, scale);
    }

    private static List<Object> listOf(Object... values) {
        return Arrays.asList(values);
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void assertData(Action action, String... texts) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        NativeException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA))
                .hasMessageContainingAll(texts);
    }

    /** A writer and what it must give. */
    private static final class Rows {
        final RowType type;
        final boolean deleteSign;
        final BatchWriter writer;
        final List<List<Object>> expected = new ArrayList<>();

        Rows(RowType type, boolean deleteSign) {
            this.type = type;
            this.deleteSign = deleteSign;
            writer = new BatchWriter(type, deleteSign);
        }

        void add(RandomValues.Value row) throws NativeException {
            byte sign = (byte) (deleteSign ? expected.size() % 2 : 0);
            writer.write((RowData) row.flink, sign);
            List<Object> read = new ArrayList<>((List<?>) row.read);
            if (deleteSign) {
                read.add(sign);
            }
            expected.add(read);
        }

        /** Seals, reads back, begins anew. */
        void check() {
            assertThat(writer.rows()).isEqualTo(expected.size());
            long bytes = writer.bytes();
            assertThat(writer.isFull(bytes)).isTrue();
            // Whatever lay there before must not shine through.
            ByteBuffer body = ByteBuffer.allocateDirect((int) bytes + 64);
            while (body.hasRemaining()) {
                body.put((byte) 0x5a);
            }
            body.limit((int) bytes + 32).position(32);
            long[] layout = writer.seal(body);
            assertThat(DecodedBatch.rows(type, deleteSign, expected.size(), body, layout))
                    .as("%s", type)
                    .isEqualTo(expected);
            body.clear();
            assertThat(body.get(31)).isEqualTo((byte) 0x5a);
            assertThat(body.get((int) bytes + 32)).isEqualTo((byte) 0x5a);
            assertThat(writer.rows()).isZero();
            expected.clear();
        }
    }
}
