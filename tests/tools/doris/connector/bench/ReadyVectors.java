package doris.connector.bench;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.DecimalColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;
import org.apache.flink.table.data.columnar.vector.heap.AbstractHeapVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapBytesVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapDoubleVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapIntVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapLongVector;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

import java.nio.charset.StandardCharsets;

/**
 * On-heap vectors filled with the same values as the benchmark's table in Doris, one in twenty NULL
 * where it has NULLs.
 */
final class ReadyVectors {
    private static final long FIRST_DAY_MILLIS = 1_767_225_600_000L;

    private ReadyVectors() {}

    static ColumnVector[] of(RowType type, int rows) {
        ColumnVector[] columns = new ColumnVector[type.getFieldCount()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = column(type.getTypeAt(i), type.getFieldNames().get(i), rows);
        }
        return columns;
    }

    private static ColumnVector column(LogicalType type, String name, int rows) {
        switch (type.getTypeRoot()) {
            case INTEGER:
                HeapIntVector ints = new HeapIntVector(rows);
                for (int i = 0; i < rows; i++) {
                    ints.vector[i] = i;
                }
                return ints;
            case BIGINT:
                return longs(new HeapLongVector(rows), rows, 1);
            case DOUBLE:
                HeapDoubleVector doubles = new HeapDoubleVector(rows);
                for (int i = 0; i < rows; i++) {
                    doubles.vector[i] = i * 0.25;
                }
                return doubles;
            case DECIMAL:
                return new Decimals(longs(new HeapLongVector(rows), rows, 7).vector);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return new Timestamps(longs(new HeapLongVector(rows), rows, 1_000_000).vector);
            case VARCHAR:
                HeapBytesVector strings = new HeapBytesVector(rows);
                for (int i = 0; i < rows; i++) {
                    byte[] bytes = string(name, i).getBytes(StandardCharsets.UTF_8);
                    strings.appendBytes(i, bytes, 0, bytes.length);
                }
                nullEveryTwentieth(strings, name, rows);
                return strings;
            default:
                throw new IllegalArgumentException("no ready vector for " + type);
        }
    }

    private static String string(String name, int row) {
        return name.equals("name")
                ? "name-" + row
                : "a text of some forty characters, number " + row;
    }

    private static void nullEveryTwentieth(AbstractHeapVector vector, String name, int rows) {
        if (name.equals("note")) {
            for (int i = 0; i < rows; i += 20) {
                vector.setNullAt(i);
            }
        }
    }

    private static HeapLongVector longs(HeapLongVector vector, int rows, long step) {
        for (int i = 0; i < rows; i++) {
            vector.vector[i] = i * step;
        }
        return vector;
    }

    private static final class Decimals implements DecimalColumnVector {
        private final long[] unscaled;

        Decimals(long[] unscaled) {
            this.unscaled = unscaled;
        }

        @Override
        public DecimalData getDecimal(int row, int precision, int scale) {
            return DecimalData.fromUnscaledLong(unscaled[row], precision, scale);
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }

    private static final class Timestamps implements TimestampColumnVector {
        private final long[] micros;

        Timestamps(long[] micros) {
            this.micros = micros;
        }

        @Override
        public TimestampData getTimestamp(int row, int precision) {
            return TimestampData.fromEpochMillis(
                    FIRST_DAY_MILLIS + micros[row] / 1000, (int) (micros[row] % 1000) * 1000);
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }
}
