package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.table.data.RowData;

import java.io.Serializable;

/** Hands rows on to Flink, in the shape that the source produces. */
public interface RowEmitter<OUT>
        extends RecordEmitter<RowData, OUT, DorisSplitState>, Serializable {

    /** Emits the rows as they are. */
    static RowEmitter<RowData> rowData() {
        return new AsIs();
    }

    /** Emits the rows as they are. */
    final class AsIs implements RowEmitter<RowData> {

        private static final long serialVersionUID = 1L;

        @Override
        public void emitRecord(
                RowData row, SourceOutput<RowData> output, DorisSplitState splitState) {
            output.collect(row);
        }
    }
}
