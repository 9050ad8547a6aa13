package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.apache.doris.flink.sink.writer.serializer.debezium.DebeziumChange;
import org.apache.doris.flink.sink.writer.serializer.debezium.DebeziumReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Debezium records, as rows with the delete sign where their table can delete. What a record
 * becomes depends on the table, which the serializer alone does not know.
 */
final class DebeziumInput implements RecordInput<String> {

    private static final Logger LOG = LoggerFactory.getLogger(DebeziumInput.class);

    private final DebeziumReader reader;
    private final TableIdentifier configured;
    private final boolean enableDelete;
    private final boolean ignoreUpdateBefore;
    private final boolean keepsOthers;
    private final TableLoads loads;
    private final WriterMetrics metrics;
    private final SerializedInput<DorisRecord> rows;
    private final boolean fieldsAreColumns;
    private final Map<TableIdentifier, TargetColumns> tables = new HashMap<>();
    private final Set<TableIdentifier> warned = new HashSet<>();

    DebeziumInput(
            SinkConfig config,
            JsonDebeziumSchemaSerializer serializer,
            TableLoads loads,
            WriterMetrics metrics) {
        this.reader =
                serializer.reader(
                        LoadProperties.isFlexibleUpdate(config.write().properties()),
                        metrics.skippedRecords());
        this.configured = config.connection().hasTable() ? config.connection().table() : null;
        this.enableDelete = config.write().enableDelete();
        this.ignoreUpdateBefore = config.write().ignoreUpdateBefore();
        this.keepsOthers = config.write().keepsOtherColumns();
        this.fieldsAreColumns =
                Stream.of("columns", "jsonpaths")
                        .allMatch(name -> isBlank(config.write().properties().get(name)));
        this.loads = loads;
        this.metrics = metrics;
        this.rows = new SerializedInput<>(config, new AsTheyAre(), loads);
    }

    @Override
    public void open() {
        rows.open();
    }

    @Override
    public void write(String record) throws IOException, InterruptedException {
        DebeziumChange change = reader.read(record);
        if (change == null) {
            return;
        }
        TableIdentifier table = change.table().orElse(configured);
        if (table == null) {
            throw new IOException(
                    "A Debezium record goes to no table: set 'table.identifier' on the sink or the"
                            + " serializer, or a table mapping or a target database on the"
                            + " serializer.");
        }
        TableCheck check = loads.check(table.database(), table.table());
        boolean sign = check.deleteSign();
        TargetColumns columns =
                tables.computeIfAbsent(
                        table, key -> new TargetColumns(key, check.columns(), fieldsAreColumns));
        if (change.hasBefore() && deletesFormer(change, sign, columns)) {
            if (!sign) {
                cannotDelete(table);
            }
            append(table, change.former(sign, columns));
        }
        if (change.hasAfter()) {
            append(table, change.row(sign, columns));
        }
    }

    @Override
    public void trickle() throws IOException, InterruptedException {
        rows.trickle();
    }

    @Override
    public void flush() throws IOException, InterruptedException {
        rows.flush();
    }

    @Override
    public void close() throws Exception {
        rows.close();
    }

    /**
     * Whether the former row is sent: of deletes, of updates to another key, and of all updates
     * where that is asked for and takes nothing from a row that only gets some of its columns.
     */
    private boolean deletesFormer(DebeziumChange change, boolean sign, TargetColumns columns) {
        return !change.hasAfter()
                || !ignoreUpdateBefore && !keepsOthers
                || sign && change.movesKey(columns.keys());
    }

    private void append(TableIdentifier table, byte[] row)
            throws IOException, InterruptedException {
        rows.write(DorisRecord.of(table.database(), table.table(), row));
    }

    private static boolean isBlank(String text) {
        return text == null || text.isBlank();
    }

    private void cannotDelete(TableIdentifier table) {
        metrics.skippedByDeleteRule();
        if (warned.add(table)) {
            LOG.warn(
                    "A Debezium record deletes a row of table {}, and its row is written as an"
                            + " ordinary one, since {}. Such rows are counted as"
                            + " rowsSkippedByDeleteRule.",
                    table,
                    enableDelete
                            ? "loads of this table carry no delete sign: it is not a Unique table,"
                                    + " or 'merge_type' decides what is deleted"
                            : "'sink.enable-delete' is 'false'");
        }
    }

    /** Rows that have been spelled before. */
    private static final class AsTheyAre implements DorisRecordSerializer<DorisRecord> {

        private static final long serialVersionUID = 1L;

        @Override
        public DorisRecord serialize(DorisRecord row) {
            return row;
        }
    }
}
