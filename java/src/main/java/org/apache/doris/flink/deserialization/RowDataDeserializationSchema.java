package org.apache.doris.flink.deserialization;

import org.apache.doris.flink.deserialization.converter.DorisRowConverter;
import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;

import java.util.List;

/**
 * Each row as Flink's own {@link RowData}, with the kind of the change. A source with exactly this
 * schema hands its column batches on without making values of them.
 */
@PublicEvolving
public class RowDataDeserializationSchema implements DorisDeserializationSchema<RowData> {

    private static final long serialVersionUID = 1L;

    private final RowType rowType;
    private final DorisRowConverter rowConverter;

    /**
     * @param rowType columns to read, by name; where the read options name the fields, their types
     *     in that order
     */
    public RowDataDeserializationSchema(RowType rowType) {
        this.rowType = rowType;
        this.rowConverter = new DorisRowConverter(rowType);
    }

    /** The type of the rows. */
    public RowType getRowType() {
        return rowType;
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return InternalTypeInfo.of(rowType);
    }

    @Override
    public void deserialize(List<?> record, Collector<RowData> out) throws Exception {
        out.collect(rowConverter.convertInternal(record));
    }

    @Override
    public void deserialize(DorisSourceRecord record, Collector<RowData> out) throws Exception {
        RowData row = rowConverter.convertInternal(record.getFieldValues());
        row.setRowKind(record.getRowKind());
        out.collect(row);
    }
}
