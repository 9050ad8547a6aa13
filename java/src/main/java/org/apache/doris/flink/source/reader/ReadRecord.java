package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.flink.table.data.RowData;

/**
 * What travels from the fetcher to the task thread: a row, or the news that its slice's window was
 * opened or closed. News come in order with the rows, so that a checkpoint between any two of them
 * is right. Re-used, like its row.
 */
final class ReadRecord implements RowEmitter.Change {

    /** What a record is. */
    enum Kind {
        /** A row of the snapshot, or of the open window. */
        ROW,
        /** {@link #window} is read from here on. */
        OPENED,
        /** The open window was read to its end. */
        CLOSED
    }

    private final BatchRows rows;
    private final ChangeColumns changes;
    private final boolean ofSnapshot;

    private RowData row;
    private Kind kind = Kind.ROW;
    private ChangelogWindow window;
    private int index;

    /** Over the rows of a batch, if there is one; {@code changes} is null for the snapshot. */
    ReadRecord(BatchRows rows, ChangeColumns changes) {
        this.rows = rows;
        this.changes = changes;
        this.ofSnapshot = rows != null && changes == null;
    }

    /** Makes this the row at an index. */
    ReadRecord row(int index) {
        row = rows.at(index);
        if (!ofSnapshot) {
            // Nothing but rows is among the rows of the snapshot.
            this.kind = Kind.ROW;
            this.index = index;
        }
        return this;
    }

    /** Makes this the news of a window that is open now. */
    ReadRecord opened(ChangelogWindow window) {
        this.kind = Kind.OPENED;
        this.window = window;
        return this;
    }

    /** Makes this the news that the window was closed. */
    ReadRecord closed() {
        this.kind = Kind.CLOSED;
        return this;
    }

    /** The row, when it is one of the snapshot; else null. */
    RowData snapshotRow() {
        return ofSnapshot ? row : null;
    }

    /** What this is. */
    Kind kind() {
        return kind;
    }

    /** The row, with rows alone. */
    RowData row() {
        return row;
    }

    /** The window, when it was opened. */
    ChangelogWindow window() {
        return window;
    }

    @Override
    public int operation() {
        return changes.operation(index);
    }

    @Override
    public long tso() {
        return changes.tso(index);
    }

    @Override
    public long lsn() {
        return changes.lsn(index);
    }

    /** Hash of the row, for the position's sum. */
    long hash() {
        return changes.hash(index);
    }
}
