package org.apache.doris.flink.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The life of a batch, and headers that are right. */
class IpcBatchTest {
    private static final RowType PLAIN =
            RowType.of(new BigIntType(), VarCharType.STRING_TYPE, new BooleanType());

    @Test
    void headerHasRowsNodesAndBuffers() throws IOException {
        Fixture plain = Fixture.of("plain");
        IpcHeader header = IpcHeader.parse(Fixture.direct(plain.header), plain.body.length);
        assertThat(header.rows()).isEqualTo(3);
        assertThat(header.nodes()).isEqualTo(3);
        assertThat(header.nodeLength(1)).isEqualTo(3);
        assertThat(header.nullCount(1)).isZero();
        assertThat(header.buffers()).isEqualTo(7);
        assertThat(header.bufferLength(1)).isEqualTo(24);
    }

    @Test
    void releaseFreesOnceAndEndsEveryAccess() throws IOException {
        Fixture plain = Fixture.of("plain");
        IpcBatch batch = plain.batch(3);
        ColumnVector[] columns = VectorFactory.create(PLAIN, batch);
        ColumnarRowData row = new ColumnarRowData(VectorFactory.createBatch(PLAIN, batch));
        row.setRowId(2);
        String kept = row.getString(1).toString();
        assertThat(batch.isReleased()).isFalse();

        batch.release();
        batch.release();
        assertThat(plain.freed).hasValue(1);
        assertThat(batch.isReleased()).isTrue();
        assertThat(batch.rows()).isEqualTo(3);
        assertThat(kept).isEqualTo("ccc");
        for (int i = 0; i < columns.length; i++) {
            int column = i;
            assertReleased(() -> columns[column].isNullAt(0));
        }
        assertReleased(() -> ((LongColumnVector) columns[0]).getLong(0));
        assertReleased(() -> row.getString(1));
        assertReleased(() -> row.getBoolean(2));
        assertReleased(() -> VectorFactory.create(PLAIN, batch));
    }

    private static void assertReleased(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released");
    }

    @Test
    void rowCountOfTheHeaderMustBeTheAnnouncedOne() throws IOException {
        Fixture plain = Fixture.of("plain");
        assertThatThrownBy(() -> plain.batch(4))
                .isInstanceOf(NativeException.class)
                .hasMessageContaining("3 rows where 4");
        // Nothing was taken over, so nothing is freed here.
        assertThat(plain.freed).hasValue(0);
    }

    @Test
    void forgottenBatchIsFreedAndCounted() throws Exception {
        Fixture plain = Fixture.of("plain");
        long before = IpcBatch.leaked();
        ColumnVector[] columns = VectorFactory.create(PLAIN, plain.batch(3));
        // The batch itself is unreachable, a column over it is not: the memory must stay.
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(plain.freed).hasValue(0);
        assertThat(((LongColumnVector) columns[0]).getLong(2)).isEqualTo(30);

        columns = null;
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (plain.freed.get() == 0 && System.nanoTime() < deadline) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(plain.freed).hasValue(1);
        assertThat(IpcBatch.leaked()).isEqualTo(before + 1);
    }

    @Test
    void otherTypeThanTheBatchHasIsRefused() throws IOException {
        IpcBatch batch = Fixture.of("plain").batch(3);
        RowType fewer = RowType.of(new BigIntType(), VarCharType.STRING_TYPE);
        RowType more =
                RowType.of(
                        new BigIntType(),
                        VarCharType.STRING_TYPE,
                        new BooleanType(),
                        new BooleanType());
        RowType wider = RowType.of(new BigIntType(), VarCharType.STRING_TYPE, new BigIntType());
        for (RowType type : new RowType[] {fewer, more, wider}) {
            assertThatThrownBy(() -> VectorFactory.create(type, batch))
                    .isInstanceOfSatisfying(
                            NativeException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA))
                    .hasMessageContaining("corrupt batch");
        }
        batch.release();
    }
}
