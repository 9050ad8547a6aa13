package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.MetadataColumn;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.columnar.ColumnarRowData;
import org.apache.flink.table.data.columnar.vector.ByteColumnVector;
import org.apache.flink.table.data.columnar.vector.ColumnVector;
import org.apache.flink.table.data.columnar.vector.LongColumnVector;
import org.apache.flink.table.data.columnar.vector.VectorizedColumnBatch;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Metadata columns as rows show them. */
class MetadataVectorsTest {

    private static final List<MetadataColumn> ALL = List.of(MetadataColumn.values());

    @Test
    void tellOfAChangeWhatItTells() {
        long tso = FakeChanges.tso(1_760_000_000_123L, 262_143);
        RowData row = row(ALL, changes(new byte[] {0, 1, 2, 3}, tso, 42));
        String[] operations = {"+I", "-D", "-U", "+U"};
        for (int i = 0; i < operations.length; i++) {
            ((ColumnarRowData) row).setRowId(i);
            assertThat(row.getString(0)).hasToString(operations[i]);
            assertThat(row.getLong(1)).isEqualTo(tso);
            assertThat(row.getLong(2)).isEqualTo(42);
            assertThat(row.getTimestamp(3, 3))
                    .isEqualTo(TimestampData.fromEpochMillis(1_760_000_000_123L));
            for (int column = 0; column < 4; column++) {
                assertThat(row.isNullAt(column)).isFalse();
            }
        }
    }

    @Test
    void comeInTheWantedOrderBehindTheColumns() {
        ColumnVector[] all = new ColumnVector[3];
        ColumnVector wanted = row -> false;
        all[0] = wanted;
        MetadataVectors.append(
                all,
                List.of(MetadataColumn.LSN, MetadataColumn.OP),
                changes(new byte[] {3}, 1, 42));
        RowData row = new ColumnarRowData(new VectorizedColumnBatch(all));
        assertThat(all[0]).isSameAs(wanted);
        assertThat(row.getLong(1)).isEqualTo(42);
        assertThat(row.getString(2)).hasToString("+U");
    }

    @Test
    void areNullOnRowsOfTheSnapshot() {
        RowData row = row(ALL, null);
        for (int column = 0; column < 4; column++) {
            assertThat(row.isNullAt(column)).isTrue();
        }
    }

    private static RowData row(List<MetadataColumn> metadata, ChangeColumns changes) {
        ColumnVector[] all = new ColumnVector[metadata.size()];
        MetadataVectors.append(all, metadata, changes);
        return new ColumnarRowData(new VectorizedColumnBatch(all));
    }

    private static ChangeColumns changes(byte[] operations, long tso, long lsn) {
        return new ChangeColumns(
                new Operations(operations), new Same(tso), new Same(lsn), new Same(0));
    }

    private static final class Operations implements ByteColumnVector {

        private final byte[] operations;

        Operations(byte[] operations) {
            this.operations = operations;
        }

        @Override
        public byte getByte(int row) {
            return operations[row];
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }

    private static final class Same implements LongColumnVector {

        private final long value;

        Same(long value) {
            this.value = value;
        }

        @Override
        public long getLong(int row) {
            return value;
        }

        @Override
        public boolean isNullAt(int row) {
            return false;
        }
    }
}
