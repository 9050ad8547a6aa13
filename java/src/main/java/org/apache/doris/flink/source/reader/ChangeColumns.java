package org.apache.doris.flink.source.reader;

import org.apache.flink.table.data.columnar.vector.ByteColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;

/**
 * The four columns that follow the wanted ones in a batch of a window: operation, TSO, LSN and the
 * hash that a position sums up. None holds NULL. Valid until the batch is released.
 */
final class ChangeColumns {

    /** How many they are. */
    static final int COUNT = 4;

    private final ByteColumnVector operations;
    private final LongColumnVector tsos;
    private final LongColumnVector lsns;
    private final LongColumnVector hashes;

    ChangeColumns(
            ColumnVector operations, ColumnVector tsos, ColumnVector lsns, ColumnVector hashes) {
        this.operations = (ByteColumnVector) operations;
        this.tsos = (LongColumnVector) tsos;
        this.lsns = (LongColumnVector) lsns;
        this.hashes = (LongColumnVector) hashes;
    }

    /** Operation as Doris reports it, 0 to 3. */
    int operation(int row) {
        return operations.getByte(row);
    }

    /** Commit order number. */
    long tso(int row) {
        return tsos.getLong(row);
    }

    /** Order of the changes of one tablet with the same TSO. */
    long lsn(int row) {
        return lsns.getLong(row);
    }

    /** Hash of what makes the row that row. */
    long hash(int row) {
        return hashes.getLong(row);
    }
}
