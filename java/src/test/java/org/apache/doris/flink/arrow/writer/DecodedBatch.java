package org.apache.doris.flink.arrow.writer;

import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The body of a record batch read by its layout, strictly: every buffer aligned, in order, of the
 * length that its array says, gaps zeroed, null counts as the bits say. Values become plain
 * objects: numbers, {@code BigDecimal}, {@code String}, {@code List<Byte>} for bytes, {@code
 * List<Object>} for arrays and rows, {@code List<List<Object>>} of entries for maps.
 */
final class DecodedBatch {
    private final ByteBuffer body;
    private final long[] layout;
    private final int nodes;
    private final int buffers;
    private int node;
    private int buffer;
    private int end;

    private DecodedBatch(ByteBuffer body, long[] layout) {
        this.body = body.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.layout = layout;
        nodes = (int) layout[0];
        buffers = (int) layout[1 + 2 * nodes];
    }

    /** The rows; the delete sign, if there is one, comes last in each. */
    static List<List<Object>> rows(
            RowType type, boolean deleteSign, int rows, ByteBuffer body, long[] layout) {
        DecodedBatch batch = new DecodedBatch(body, layout);
        List<List<Object>> result = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            result.add(new ArrayList<>());
        }
        for (LogicalType column : type.getChildren()) {
            append(result, batch.column(column, rows));
        }
        if (deleteSign) {
            append(
                    result,
                    batch.column(new org.apache.flink.table.types.logical.TinyIntType(), rows));
        }
        batch.finish();
        return result;
    }

    private static void append(List<List<Object>> rows, List<Object> column) {
        for (int i = 0; i < rows.size(); i++) {
            rows.get(i).add(column.get(i));
        }
    }

    private List<Object> column(LogicalType type, int count) {
        check(node < nodes, "fewer arrays than columns");
        check(
                layout[1 + 2 * node] == count,
                "length %d instead of %d",
                layout[1 + 2 * node],
                count);
        int nulls = (int) layout[2 + 2 * node];
        node++;
        int bits = next(nulls == 0 ? 0 : (count + 7) / 8);
        List<Object> values = values(type, count);
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (nulls > 0 && !bit(bits, i)) {
                values.set(i, null);
                found++;
            }
        }
        check(found == nulls, "%d NULLs where %d are counted", found, nulls);
        return values;
    }

    private List<Object> values(LogicalType type, int count) {
        List<Object> values = new ArrayList<>();
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                int bits = next((count + 7) / 8);
                for (int i = 0; i < count; i++) {
                    values.add(bit(bits, i));
                }
                return values;
            case TINYINT:
                return fixed(count, 1, body::get);
            case SMALLINT:
                return fixed(count, 2, body::getShort);
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
            case INTERVAL_YEAR_MONTH:
                return fixed(count, 4, body::getInt);
            case BIGINT:
            case INTERVAL_DAY_TIME:
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return fixed(count, 8, body::getLong);
            case FLOAT:
                return fixed(count, 4, body::getFloat);
            case DOUBLE:
                return fixed(count, 8, body::getDouble);
            case DECIMAL:
                int scale = ((DecimalType) type).getScale();
                return fixed(count, 16, at -> decimal(at, scale));
            case BINARY:
            case VARBINARY:
                return pieces(count, this::bytes);
            case ARRAY:
                return lists(count, ((ArrayType) type).getElementType());
            case MAP:
                MapType map = (MapType) type;
                return maps(count, map.getKeyType(), map.getValueType());
            case MULTISET:
                return maps(
                        count,
                        ((MultisetType) type).getElementType(),
                        new org.apache.flink.table.types.logical.IntType());
            case ROW:
                for (int i = 0; i < count; i++) {
                    values.add(new ArrayList<>());
                }
                for (LogicalType field : type.getChildren()) {
                    List<Object> column = column(field, count);
                    for (int i = 0; i < count; i++) {
                        list(values.get(i)).add(column.get(i));
                    }
                }
                return values;
            default:
                return pieces(count, this::text);
        }
    }

    private interface At {
        Object read(int at);
    }

    private interface Piece {
        Object read(int from, int to);
    }

    private List<Object> fixed(int count, int width, At at) {
        int start = next(count * width);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(at.read(start + i * width));
        }
        return values;
    }

    private int[] offsets(int count) {
        int start = next((count + 1) * 4);
        int[] offsets = new int[count + 1];
        for (int i = 0; i <= count; i++) {
            offsets[i] = body.getInt(start + 4 * i);
            check(i == 0 ? offsets[0] == 0 : offsets[i] >= offsets[i - 1], "offset %d", offsets[i]);
        }
        return offsets;
    }

    private List<Object> pieces(int count, Piece piece) {
        int[] offsets = offsets(count);
        int start = next(offsets[count]);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(piece.read(start + offsets[i], start + offsets[i + 1]));
        }
        return values;
    }

    private List<Object> lists(int count, LogicalType element) {
        int[] offsets = offsets(count);
        return cut(offsets, column(element, offsets[count]));
    }

    private List<Object> maps(int count, LogicalType key, LogicalType value) {
        int[] offsets = offsets(count);
        check(layout[1 + 2 * node] == offsets[count], "entries %d", layout[1 + 2 * node]);
        check(layout[2 + 2 * node] == 0, "an entry is NULL");
        node++;
        next(0);
        List<Object> keys = column(key, offsets[count]);
        List<Object> values = column(value, offsets[count]);
        List<Object> entries = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            check(keys.get(i) != null, "a key is NULL");
            entries.add(Arrays.asList(keys.get(i), values.get(i)));
        }
        return cut(offsets, entries);
    }

    private static List<Object> cut(int[] offsets, List<Object> items) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i + 1 < offsets.length; i++) {
            values.add(new ArrayList<>(items.subList(offsets[i], offsets[i + 1])));
        }
        return values;
    }

    private Object decimal(int at, int scale) {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[i] = body.get(at + 15 - i);
        }
        return new BigDecimal(new BigInteger(bytes), scale);
    }

    private Object text(int from, int to) {
        try {
            // A new decoder reports what is not UTF-8.
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(body.duplicate().position(from).limit(to))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("no UTF-8", e);
        }
    }

    private Object bytes(int from, int to) {
        List<Byte> bytes = new ArrayList<>();
        for (int i = from; i < to; i++) {
            bytes.add(body.get(i));
        }
        return bytes;
    }

    private boolean bit(int start, int index) {
        return (body.get(start + index / 8) >> index % 8 & 1) == 1;
    }

    /** The start of the next buffer, which has that length. */
    private int next(int length) {
        check(buffer < buffers, "fewer buffers than the columns need");
        int place = 2 + 2 * nodes + 2 * buffer;
        check(layout[place + 1] == length, "%d bytes instead of %d", layout[place + 1], length);
        check(
                layout[place] == end,
                "a buffer at %d after one that ended at %d",
                layout[place],
                end);
        int start = end;
        end = (start + length + 63) / 64 * 64;
        for (int i = start + length; i < end; i++) {
            check(body.get(i) == 0, "byte %d of the padding is not 0", i);
        }
        buffer++;
        return start;
    }

    private void finish() {
        check(node == nodes && buffer == buffers, "more arrays or buffers than columns");
        check(layout.length == 2 + 2 * nodes + 2 * buffers, "a longer layout");
        check(end == body.capacity(), "a longer body");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    private static void check(boolean holds, String what, Object... values) {
        if (!holds) {
            throw new AssertionError(String.format(what, values));
        }
    }
}
