package doris.connector.bench;

import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.DecimalColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapBytesVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapDoubleVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapIntVector;
import org.apache.flink.table.data.columnar.vector.heap.HeapLongVector;
import org.apache.flink.table.types.logical.RowType;

import java.nio.charset.StandardCharsets;

/**
 * On-heap vectors of rows to be written, for the columns of tests/bench/sink.sql: numbers and texts
 * without an order that a compressor could make use of. The raw client makes the same rows.
 */
final class MixedVectors {
    private static final long FIRST_DAY_MILLIS = 1_767_225_600_000L;
    private static final String[] WORDS =
            ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
                 + " rho sigma tau upsilon phi chi psi omega order shipped pending user session"
                 + " click page view")
                    .split(" ");

    private MixedVectors() {}

    static ColumnVector[] of(RowType type, int rows) {
        HeapLongVector id = new HeapLongVector(rows);
        HeapIntVector a = new HeapIntVector(rows);
        HeapLongVector b = new HeapLongVector(rows);
        HeapDoubleVector score = new HeapDoubleVector(rows);
        long[] amount = new long[rows];
        long[] at = new long[rows];
        HeapBytesVector name = new HeapBytesVector(rows);
        HeapBytesVector note = new HeapBytesVector(rows);
        for (int row = 0; row < rows; row++) {
            id.vector[row] = row;
            a.vector[row] = (int) (draw(row, 1) % 100_000);
            b.vector[row] = draw(row, 2) % 1_000_000_000_000L;
            score.vector[row] = draw(row, 3) % 10_000_000 / 10_000.0;
            amount[row] = draw(row, 4) % 1_000_000;
            at[row] = FIRST_DAY_MILLIS + draw(row, 5) % 10_000_000 * 1000;
            append(name, row, String.format("user-%08x", (int) draw(row, 6)));
            if (row % 20 == 0) {
                note.setNullAt(row);
            } else {
                append(note, row, words(draw(row, 7)));
            }
        }
        ColumnVector[] all = {
            id, a, b, score, new Decimals(amount), new Timestamps(at), name, note
        };
        if (type.getFieldCount() != all.length) {
            throw new IllegalArgumentException("mixed values are for the columns of sink.sql");
        }
        return all;
    }

    private static void append(HeapBytesVector vector, int row, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        vector.appendBytes(row, bytes, 0, bytes.length);
    }

    private static String words(long drawn) {
        StringBuilder text = new StringBuilder();
        long rest = drawn;
        for (int i = 0; i < 7; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS[(int) (rest % WORDS.length)]);
            rest /= WORDS.length;
        }
        return text.toString();
    }

    /** A number that is not negative, always the same one for a row and column (splitmix64). */
    private static long draw(int row, int column) {
        long z = (row * 8L + column + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return (z ^ (z >>> 31)) >>> 1;
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
        private final long[] millis;

        Timestamps(long[] millis) {
            this.millis = millis;
        }

        @Override
        public TimestampData getTimestamp(int row, int precision) {
            return TimestampData.fromEpochMillis(millis[row]);
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }
}
