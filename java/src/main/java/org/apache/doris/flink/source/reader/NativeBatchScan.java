package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.MetadataColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeScan;
import org.apache.doris.flink.jni.ScanMetrics;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/** A scan through the native core. */
final class NativeBatchScan implements BatchScan {

    private static final Logger LOG = LoggerFactory.getLogger(NativeBatchScan.class);

    private final NativeScan scan;
    private final List<MetadataColumn> metadata;
    private final RowType ofSnapshot;
    private final RowType ofWindow;
    private final boolean binary;

    private boolean inWindow;

    private NativeBatchScan(NativeScan scan, ScanConfig config) {
        this.scan = scan;
        this.binary = config.copiedRows() && BinaryBatchRows.canHold(config.producedType());
        this.metadata = config.metadata();
        this.ofSnapshot = config.producedType();
        this.ofWindow = withChanges(ofSnapshot);
    }

    static BatchScan open(ScanConfig config) throws IOException {
        NativeLibrary.load(config.connection().libraryPath());
        return new NativeBatchScan(NativeScan.open(ConfigCodec.encode(config)), config);
    }

    @Override
    public void start(long[] tablets, OptionalLong fenceMillis, boolean looksUp)
            throws IOException {
        inWindow = false;
        scan.start(tablets, fenceMillis, looksUp);
    }

    @Override
    public void startWindow(WindowRequest window) throws IOException {
        inWindow = true;
        scan.startWindow(window.toMap());
    }

    @Override
    public Poll poll(long timeoutMillis) throws IOException {
        switch (scan.poll(timeoutMillis)) {
            case READY:
                return Poll.READY;
            case TIMEOUT:
                return Poll.TIMEOUT;
            case WOKEN:
                return Poll.WOKEN;
            case END:
                return Poll.END;
            default:
                throw new IOException("The native library gave an answer that is not known.");
        }
    }

    @Override
    public Batch take() throws IOException {
        IpcBatch batch = scan.take();
        try {
            return inWindow ? changes(batch) : content(batch);
        } catch (IOException | RuntimeException e) {
            batch.release();
            throw e;
        }
    }

    @Override
    public void wake() {
        try {
            scan.wake();
        } catch (NativeException e) {
            // A scan that cannot be woken is closed or broken: its next poll says so.
            LOG.debug("Waking the scan failed.", e);
        }
    }

    @Override
    public Figures figures() throws IOException {
        ScanMetrics metrics = scan.metrics();
        Figures figures = new Figures();
        figures.bytes = metrics.bytes();
        figures.splitRetries = metrics.splitRetries();
        figures.heldBytes = metrics.heldBytes();
        figures.visibleWaitRetries = metrics.visibleWaitRetries();
        figures.visibleWaitMillis = metrics.visibleWaitMillis();
        figures.replayedRows = metrics.replayedRows();
        figures.positionMismatches = metrics.positionMismatches();
        figures.windowRows = metrics.windowRows();
        return figures;
    }

    @Override
    public void close() {
        scan.close();
    }

    private NativeBatch content(IpcBatch batch) throws IOException {
        ColumnVector[] all = VectorFactory.create(ofSnapshot, batch);
        return new NativeBatch(batch, rows(batch, all, 0, null), null);
    }

    private NativeBatch changes(IpcBatch batch) throws IOException {
        ColumnVector[] all = VectorFactory.create(ofWindow, batch);
        int first = all.length - ChangeColumns.COUNT;
        ChangeColumns changes =
                new ChangeColumns(all[first], all[first + 1], all[first + 2], all[first + 3]);
        return new NativeBatch(batch, rows(batch, all, ChangeColumns.COUNT, changes), changes);
    }

    /** Vectors are made in any case: making them checks the batch against the produced type. */
    private BatchRows rows(IpcBatch batch, ColumnVector[] read, int drop, ChangeColumns changes)
            throws IOException {
        return binary
                ? new BinaryBatchRows(batch, read.length - drop + metadata.size())
                : BatchRows.views(withMetadata(read, drop, changes));
    }

    /** The wanted columns and the metadata behind them, without what is only for the reader. */
    private ColumnVector[] withMetadata(ColumnVector[] read, int drop, ChangeColumns changes) {
        if (metadata.isEmpty() && drop == 0) {
            return read;
        }
        ColumnVector[] all = Arrays.copyOf(read, read.length - drop + metadata.size());
        MetadataVectors.append(all, metadata, changes);
        return all;
    }

    /** What a batch of a window holds: the wanted columns, then those of {@link ChangeColumns}. */
    private static RowType withChanges(RowType wanted) {
        List<RowType.RowField> fields = new ArrayList<>(wanted.getFields());
        fields.add(new RowType.RowField("op", new TinyIntType(false)));
        fields.add(new RowType.RowField("tso", new BigIntType(false)));
        fields.add(new RowType.RowField("lsn", new BigIntType(false)));
        fields.add(new RowType.RowField("hash", new BigIntType(false)));
        return new RowType(false, fields);
    }

    private static final class NativeBatch implements Batch {

        private final IpcBatch batch;
        private final BatchRows produced;
        private final ChangeColumns changes;

        private NativeBatch(IpcBatch batch, BatchRows produced, ChangeColumns changes) {
            this.batch = batch;
            this.produced = produced;
            this.changes = changes;
        }

        @Override
        public int rows() {
            return batch.rows();
        }

        @Override
        public BatchRows produced() {
            return produced;
        }

        @Override
        public ChangeColumns changes() {
            return changes;
        }

        @Override
        public void release() {
            batch.release();
        }
    }
}
