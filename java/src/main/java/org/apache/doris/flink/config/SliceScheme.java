package org.apache.doris.flink.config;

import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import java.util.Objects;

/** How a table's keys are cut into slices that are followed in parallel. */
@Internal
public final class SliceScheme implements Serializable {

    private static final long serialVersionUID = 1L;

    /** What decides on the slice of a row. */
    public enum Kind {
        /** Nothing was decided yet: the snapshot alone is read. */
        NONE(0),
        /** A hash of the key modulo the number of slices; one slice is the whole table. */
        HASH(1),
        /** The partition. */
        PARTITIONS(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }
    }

    /** No scheme. */
    public static final SliceScheme NONE = new SliceScheme(Kind.NONE, 0);

    /** One slice per partition. */
    public static final SliceScheme PARTITIONS = new SliceScheme(Kind.PARTITIONS, 0);

    private final Kind kind;
    private final int count;

    private SliceScheme(Kind kind, int count) {
        this.kind = kind;
        this.count = count;
    }

    /** {@code count} slices by a hash of the key. */
    public static SliceScheme hash(int count) {
        return new SliceScheme(Kind.HASH, count);
    }

    /** What decides on the slice of a row. */
    public Kind kind() {
        return kind;
    }

    /** Number of slices by hash; 0 with the other kinds. */
    public int count() {
        return count;
    }

    /**
     * The split id of a slice, {@code slice-hash-<n>-<i>} or {@code slice-partition-<id>}: stable,
     * so that what Flink keeps by split id (watermarks, pauses, progress) survives restores and
     * rescaling. Another scheme gives other ids.
     *
     * @param slice number of the slice from 0, or id of the partition
     */
    public String splitId(long slice) {
        switch (kind) {
            case HASH:
                return "slice-hash-" + count + "-" + slice;
            case PARTITIONS:
                return "slice-partition-" + slice;
            default:
                throw new IllegalArgumentException("There are no slices without a scheme.");
        }
    }

    /** Appends the scheme to checkpoint state. */
    public void write(StateWriter out) throws IOException {
        out.writeByte(kind.number);
        out.writeInt(count);
    }

    /** Reads what {@link #write} wrote. */
    public static SliceScheme read(StateReader in) throws IOException {
        int number = in.readByte();
        int count = in.readInt();
        for (Kind kind : Kind.values()) {
            if (kind.number == number) {
                boolean legal = kind == Kind.HASH ? count > 0 : count == 0;
                if (!legal) {
                    throw in.damaged("a slice scheme has " + count + " slices");
                }
                return new SliceScheme(kind, count);
            }
        }
        throw in.damaged("slice scheme " + number + " is unknown");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SliceScheme
                && kind == ((SliceScheme) other).kind
                && count == ((SliceScheme) other).count;
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, count);
    }

    @Override
    public String toString() {
        return kind == Kind.HASH ? "hash/" + count : kind.name().toLowerCase(Locale.ROOT);
    }
}
