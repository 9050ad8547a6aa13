package org.apache.doris.flink.jni;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarCharType;

import java.math.BigDecimal;
import java.util.Map;

/** A table with a column for each Arrow type that is written, and rows for it. */
final class TypedRows {
    /** Creates {@code test.typed}. */
    static final String TABLE =
            "CREATE TABLE test.typed (id BIGINT, b BOOLEAN, t TINYINT, s SMALLINT, i INT, f FLOAT,"
                    + " d DOUBLE, dc DECIMAL(18,4), dl DECIMAL(38,10), v STRING, dt DATE, tm0"
                    + " DATETIME(0), tm6 DATETIME(6), a ARRAY<INT>, m MAP<STRING, DECIMAL(10,2)>, r"
                    + " STRUCT<x:INT, y:ARRAY<STRING>>) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id)"
                    + " BUCKETS 2 PROPERTIES ('replication_num' = '1');\n";

    /** How Flink declares it. */
    static final RowType TYPE =
            named(
                    "id b t s i f d dc dl v dt tm0 tm6 a m r",
                    new BigIntType(),
                    new BooleanType(),
                    new TinyIntType(),
                    new SmallIntType(),
                    new IntType(),
                    new FloatType(),
                    new DoubleType(),
                    new DecimalType(18, 4),
                    new DecimalType(38, 10),
                    VarCharType.STRING_TYPE,
                    new DateType(),
                    new TimestampType(0),
                    new TimestampType(6),
                    new ArrayType(new IntType()),
                    new MapType(VarCharType.STRING_TYPE, new DecimalType(10, 2)),
                    named("x y", new IntType(), new ArrayType(VarCharType.STRING_TYPE)));

    private TypedRows() {}

    /** A row of which each value is NULL at times. */
    static RowData row(int i) {
        Object[] values = {
            (long) i,
            i % 2 == 0,
            (byte) (i - 128),
            (short) (i * 150 - 30_000),
            i * 10_000_019,
            i * 0.7f,
            i / 3.0 - 50,
            decimal(BigDecimal.valueOf(i * 99_999_999L - 1_000_000_000L, 4), 18, 4),
            decimal(new BigDecimal("-12345678901234567890.0123456789").multiply(i(i)), 38, 10),
            StringData.fromString("text \u00fc\u4e16\ud83d\ude00 " + i),
            i * 50 - 5_000,
            TimestampData.fromEpochMillis(i * 86_400_000L * 31 - 1_000_000_000_000L),
            TimestampData.fromEpochMillis(i * 1_234_567L - 100_000_000L, i * 1000),
            new GenericArrayData(new Integer[] {i, null, -i}),
            new GenericMapData(
                    Map.of(StringData.fromString("k" + i), decimal(i(i).movePointLeft(2), 10, 2))),
            GenericRowData.of(
                    i,
                    new GenericArrayData(new Object[] {StringData.fromString("a\"b\\" + i), null}))
        };
        for (int c = 1; c < values.length; c++) {
            if ((i + c) % 7 == 0) {
                values[c] = null;
            }
        }
        return GenericRowData.of(values);
    }

    private static BigDecimal i(int i) {
        return BigDecimal.valueOf(i);
    }

    private static DecimalData decimal(BigDecimal value, int precision, int scale) {
        return DecimalData.fromBigDecimal(value, precision, scale);
    }

    /** Columns by names with blanks between them. */
    static RowType named(String names, LogicalType... types) {
        return RowType.of(types, names.split(" "));
    }
}
