package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.source.split.DorisSplitState;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

import java.io.IOException;

/**
 * Emits what was read and lets the state of its split follow: on the task thread, record by record,
 * so that a checkpoint between any two records holds what was emitted and nothing else.
 */
final class ChangeEmitter<OUT> implements RecordEmitter<ReadRecord, OUT, DorisSplitState> {

    private static final int UPDATE_BEFORE = 2;

    private static final int UPDATE_AFTER = 3;

    private final RowEmitter<OUT> rows;
    private final ReaderParts parts;
    private final RowKind[] kinds;
    private final RowKind[] kindsWithoutHistory;
    private final boolean followsChanges;
    private final boolean hasUpdates;
    private long snapshotRows;

    ChangeEmitter(RowEmitter<OUT> rows, ReaderParts parts) {
        this.rows = rows;
        this.parts = parts;
        ChangelogConfig config = parts.config().changelog();
        this.kinds = kinds(config);
        this.kindsWithoutHistory = withoutHistory(kinds);
        this.followsChanges = config.scanMode().hasIncrementalPhase();
        this.hasUpdates = kinds[UPDATE_AFTER] != null;
    }

    @Override
    public void emitRecord(ReadRecord record, SourceOutput<OUT> output, DorisSplitState state)
            throws Exception {
        RowData snapshotRow = record.snapshotRow();
        if (snapshotRow != null) {
            if (followsChanges) {
                // A chained operator may have changed the kind of the re-used row.
                snapshotRow.setRowKind(RowKind.INSERT);
            }
            rows.emit(snapshotRow, null, output);
            snapshotRows++;
            return;
        }
        switch (record.kind()) {
            case ROW:
                emitChange(record, output, state);
                break;
            case OPENED:
                parts.metrics().uncountRecord();
                state.open(record.window());
                break;
            case CLOSED:
                parts.metrics().uncountRecord();
                state.close();
                break;
            default:
                throw new IllegalStateException("A record is of unknown kind " + record.kind());
        }
    }

    /** Rows of the snapshot that were emitted since the reader was made. */
    long snapshotRows() {
        return snapshotRows;
    }

    private void emitChange(ReadRecord record, SourceOutput<OUT> output, DorisSplitState state)
            throws Exception {
        int operation = record.operation();
        boolean history = parts.history();
        RowKind[] allowed = history ? kinds : kindsWithoutHistory;
        RowKind kind = operation < 0 || operation >= allowed.length ? null : allowed[operation];
        if (kind != null) {
            record.row().setRowKind(kind);
            rows.emit(record.row(), record, output);
        } else if (hasUpdates && operation == UPDATE_BEFORE) {
            if (!history) {
                parts.metrics().countBeforeRowDropped();
            }
        } else {
            throw new IOException(
                    String.format(
                            "A change of slice %s has operation %d, which has no meaning in this"
                                    + " increment type (tso %d, lsn %d). Allowed are %s.",
                            state.splitId(),
                            operation,
                            record.tso(),
                            record.lsn(),
                            kinds[1] == null ? "0 for inserts" : "0 to 3"));
        }
        state.advance(record.tso(), record.lsn(), operation, record.hash());
    }

    /**
     * The same for a table that keeps no rows as they were before a change. Newer servers send such
     * a row nevertheless, with the values after it: it never existed, so nothing is retracted. An
     * update is then what older servers make of it, an insert, except where it is declared to come
     * alone. An audit shows what the server sent.
     */
    private static RowKind[] withoutHistory(RowKind[] kinds) {
        RowKind[] without = kinds.clone();
        if (kinds[UPDATE_BEFORE] == RowKind.UPDATE_BEFORE) {
            without[UPDATE_BEFORE] = null;
            without[UPDATE_AFTER] = RowKind.INSERT;
        }
        return without;
    }

    /** By operation the kind that Flink sees; null where none is declared. */
    private static RowKind[] kinds(ChangelogConfig config) {
        RowKind[] kinds = {RowKind.INSERT, null, null, null};
        if (config.incrementType() == IncrementType.APPEND_ONLY) {
            return kinds;
        }
        switch (config.changelogMode()) {
            case ALL:
                kinds[1] = RowKind.DELETE;
                kinds[2] = RowKind.UPDATE_BEFORE;
                kinds[3] = RowKind.UPDATE_AFTER;
                return kinds;
            case UPSERT:
                kinds[1] = RowKind.DELETE;
                kinds[3] = RowKind.UPDATE_AFTER;
                return kinds;
            case AUDIT:
                kinds[1] = RowKind.INSERT;
                kinds[2] = RowKind.INSERT;
                kinds[3] = RowKind.INSERT;
                return kinds;
            default:
                throw new IllegalArgumentException(
                        "Changelog mode " + config.changelogMode() + " is unknown.");
        }
    }
}
