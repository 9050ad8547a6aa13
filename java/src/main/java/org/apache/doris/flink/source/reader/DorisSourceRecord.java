package org.apache.doris.flink.source.reader;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.types.RowKind;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One row as a deserialization schema gets it, with the metadata of its change. */
@PublicEvolving
public final class DorisSourceRecord {

    private final List<?> fieldValues;
    private final RowKind rowKind;
    private final Long binlogTso;
    private final Long binlogLsn;
    private final Long binlogOp;

    /** All values; the last three are null for a row of the snapshot. The list is copied. */
    public DorisSourceRecord(
            List<?> fieldValues, RowKind rowKind, Long binlogTso, Long binlogLsn, Long binlogOp) {
        this.fieldValues = new ArrayList<>(fieldValues);
        this.rowKind = Objects.requireNonNull(rowKind, "rowKind");
        this.binlogTso = binlogTso;
        this.binlogLsn = binlogLsn;
        this.binlogOp = binlogOp;
    }

    /** A row of the snapshot. */
    public static DorisSourceRecord snapshot(List<?> fieldValues) {
        return new DorisSourceRecord(fieldValues, RowKind.INSERT, null, null, null);
    }

    /**
     * A change.
     *
     * @param op operation as Doris reports it: 0 insert, 1 delete, 2 before, 3 after an update
     * @throws IllegalArgumentException for another operation, or where one of the three is missing
     */
    public static DorisSourceRecord incremental(List<?> fieldValues, Long tso, Long lsn, Long op) {
        if (tso == null || lsn == null || op == null) {
            throw new IllegalArgumentException(
                    String.format(
                            "A change needs its tso, lsn and op, which are %s, %s and %s.",
                            tso, lsn, op));
        }
        return new DorisSourceRecord(fieldValues, rowKind(op), tso, lsn, op);
    }

    /** Values in the order of the read columns; null where the column is NULL. */
    public List<?> getFieldValues() {
        return fieldValues;
    }

    public RowKind getRowKind() {
        return rowKind;
    }

    /** Commit order number of the change's transaction; null for a row of the snapshot. */
    public Long getBinlogTso() {
        return binlogTso;
    }

    /** Order of changes of one tablet with the same TSO; null for a row of the snapshot. */
    public Long getBinlogLsn() {
        return binlogLsn;
    }

    /** Operation as Doris reports it; null for a row of the snapshot. */
    public Long getBinlogOp() {
        return binlogOp;
    }

    private static RowKind rowKind(long op) {
        if (op == 0) {
            return RowKind.INSERT;
        } else if (op == 1) {
            return RowKind.DELETE;
        } else if (op == 2) {
            return RowKind.UPDATE_BEFORE;
        } else if (op == 3) {
            return RowKind.UPDATE_AFTER;
        }
        throw new IllegalArgumentException(
                "Operation " + op + " of a change is unknown: allowed are 0 to 3.");
    }
}
