package org.apache.doris.flink.arrow.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.arrow.Fixture;
import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SymbolType;
import org.apache.flink.table.types.logical.TimestampType;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Every canonical type, over batches that Rust's Arrow wrote. */
class VectorFactoryTest {

    @Test
    void scalarsAtTheirEdges() throws IOException {
        assertThat(read("scalars", 5))
                .containsExactly(
                        List.of(
                                "true",
                                "1",
                                "2",
                                "3",
                                "4",
                                "1.5",
                                "0.1",
                                "123.45",
                                "0.0000000001",
                                "19723",
                                "3723004",
                                "2024-01-02T03:04:05.123456",
                                "1970-01-01T00:00",
                                "Zoë",
                                "0x00ff"),
                        nulls(15),
                        List.of(
                                "false",
                                "-128",
                                "-32768",
                                "-2147483648",
                                "-9223372036854775808",
                                "-3.4028235E38",
                                "2.2250738585072014E-308",
                                "-9999999.99",
                                "-9999999999999999999999999999.9999999999",
                                "-719528",
                                "0",
                                "0000-01-01T00:00",
                                "1969-12-31T23:59:59.999",
                                "",
                                "0x"),
                        List.of(
                                "true",
                                "127",
                                "32767",
                                "2147483647",
                                "9223372036854775807",
                                "Infinity",
                                "1.7976931348623157E308",
                                "9999999.99",
                                "9999999999999999999999999999.9999999999",
                                "2932896",
                                "86399999",
                                "9999-12-31T23:59:59.999999",
                                "1969-12-31T23:59:59.998999",
                                "😀 a\tb",
                                "0x" + "01".repeat(40)),
                        List.of(
                                "false",
                                "-1",
                                "-1",
                                "-1",
                                "-1",
                                "NaN",
                                "-0.0",
                                "-0.01",
                                "-0.0000000001",
                                "-1",
                                "1",
                                "1969-12-31T23:59:59.999999",
                                "1970-01-01T00:00:00.999999",
                                "a\0b",
                                "0x80"));
    }

    private static List<String> nulls(int count) {
        return new ArrayList<>(java.util.Collections.nCopies(count, "NULL"));
    }

    @Test
    void columnsWithoutNulls() throws IOException {
        assertThat(read("plain", 3))
                .containsExactly(
                        List.of("10", "a", "true"),
                        List.of("20", "bb", "false"),
                        List.of("30", "ccc", "true"));
    }

    @Test
    void nestedTypesWithNullsAtEveryLevel() throws IOException {
        assertThat(read("nested", 4))
                .containsExactly(
                        List.of(
                                "[1, 2]",
                                "[[x, é], []]",
                                "[k1, k2]=[1, 2]",
                                "(7, (deep))",
                                "[(1)]"),
                        nulls(5),
                        List.of("[]", "[]", "[]=[]", "(NULL, NULL)", "[]"),
                        List.of(
                                "[NULL, 3]",
                                "[NULL, [NULL, 😀]]",
                                "[]=[NULL]",
                                "(-7, (NULL))",
                                "[NULL, (NULL)]"));
    }

    @Test
    void noColumnsButRows() throws IOException {
        IpcBatch batch = Fixture.of("zero_columns").batch(7);
        assertThat(batch.rows()).isEqualTo(7);
        assertThat(VectorFactory.create(RowType.of(), batch)).isEmpty();
        assertThat(VectorFactory.createBatch(RowType.of(), batch).getNumRows()).isEqualTo(7);
        batch.release();
    }

    @Test
    void noRows() throws IOException {
        assertThat(read("zero_rows", 0)).isEmpty();
    }

