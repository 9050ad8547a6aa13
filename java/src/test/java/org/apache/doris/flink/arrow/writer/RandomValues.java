package org.apache.doris.flink.arrow.writer;

import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Types and values from a seed; each value as Flink has it and as {@link DecodedBatch} gives it.
 */
final class RandomValues {
    private static final String[] TEXTS = {
        "", "a", "Zoë", "😀", "line\nbreak", "\\N", "世界", "\0", "long " + "x".repeat(300)
    };

    private final Random random;

    RandomValues(long seed) {
        random = new Random(seed);
    }

    /** A value of Flink and what it must be read as. */
    static final class Value {
        final Object flink;
        final Object read;

        Value(Object flink, Object read) {
            this.flink = flink;
            this.read = read;
        }
    }

    int number(int bound) {
        return random.nextInt(bound);
    }

    /** One to five columns. */
    RowType rowType(int depth) {
        LogicalType[] types = new LogicalType[1 + random.nextInt(5)];
        for (int i = 0; i < types.length; i++) {
            types[i] = type(depth);
        }
        return RowType.of(types);
    }

    private LogicalType type(int depth) {
        LogicalType[] flat = flatTypes();
        int choice = random.nextInt(depth == 0 ? flat.length : flat.length + 8);
        LogicalType type;
        if (choice < flat.length) {
            type = flat[choice];
        } else if (choice % 4 == 0) {
            type = new ArrayType(type(depth - 1));
        } else if (choice % 4 == 1) {
            type = new MapType(type(depth - 1).copy(false), type(depth - 1));
        } else if (choice % 4 == 2) {
            type = new MultisetType(type(depth - 1).copy(false));
        } else {
            type = rowType(depth - 1);
        }
        return type.copy(random.nextInt(4) > 0);
    }

