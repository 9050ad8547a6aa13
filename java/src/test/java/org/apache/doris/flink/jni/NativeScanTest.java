package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scans over a stand-in server: batches, their owner, and what is counted. */
@EnabledIfSystemProperty(named = "doris.standin.binary", matches = ".+")
@ExtendWith(NoLeaks.class)
@Timeout(120)
class NativeScanTest {
    private static final RowType TYPE = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);

    @RegisterExtension final StandinProcess standin = new StandinProcess();

    @Test
    void batchOutlivesScanAndRuntime() throws Exception {
        NativeScan scan = NativeScan.open(standin.config().bytes());
        scan.start(new long[0]);
        IpcBatch taken = next(scan);
        assertThat(NativeCounters.flightSessions()).isEqualTo(1);
        scan.close();
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.runtimeThreads()).isZero();
        assertThat(NativeCounters.flightSessions()).isZero();
        assertThat(NativeCounters.liveBatches()).isEqualTo(1);
        assertThat(NativeCounters.nativeBytes()).isPositive();

        ColumnVector[] columns = VectorFactory.create(TYPE, taken);
        assertThat(((LongColumnVector) columns[0]).getLong(0)).isBetween(1L, 4L);
        taken.release();
        assertThat(NativeCounters.liveBatches()).isZero();
        assertThat(NativeCounters.nativeBytes()).isZero();
    }

    @Test
    void batchThatNobodyTookGoesWithTheScan() throws Exception {
        try (NativeScan scan = NativeScan.open(standin.config().bytes())) {
            scan.start(new long[0]);
            assertThat(scan.poll(10_000)).isEqualTo(NativeScan.Poll.READY);
            assertThat(scan.poll(0)).isEqualTo(NativeScan.Poll.READY);
            assertThat(NativeCounters.nativeBytes()).isPositive();
            assertThat(NativeCounters.liveBatches()).isZero();
        }
        assertThat(NativeCounters.nativeBytes()).isZero();
    }

    @Test
    void canonicalColumnsTakeTheIdentityPath() throws Exception {
        long before = NativeCounters.identityBatches();
        try (NativeScan scan = NativeScan.open(standin.config().bytes())) {
            scan.start(new long[0]);
            int batches = 0;
            int rows = 0;
            for (IpcBatch batch = next(scan); batch != null; batch = next(scan)) {
                batches++;
                rows += batch.rows();
                batch.release();
            }
            ScanMetrics metrics = scan.metrics();
            assertThat(rows).isEqualTo(4);
            assertThat(metrics.rows()).isEqualTo(4);
            assertThat(metrics.bytes()).isPositive();
            assertThat(metrics.identityBatches()).isEqualTo(batches);
            assertThat(metrics.convertedBatches()).isZero();
            assertThat(metrics.heldBytes()).isZero();
            assertThat(metrics.maxHeldBytes()).isPositive();
            assertThat(NativeCounters.identityBatches() - before).isEqualTo(batches);
        }
    }

    @Test
    void scanAfterScanHoldsNothing() throws Exception {
        byte[] config = standin.config().bytes();
        for (int i = 0; i < 50; i++) {
            assertThat(LoaderProbe.read(config)).hasSize(4);
            assertThat(LoaderProbe.counters()).containsOnly(0);
        }
    }

    /** The next batch, null at the end of the split. */
    private static IpcBatch next(NativeScan scan) throws NativeException {
        NativeScan.Poll found = scan.poll(30_000);
        if (found == NativeScan.Poll.END) {
            return null;
        }
        assertThat(found).isEqualTo(NativeScan.Poll.READY);
        return scan.take();
    }
}
