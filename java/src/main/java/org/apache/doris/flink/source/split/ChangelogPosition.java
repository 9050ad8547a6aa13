package org.apache.doris.flink.source.split;

import org.apache.flink.annotation.Internal;

import java.util.Objects;

/**
 * The last row emitted inside an open window, with a checksum over the rows of its TSO: after a
 * restore the rows up to it are dropped, and number and sum show whether they are the same rows.
 */
@Internal
public final class ChangelogPosition {

    /** Bits of the counter below the clock (Doris manual, TSO). */
    private static final int TSO_COUNTER_BITS = 18;

    private final long tso;
    private final long lsn;
    private final int operation;
    private final long rowsAtPosition;
    private final long rowsOfTso;
    private final long hashSum;

    /**
     * @param rowsAtPosition rows emitted with exactly this TSO, LSN and operation
     * @param rowsOfTso rows emitted of this TSO
     * @param hashSum wrapping sum of the hashes of those rows
     */
    public ChangelogPosition(
            long tso, long lsn, int operation, long rowsAtPosition, long rowsOfTso, long hashSum) {
        this.tso = tso;
        this.lsn = lsn;
        this.operation = operation;
        this.rowsAtPosition = rowsAtPosition;
        this.rowsOfTso = rowsOfTso;
        this.hashSum = hashSum;
    }

    /** The clock part of a commit order number (TSO), milliseconds since 1970. */
    public static long millis(long tso) {
        return tso >> TSO_COUNTER_BITS;
    }

    /** Commit order number. */
    public long tso() {
        return tso;
    }

    /** Order within one tablet below the TSO. */
    public long lsn() {
        return lsn;
    }

    /** Operation code as Doris reports it. */
    public int operation() {
        return operation;
    }

    /** Rows emitted with exactly this TSO, LSN and operation. */
    public long rowsAtPosition() {
        return rowsAtPosition;
    }

    /** Rows emitted of this TSO. */
    public long rowsOfTso() {
        return rowsOfTso;
    }

    /** Wrapping sum of the hashes of the rows of this TSO. */
    public long hashSum() {
        return hashSum;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ChangelogPosition)) {
            return false;
        }
        ChangelogPosition that = (ChangelogPosition) other;
        return tso == that.tso
                && lsn == that.lsn
                && operation == that.operation
                && rowsAtPosition == that.rowsAtPosition
                && rowsOfTso == that.rowsOfTso
                && hashSum == that.hashSum;
    }

    @Override
    public int hashCode() {
        return Objects.hash(tso, lsn, operation, rowsAtPosition, rowsOfTso, hashSum);
    }

    @Override
    public String toString() {
        return String.format(
                "tso %d, lsn %d, operation %d, row %d", tso, lsn, operation, rowsAtPosition);
    }
}
