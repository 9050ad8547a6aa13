package org.apache.doris.flink.arrow.vector;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
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
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

import java.util.ArrayList;
import java.util.List;

/** Types of the fixtures, and rows as text through the same getters that Flink uses. */
public final class Cells {
    private static final VarCharType STRING = VarCharType.STRING_TYPE;

    private Cells() {}

    /** The row type of a fixture. */
    public static RowType type(String fixture) {
        switch (fixture) {
            case "scalars":
            case "zero_rows":
                return RowType.of(
                        new BooleanType(),
                        new TinyIntType(),
                        new SmallIntType(),
                        new IntType(),
                        new BigIntType(),
                        new FloatType(),
                        new DoubleType(),
                        new DecimalType(9, 2),
                        new DecimalType(38, 10),
                        new DateType(),
                        new TimeType(3),
                        new TimestampType(6),
                        new LocalZonedTimestampType(6),
                        STRING,
                        new VarBinaryType(VarBinaryType.MAX_LENGTH));
            case "plain":
                return RowType.of(new BigIntType(), STRING, new BooleanType());
            case "nested":
                return RowType.of(
                        new ArrayType(new IntType()),
                        new ArrayType(new ArrayType(STRING)),
                        new MapType(STRING, new IntType()),
                        RowType.of(new IntType(), RowType.of(STRING)),
                        new ArrayType(RowType.of(new IntType())));
            case "random":
                return RowType.of(
                        new BooleanType(),
                        new BigIntType(),
                        new DecimalType(38, 0),
                        new DoubleType(),
                        STRING,
                        new ArrayType(new IntType()));
            default:
                throw new IllegalArgumentException(fixture);
        }
    }

    /** All cells of a row, nested ones in brackets. */
    public static List<String> text(RowData row, RowType type) {
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            Object value = RowData.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row);
            cells.add(text(value, type.getTypeAt(i)));
        }
        return cells;
    }

    private static String text(Object value, LogicalType type) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof byte[]) {
            StringBuilder hex = new StringBuilder("0x");
            for (byte b : (byte[]) value) {
                hex.append(String.format("%02x", b));
            }
            return hex.toString();
        }
        if (value instanceof ArrayData) {
            return elements((ArrayData) value, ((ArrayType) type).getElementType()).toString();
        }
        if (value instanceof MapData) {
            MapData map = (MapData) value;
            MapType of = (MapType) type;
            return elements(map.keyArray(), of.getKeyType())
                    + "="
                    + elements(map.valueArray(), of.getValueType());
        }
        if (value instanceof RowData) {
            return "(" + String.join(", ", text((RowData) value, (RowType) type)) + ")";
        }
        if (value instanceof DecimalData
                || value instanceof TimestampData
                || value instanceof StringData) {
            return value.toString();
        }
        return String.valueOf(value);
    }

    private static List<String> elements(ArrayData array, LogicalType type) {
        ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            texts.add(text(getter.getElementOrNull(array, i), type));
        }
        return texts;
    }
}
