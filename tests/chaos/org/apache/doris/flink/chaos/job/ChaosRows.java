package org.apache.doris.flink.chaos.job;

import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

import java.io.Serializable;

/**
 * The rows of a run: what stands at a position of a partition is a function of the seed, so the
 * comparison at the end needs no record of what was sent but the positions.
 */
public final class ChaosRows implements Serializable {

    /** Partitions of each stream; they outlive any change of the parallelism. */
    public static final int PARTITIONS = 4;

    /** Different keys of a partition of the updates. */
    static final int KEYS = 500;

    private static final long serialVersionUID = 1L;

    /** Characters that need care in CSV or JSON, but for those that CSV cannot hold. */
    private static final String[] PIECES = {
        "a", "Z", "7", " ", "\"", "\\", "'", ",", "é", "中", "😀", "{", "}", "\\N", "null", "/"
    };

    private final long seed;

    /** Rows for a seed. */
    public ChaosRows(long seed) {
        this.seed = seed;
    }

    /** What a stream's rows are for. */
    public enum Stream {
        /** Updates and deletes of keys: columns key, partition, position, text. */
        UPDATES,
        /** Inserts, first of two sinks on one table: columns side, partition, position, text. */
        SIDE_A,
        /** Inserts, second of two sinks on one table. */
        SIDE_B;

        /** Name of the operator with hooks behind the source of this stream. */
        public String operator() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /** The row at a position of a partition. */
    public Row row(Stream stream, int partition, long position) {
        String text = text(stream, partition, position);
        if (stream == Stream.UPDATES) {
            RowKind kind = deletes(partition, position) ? RowKind.DELETE : RowKind.UPDATE_AFTER;
            return Row.ofKind(kind, key(partition, position), partition, position, text);
        }
        return Row.of(side(stream), partition, position, text);
    }

    /** Value of column {@code side}. */
    public static int side(Stream stream) {
        return stream.ordinal();
    }

    /** The key that a position of the updates changes; each belongs to one partition. */
    public long key(int partition, long position) {
        long draw = Math.floorMod(draw(Stream.UPDATES, partition, position), (long) KEYS);
        return draw * PARTITIONS + partition;
    }

    /** Whether a position of the updates deletes its key. */
    public boolean deletes(int partition, long position) {
        return Math.floorMod(draw(Stream.UPDATES, partition, position) >>> 40, 8L) == 0;
    }

    /** The text at a position. */
    public String text(Stream stream, int partition, long position) {
        long draw = draw(stream, partition, position);
        StringBuilder text = new StringBuilder(Long.toHexString(draw));
        for (int i = 0; i < (draw & 7); i++) {
            text.append(PIECES[(int) (draw >>> (8 + 4 * i)) & 15]);
        }
        return text.append('.').toString();
    }

    private long draw(Stream stream, int partition, long position) {
        long z = seed ^ (stream.ordinal() * 31L + partition) * 0x9E3779B97F4A7C15L;
        return mix(mix(z) + position);
    }

    /** The finaliser of SplitMix64. */
    private static long mix(long value) {
        long z = value * 0x9E3779B97F4A7C15L + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
