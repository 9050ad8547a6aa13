package org.apache.doris.flink.source.reader;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.table.data.RowData;

import java.io.Serializable;

/**
 * Emits rows to Flink, in the shape that the source produces. Used by the task thread; one instance
 * per reader.
 */
@Internal
public interface RowEmitter<OUT> extends Serializable {

    /**
     * Emits one row, or what is made of it. Without a timestamp: event time is the business of the
     * watermark strategy.
     *
     * @param row produced columns, then metadata columns; a re-used view that is valid during this
     *     call and as long as Flink's object re-use has it. Its kind is the declared one.
     * @param change metadata of the change; null for a row of the snapshot
     */
    void emit(RowData row, Change change, SourceOutput<OUT> output) throws Exception;

    /** Emits the rows as they are. */
    static RowEmitter<RowData> rowData() {
        return new AsIs();
    }

    /** Emits the rows as they are. */
    final class AsIs implements RowEmitter<RowData> {

        private static final long serialVersionUID = 1L;

        @Override
        public void emit(RowData row, Change change, SourceOutput<RowData> output) {
            output.collect(row);
        }
    }

    /** Metadata of a change, beside its row. A re-used view, valid as long as its row. */
    interface Change {

        /** Operation as Doris reports it: 0 insert, 1 delete, 2 before and 3 after an update. */
        int operation();

        /** Commit order number of its transaction. */
        long tso();

        /** Order of the changes of one tablet with the same {@link #tso}. */
        long lsn();
    }
}
