package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.vector.BytesColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.data.columnar.vector.TimestampColumnVector;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Metadata columns over the change columns of a batch; nothing is copied. */
final class MetadataVectors {

    private static final byte[] OPERATIONS = "+I-D-U+U".getBytes(StandardCharsets.US_ASCII);
    private static final int OPERATION_LENGTH = 2;

    private MetadataVectors() {}

    /**
     * Puts the metadata columns after the wanted ones.
     *
     * @param all a slot per produced column; the first ones are filled
     * @param changes null for rows of the snapshot, whose metadata is NULL
     */
    static void append(ColumnVector[] all, List<MetadataColumn> metadata, ChangeColumns changes) {
        int first = all.length - metadata.size();
        for (int i = 0; i < metadata.size(); i++) {
            all[first + i] = changes == null ? Null.COLUMN : vector(metadata.get(i), changes);
        }
    }

    private static ColumnVector vector(MetadataColumn column, ChangeColumns changes) {
        switch (column) {
            case OP:
                return new Operation(changes);
            case TSO:
                return new Number(changes, true);
            case LSN:
                return new Number(changes, false);
            case COMMIT_TIME:
                return new CommitTime(changes);
            default:
                throw new IllegalArgumentException("Metadata column " + column + " is unknown.");
        }
    }

    /** NULL on every row, of whatever type. */
    private static final class Null implements ColumnVector {

        static final Null COLUMN = new Null();

        @Override
        public boolean isNullAt(int row) {
            return true;
        }
    }

    private static final class Operation implements BytesColumnVector {

        private final ChangeColumns changes;

        Operation(ChangeColumns changes) {
            this.changes = changes;
        }

        @Override
        public Bytes getBytes(int row) {
            return new Bytes(
                    OPERATIONS, changes.operation(row) * OPERATION_LENGTH, OPERATION_LENGTH);
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }

    private static final class Number implements LongColumnVector {

        private final ChangeColumns changes;
        private final boolean tso;

        Number(ChangeColumns changes, boolean tso) {
            this.changes = changes;
            this.tso = tso;
        }

        @Override
        public long getLong(int row) {
            return tso ? changes.tso(row) : changes.lsn(row);
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }

    private static final class CommitTime implements TimestampColumnVector {

        private final ChangeColumns changes;

        CommitTime(ChangeColumns changes) {
            this.changes = changes;
        }

        @Override
        public TimestampData getTimestamp(int row, int precision) {
            return TimestampData.fromEpochMillis(ChangelogPosition.millis(changes.tso(row)));
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }
}
