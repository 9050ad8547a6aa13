package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TinyIntType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows in native memory as the reader passes them on. The owner of the batch must release it. */
final class ReadBatch {

    private final IpcBatch batch;
    private final BatchRows produced;
    private final ChangeColumns changes;

    private ReadBatch(IpcBatch batch, BatchRows produced, ChangeColumns changes) {
        this.batch = batch;
        this.produced = produced;
        this.changes = changes;
    }

    /** Number of rows. */
    int rows() {
        return batch.rows();
    }

    /** The rows, to be moved over once; valid until {@link #release}. */
    BatchRows produced() {
        return produced;
    }

    /**
     * Metadata of the rows as changes; null for rows of the snapshot. Valid as long as the rows.
     */
    ChangeColumns changes() {
        return changes;
    }

    /** Frees the rows; idempotent, any thread. */
    void release() {
        batch.release();
    }

    /** Makes rows of what a scan gives. */
    static final class Decoder {

        private final List<MetadataColumn> metadata;
        private final RowType ofSnapshot;
        private final RowType ofWindow;
        private final boolean binary;

        Decoder(ScanConfig config) {
            this.binary = config.copiedRows() && BinaryBatchRows.canHold(config.producedType());
            this.metadata = config.metadata();
            this.ofSnapshot = config.producedType();
            this.ofWindow = withChanges(ofSnapshot);
        }

        /** A batch of a snapshot split; released where it is damaged. */
        ReadBatch ofSnapshot(IpcBatch batch) throws IOException {
            return releasedOnFailure(batch, this::content);
        }

        /** A batch of a window; released where it is damaged. */
        ReadBatch ofWindow(IpcBatch batch) throws IOException {
            return releasedOnFailure(batch, this::changes);
        }

        private static ReadBatch releasedOnFailure(IpcBatch batch, Step step) throws IOException {
            try {
                return step.decode(batch);
            } catch (IOException | RuntimeException e) {
                batch.release();
                throw e;
            }
        }

        private ReadBatch content(IpcBatch batch) throws IOException {
            ColumnVector[] all = VectorFactory.create(ofSnapshot, batch);
            return new ReadBatch(batch, rows(batch, all, 0, null), null);
        }

        private ReadBatch changes(IpcBatch batch) throws IOException {
            ColumnVector[] all = VectorFactory.create(ofWindow, batch);
            int first = all.length - ChangeColumns.COUNT;
            ChangeColumns changes =
                    new ChangeColumns(all[first], all[first + 1], all[first + 2], all[first + 3]);
            return new ReadBatch(batch, rows(batch, all, ChangeColumns.COUNT, changes), changes);
        }

        /** Vectors are made in any case: making them checks the batch against the produced type. */
        private BatchRows rows(IpcBatch batch, ColumnVector[] read, int drop, ChangeColumns changes)
                throws IOException {
            return binary
                    ? new BinaryBatchRows(batch, read.length - drop + metadata.size())
                    : BatchRows.views(withMetadata(read, drop, changes));
        }

        /** The wanted columns and the metadata behind them, without what the reader alone needs. */
        private ColumnVector[] withMetadata(ColumnVector[] read, int drop, ChangeColumns changes) {
            if (metadata.isEmpty() && drop == 0) {
                return read;
            }
            ColumnVector[] all = Arrays.copyOf(read, read.length - drop + metadata.size());
            MetadataVectors.append(all, metadata, changes);
            return all;
        }

        /**
         * What a batch of a window holds: the wanted columns, then those of {@link ChangeColumns}.
         */
        private static RowType withChanges(RowType wanted) {
            List<RowType.RowField> fields = new ArrayList<>(wanted.getFields());
            fields.add(new RowType.RowField("op", new TinyIntType(false)));
            fields.add(new RowType.RowField("tso", new BigIntType(false)));
            fields.add(new RowType.RowField("lsn", new BigIntType(false)));
            fields.add(new RowType.RowField("hash", new BigIntType(false)));
            return new RowType(false, fields);
        }

        private interface Step {
            ReadBatch decode(IpcBatch batch) throws IOException;
        }
    }
}