    /** Every type that is not nested. */
    static LogicalType[] flatTypes() {
        return new LogicalType[] {
            new BooleanType(),
            new TinyIntType(),
            new SmallIntType(),
            new IntType(),
            new BigIntType(),
            new FloatType(),
            new DoubleType(),
            new DecimalType(1, 0),
            new DecimalType(18, 4),
            new DecimalType(19, 0),
            new DecimalType(38, 38),
            new CharType(3),
            VarCharType.STRING_TYPE,
            new VarBinaryType(VarBinaryType.MAX_LENGTH),
            new DateType(),
            new TimeType(3),
            new TimestampType(0),
            new TimestampType(3),
            new TimestampType(6),
            new TimestampType(9),
            new LocalZonedTimestampType(3),
            new LocalZonedTimestampType(9),
            new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR_TO_MONTH),
            new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND)
        };
    }

    /** A row without NULL in NOT NULL fields. */
    Value row(RowType type) {
        GenericRowData flink = new GenericRowData(type.getFieldCount());
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            Value value = value(type.getTypeAt(i));
            flink.setField(i, value.flink);
            read.add(value.read);
        }
        return new Value(flink, read);
    }

    Value value(LogicalType type) {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return new Value(null, null);
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return same(random.nextBoolean());
            case TINYINT:
                return same((byte) random.nextInt());
            case SMALLINT:
                return same((short) random.nextInt());
            case INTEGER:
            case DATE:
            case INTERVAL_YEAR_MONTH:
                return same(random.nextInt());
            case TIME_WITHOUT_TIME_ZONE:
                return same(random.nextInt(86_400_000));
            case BIGINT:
            case INTERVAL_DAY_TIME:
                return same(random.nextLong());
            case FLOAT:
                return same(Float.intBitsToFloat(random.nextInt()));
            case DOUBLE:
                return same(Double.longBitsToDouble(random.nextLong()));
            case DECIMAL:
                return decimal((DecimalType) type);
            case CHAR:
            case VARCHAR:
                String text = TEXTS[random.nextInt(TEXTS.length)];
                return new Value(string(text), text);
            case VARBINARY:
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                List<Object> read = new ArrayList<>();
                for (byte b : bytes) {
                    read.add(b);
                }
                return new Value(bytes, read);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return timestamp(((TimestampType) type).getPrecision());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return timestamp(((LocalZonedTimestampType) type).getPrecision());
            case ARRAY:
                return array(((ArrayType) type).getElementType());
            case MAP:
                return map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
            case MULTISET:
                return map(((MultisetType) type).getElementType(), new IntType(false));
            case ROW:
                return row((RowType) type);
            default:
                throw new IllegalArgumentException(type.toString());
        }
    }

    private static Value same(Object value) {
        return new Value(value, value);
    }

    private Value decimal(DecimalType type) {
        BigInteger bound = BigInteger.TEN.pow(type.getPrecision());
        BigInteger digits;
        switch (random.nextInt(4)) {
            case 0:
                digits = bound.subtract(BigInteger.ONE);
                break;
            case 1:
                digits = BigInteger.valueOf(random.nextInt(10));
                break;
            default:
                digits = new BigInteger(130, random).mod(bound);
        }
        BigDecimal value =
                new BigDecimal(random.nextBoolean() ? digits : digits.negate(), type.getScale());
        return new Value(
                DecimalData.fromBigDecimal(value, type.getPrecision(), type.getScale()), value);
    }

    private Value timestamp(int precision) {
        long millis = random.nextLong() % 4_000_000_000_000L;
        int nanos = 0;
        if (precision == 0) {
            millis -= Math.floorMod(millis, 1000L);
        } else if (precision > 3) {
            int unit = precision == 9 ? 1 : 1000;
            nanos = random.nextInt(1_000_000) / unit * unit;
        }
        BigInteger all =
                BigInteger.valueOf(millis)
                        .multiply(BigInteger.valueOf(1_000_000))
                        .add(BigInteger.valueOf(nanos));
        // A shift before the division makes it the floor.
        BigInteger shift = BigInteger.TEN.pow(24);
        long micros =
                all.add(shift)
                        .divide(BigInteger.valueOf(1000))
                        .subtract(shift.divide(BigInteger.valueOf(1000)))
                        .longValueExact();
        return new Value(TimestampData.fromEpochMillis(millis, nanos), micros);
    }

    /** Still a Java string, or bytes in one piece of memory, or in several. */
    StringData string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        switch (random.nextInt(3)) {
            case 0:
                return StringData.fromString(text);
            case 1:
                return StringData.fromBytes(utf8);
            default:
                return pieces(utf8, 8, random.nextInt(16));
        }
    }

    /** A string that starts somewhere in pieces of memory of that size. */
    static BinaryStringData pieces(byte[] utf8, int size, int offset) {
        byte[] all = new byte[(offset + utf8.length) / size * size + size];
        System.arraycopy(utf8, 0, all, offset, utf8.length);
        MemorySegment[] segments = new MemorySegment[all.length / size];
        for (int i = 0; i < segments.length; i++) {
            segments[i] =
                    i % 2 == 0
                            ? MemorySegmentFactory.allocateUnpooledSegment(size)
                            : MemorySegmentFactory.allocateUnpooledOffHeapMemory(size);
            segments[i].put(0, all, i * size, size);
        }
        return BinaryStringData.fromAddress(segments, offset, utf8.length);
    }

    private Value array(LogicalType element) {
        Object[] flink = new Object[random.nextInt(4)];
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < flink.length; i++) {
            Value value = value(element);
            flink[i] = value.flink;
            read.add(value.read);
        }
        return new Value(new GenericArrayData(flink), read);
    }

    private Value map(LogicalType key, LogicalType value) {
        Map<Object, Object> flink = new LinkedHashMap<>();
        Map<Object, Object> read = new LinkedHashMap<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            Value k = value(key);
            // Arrays of bytes are equal only to themselves, their contents are compared here.
            if (!read.containsKey(k.read)) {
                Value v = value(value);
                flink.put(k.flink, v.flink);
                read.put(k.read, v.read);
            }
        }
        List<Object> entries = new ArrayList<>();
        read.forEach((k, v) -> entries.add(Arrays.asList(k, v)));
        return new Value(new GenericMapData(flink), entries);
    }
}
