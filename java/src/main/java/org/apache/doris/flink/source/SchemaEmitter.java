package org.apache.doris.flink.source;

import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.deserialization.converter.DorisRowConverter;
import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.doris.flink.source.reader.RowEmitter;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;

import java.util.ArrayList;
import java.util.List;

/** Lets a user's schema make records of rows, whose values it gets as Java objects. */
final class SchemaEmitter<OUT> implements RowEmitter<OUT> {

    private static final long serialVersionUID = 1L;

    private final DorisDeserializationSchema<OUT> schema;
    private final DorisRowConverter converter;
    private final int columns;

    private transient Output<OUT> output;

    SchemaEmitter(DorisDeserializationSchema<OUT> schema, RowType columns) {
        this.schema = schema;
        this.converter = new DorisRowConverter(columns);
        this.columns = columns.getFieldCount();
    }

    @Override
    public void emit(RowData row, Change change, SourceOutput<OUT> target) throws Exception {
        List<Object> values = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            values.add(converter.convertExternal(row, i));
        }
        if (output == null) {
            output = new Output<>();
        }
        output.target = target;
        schema.deserialize(record(values, row, change), output);
    }

    private static DorisSourceRecord record(List<?> values, RowData row, Change change) {
        return change == null
                ? DorisSourceRecord.snapshot(values)
                : new DorisSourceRecord(
                        values,
                        row.getRowKind(),
                        change.tso(),
                        change.lsn(),
                        (long) change.operation());
    }

    private static final class Output<OUT> implements Collector<OUT> {

        private SourceOutput<OUT> target;

        @Override
        public void collect(OUT record) {
            target.collect(record);
        }

        @Override
        public void close() {
            // The output is Flink's to close.
        }
    }
}
