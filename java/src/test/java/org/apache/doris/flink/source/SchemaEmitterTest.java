package org.apache.doris.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.source.reader.DorisSourceRecord;
import org.apache.doris.flink.source.reader.RowEmitter;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What a user's schema is handed, and where its records go. */
class SchemaEmitterTest {

    private static final RowType COLUMNS =
            (RowType)
                    DataTypes.ROW(
                                    DataTypes.FIELD("id", DataTypes.INT()),
                                    DataTypes.FIELD("name", DataTypes.STRING()))
                            .getLogicalType();

    @Test
    void rowsAndChangesReachTheSchema() throws Exception {
        SchemaEmitter<String> emitter =
                InstantiationUtil.clone(new SchemaEmitter<>(new Texts(), COLUMNS));
        Output output = new Output();
        emitter.emit(GenericRowData.of(1, StringData.fromString("a")), null, output);
        emitter.emit(GenericRowData.ofKind(RowKind.DELETE, 2, null), change(1), output);
        // An inserted row that was something else once: the kind is the row's, the code the
        // change's.
        emitter.emit(GenericRowData.of(3, null), change(3), output);
        assertThat(output.records)
                .containsExactly(
                        "+I [1, a] null null null",
                        "again",
                        "-D [2, null] 7 8 1",
                        "again",
                        "+I [3, null] 7 8 3",
                        "again");
    }

    private static RowEmitter.Change change(int operation) {
        return new RowEmitter.Change() {
            @Override
            public int operation() {
                return operation;
            }

            @Override
            public long tso() {
                return 7;
            }

            @Override
            public long lsn() {
                return 8;
            }
        };
    }

    /** Two records for each row. */
    private static final class Texts implements DorisDeserializationSchema<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(List<?> record, Collector<String> out) {
            throw new AssertionError("The record itself is asked for.");
        }

        @Override
        public void deserialize(DorisSourceRecord record, Collector<String> out) {
            out.collect(
                    String.format(
                            "%s %s %s %s %s",
                            record.getRowKind().shortString(),
                            record.getFieldValues(),
                            record.getBinlogTso(),
                            record.getBinlogLsn(),
                            record.getBinlogOp()));
            out.collect("again");
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }

    private static final class Output implements SourceOutput<String> {

        private final List<String> records = new ArrayList<>();

        @Override
        public void collect(String record) {
            records.add(record);
        }

        @Override
        public void collect(String record, long timestamp) {
            throw new AssertionError("Rows have no timestamp.");
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new AssertionError("Watermarks are the strategy's business.");
        }

        @Override
        public void markIdle() {
            throw new AssertionError("Idleness is the reader's business.");
        }

        @Override
        public void markActive() {
            throw new AssertionError("Idleness is the reader's business.");
        }
    }
}
