package org.apache.doris.flink.source.split;

import org.apache.flink.annotation.Internal;

/**
 * The position of a slice inside its open window, carried forward row by row without allocating.
 *
 * <p>Rows come in the order of TSO, LSN and operation. Where that order falls inside one TSO, the
 * rows of that TSO are being read again, since they were not those of before: its sums start again.
 * Not thread-safe.
 */
@Internal
public final class PositionFold {

    private boolean present;
    private boolean repeats;
    private long tso;
    private long lsn;
    private int operation;
    private long rowsAtPosition;
    private long rowsOfTso;
    private long hashSum;

    /** Before the first row of a window. */
    public PositionFold() {}

    /**
     * Behind rows that were emitted before.
     *
     * @param start the position after them; null before the first row
     * @param repeats whether the next row begins the position's TSO again, whatever its place in
     *     the order
     */
    public PositionFold(ChangelogPosition start, boolean repeats) {
        if (start != null) {
            this.present = true;
            this.repeats = repeats;
            this.tso = start.tso();
            this.lsn = start.lsn();
            this.operation = start.operation();
            this.rowsAtPosition = start.rowsAtPosition();
            this.rowsOfTso = start.rowsOfTso();
            this.hashSum = start.hashSum();
        }
    }

    /** One more row; false when it is of the same TSO as the one before. */
    public boolean add(long tso, long lsn, int operation, long hash) {
        boolean sameTso = present && !repeats && tso == this.tso;
        boolean falls =
                sameTso && (lsn < this.lsn || lsn == this.lsn && operation < this.operation);
        if (!sameTso || falls) {
            rowsAtPosition = 0;
            rowsOfTso = 0;
            hashSum = 0;
        } else if (lsn != this.lsn || operation != this.operation) {
            rowsAtPosition = 0;
        }
        boolean another = !present || tso != this.tso;
        present = true;
        repeats = false;
        this.tso = tso;
        this.lsn = lsn;
        this.operation = operation;
        rowsAtPosition++;
        rowsOfTso++;
        hashSum += hash;
        return another;
    }

    /** Whether there is a position at all. */
    public boolean isPresent() {
        return present;
    }

    /** Whether the sums are still those of rows that will be read again. */
    public boolean repeats() {
        return repeats;
    }

    /** TSO of the last row; only with {@link #isPresent}. */
    public long tso() {
        return tso;
    }

    /** The position after the last row; null before the first. */
    public ChangelogPosition position() {
        return present
                ? new ChangelogPosition(tso, lsn, operation, rowsAtPosition, rowsOfTso, hashSum)
                : null;
    }
}