    /** Rows of random values against the text that Rust wrote beside them. */
    @Test
    void randomRowsAreWhatRustWrote() throws IOException {
        List<String> expected = Fixture.lines("random.tsv");
        RowType type = Cells.type("random");
        IpcBatch batch = Fixture.of("random").batch(expected.size());
        ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(type, batch));
        for (int i = 0; i < expected.size(); i++) {
            row.setRowId(i);
            assertThat(String.join("\t", asTsv(row))).as("row %d", i).isEqualTo(expected.get(i));
        }
        batch.release();
    }

    private static List<String> asTsv(ColumnarRowData row) {
        List<String> cells = new ArrayList<>();
        cells.add(row.isNullAt(0) ? "\\N" : "" + row.getBoolean(0));
        cells.add(row.isNullAt(1) ? "\\N" : "" + row.getLong(1));
        cells.add(
                row.isNullAt(2) ? "\\N" : row.getDecimal(2, 38, 0).toBigDecimal().toPlainString());
        cells.add(row.isNullAt(3) ? "\\N" : "" + Double.doubleToRawLongBits(row.getDouble(3)));
        cells.add(row.isNullAt(4) ? "\\N" : hex(row.getString(4).toBytes()));
        cells.add(row.isNullAt(5) ? "\\N" : ints(row.getArray(5)));
        return cells;
    }

    private static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder("0x");
        for (byte b : bytes) {
            hex.append(String.format("%02x", b));
        }
        return hex.toString();
    }

    private static String ints(ArrayData array) {
        List<String> texts = new ArrayList<>();
        for (int value : array.toIntArray()) {
            texts.add(Integer.toString(value));
        }
        return String.join(",", texts);
    }

    @Test
    void valuesMayBeginInTheMiddleOfTheirBuffer() {
        ByteBuffer offsets = littleEndian(12).putInt(0, 3).putInt(4, 5).putInt(8, 6);
        ByteBuffer values = Fixture.direct("...abc...".getBytes(StandardCharsets.UTF_8));
        BytesVector vector = new BytesVector(null, 2, offsets, values);
        assertThat(new String(vector.getBytes(0).getBytes(), StandardCharsets.UTF_8))
                .isEqualTo("ab");
        assertThat(new String(vector.getBytes(1).getBytes(), StandardCharsets.UTF_8))
                .isEqualTo("c");
        assertThat(vector.getBytes(0).data).hasSize(3).isSameAs(vector.getBytes(1).data);
    }

    @Test
    void decimalThatDoesNotFitIsAnErrorAndNotNull() {
        ByteBuffer values = littleEndian(32);
        values.putLong(0, 1).putLong(8, 1);
        BigInteger tooLarge = BigInteger.TEN.pow(20);
        values.putLong(16, tooLarge.longValue()).putLong(24, tooLarge.shiftRight(64).longValue());
        DecimalVector vector = new DecimalVector(null, values);
        assertThatThrownBy(() -> vector.getDecimal(0, 18, 2)).hasMessageContaining("does not fit");
        assertThatThrownBy(() -> vector.getDecimal(1, 20, 2)).hasMessageContaining("does not fit");
        assertThat(vector.getDecimal(1, 21, 0).toString()).isEqualTo("100000000000000000000");
    }

    @Test
    void nullInANotNullColumnNamesTheColumn() throws IOException {
        IpcBatch batch = Fixture.of("plain").batch(3);
        IpcBatch withNulls = Fixture.of("scalars").batch(5);
        RowType type = Cells.type("scalars");
        LogicalType[] types = type.getChildren().toArray(new LogicalType[0]);
        String[] names = type.getFieldNames().toArray(new String[0]);
        types[4] = new BigIntType(false);
        names[4] = "id";
        assertThatThrownBy(() -> VectorFactory.create(RowType.of(types, names), withNulls))
                .isInstanceOfSatisfying(
                        NativeException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA))
                .hasMessage("column `id` is NOT NULL and holds NULL");
        batch.release();
        withNulls.release();
    }

    @Test
    void typeWithoutColumnIsRefused() throws IOException {
        IpcBatch batch = Fixture.of("plain").batch(3);
        RowType type = RowType.of(new SymbolType<>(), new TimestampType(3), new BigIntType());
        assertThatThrownBy(() -> VectorFactory.create(type, batch))
                .hasMessageContaining("no column can be read as SYMBOL");
        batch.release();
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static List<List<String>> read(String name, int rows) throws IOException {
        RowType type = Cells.type(name);
        Fixture fixture = Fixture.of(name);
        IpcBatch batch = fixture.batch(rows);
        ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(type, batch));
        List<List<String>> all = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            row.setRowId(i);
            all.add(Cells.text(row, type));
        }
        batch.release();
        assertThat(fixture.freed).hasValue(1);
        return all;
    }
}
