package org.apache.doris.flink.source;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.cfg.ObjectOptions;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.plan.StreamSourcePlan;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.deserialization.RowDataDeserializationSchema;
import org.apache.doris.flink.source.reader.RowEmitter;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Objects;

/** What a deserialization schema means for a source: its columns, and how rows are passed to it. */
final class StreamRows {

    private static final Logger LOG = LoggerFactory.getLogger(StreamRows.class);

    private StreamRows() {}

    /** The checked configuration; warnings are logged. */
    static ScanConfig plan(
            DorisOptions options,
            DorisReadOptions readOptions,
            Boundedness boundedness,
            DorisDeserializationSchema<?> deserializer) {
        Objects.requireNonNull(options, "The DorisOptions of the Doris source are missing.");
        Objects.requireNonNull(deserializer, "The deserializer of the Doris source is missing.");
        DorisReadOptions read = readOptions == null ? DorisReadOptions.defaults() : readOptions;
        StreamSourcePlan plan =
                StreamSourcePlan.of(
                        ObjectOptions.ofSource(options, read),
                        read.getReadFields(),
                        read.getRowLimit(),
                        rowType(deserializer));
        String table = plan.scan().connection().table().toString();
        plan.warnings().forEach(warning -> LOG.warn("Source of {}: {}", table, warning));
        if (boundedness == Boundedness.BOUNDED
                && plan.scan().changelog().scanMode().hasIncrementalPhase()) {
            LOG.warn(
                    "Source of {}: BOUNDED has no effect with scan mode {}, which never ends.",
                    table,
                    plan.scan().changelog().scanMode());
        }
        return plan.scan();
    }

    /** How rows are passed on: as they are where the schema would make the same of them. */
    @SuppressWarnings("unchecked")
    static <OUT> DorisSource.RowOutput<OUT> output(DorisDeserializationSchema<OUT> deserializer) {
        if (deserializer.getClass() == RowDataDeserializationSchema.class) {
            DorisSource.RowOutput<RowData> asIs = columns -> RowEmitter.rowData();
            return (DorisSource.RowOutput<OUT>) (DorisSource.RowOutput<?>) asIs;
        }
        return columns -> new SchemaEmitter<>(deserializer, columns);
    }

    private static RowType rowType(DorisDeserializationSchema<?> deserializer) {
        return deserializer instanceof RowDataDeserializationSchema
                ? ((RowDataDeserializationSchema) deserializer).getRowType()
                : null;
    }
}
