package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.jni.NativeException;
import org.apache.doris.flink.jni.NativeLibrary;
import org.apache.doris.flink.jni.NativeScan;
import org.apache.doris.flink.jni.ScanMetrics;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.types.logical.RowType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/** A scan through the native core. */
final class NativeBatchScan implements BatchScan {

    private static final Logger LOG = LoggerFactory.getLogger(NativeBatchScan.class);

    private final NativeScan scan;
    private final RowType produced;

    private NativeBatchScan(NativeScan scan, RowType produced) {
        this.scan = scan;
        this.produced = produced;
    }

    static BatchScan open(ScanConfig config) throws IOException {
        NativeLibrary.load(config.connection().libraryPath());
        return new NativeBatchScan(
                NativeScan.open(ConfigCodec.encode(config)), config.producedType());
    }

    @Override
    public void start(long[] tablets) throws IOException {
        scan.start(tablets);
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
            return new NativeBatch(batch, VectorFactory.create(produced, batch));
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
        return new Figures(metrics.bytes(), metrics.splitRetries(), metrics.heldBytes());
    }

    @Override
    public void close() {
        scan.close();
    }

    private static final class NativeBatch implements Batch {

        private final IpcBatch batch;
        private final ColumnVector[] columns;

        private NativeBatch(IpcBatch batch, ColumnVector[] columns) {
            this.batch = batch;
            this.columns = columns;
        }

        @Override
        public int rows() {
            return batch.rows();
        }

        @Override
        public ColumnVector[] columns() {
            return columns;
        }

        @Override
        public void release() {
            batch.release();
        }
    }
}
