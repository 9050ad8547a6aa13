package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Rows of values on their way to Flink's own. */
class RowInputTest {

    private final List<Object> passed = new ArrayList<>();
    private final RowInput input =
            new RowInput(
                    RowSerializer.builder()
                            .setFieldNames(new String[] {"id", "name"})
                            .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                            .setType("json")
                            .build(),
                    new Rows(),
                    new RecordPosition(2));

    @Test
    void rowsArePassedOnWithTheirKind() throws Exception {
        input.open();
        input.write(Row.of(1, "a"));
        input.write(null);
        input.write(Row.ofKind(RowKind.DELETE, 2, null));
        input.trickle();
        input.flush();
        input.close();
        assertThat(passed)
                .containsExactly(
                        "open",
                        GenericRowData.of(1, StringData.fromString("a")),
                        GenericRowData.ofKind(RowKind.DELETE, 2, null),
                        "trickle",
                        "flush",
                        "close");
    }

    @Test
    void aRowOfOtherValuesIsNamedByItsNumber() throws Exception {
        input.open();
        input.write(Row.of(1, "a"));
        input.write(null);
        assertThatThrownBy(() -> input.write(Row.of("secret", "b")))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "org.apache.doris.flink.sink.writer.serializer.RowSerializer failed on"
                                + " record 3 of subtask 2, counted from 1 since the task's last"
                                + " start. What it holds is not shown.")
                .hasCauseInstanceOf(ClassCastException.class)
                .satisfies(e -> assertThat(e.getCause().getMessage()).doesNotContain("secret"));
    }

    /** Takes the columns and remembers the row. */
    private final class Rows implements RecordInput<RowData> {

        @Override
        public void open() {
            passed.add("open");
        }

        @Override
        public void write(RowData row) {
            assertThat(row.getInt(0)).isPositive();
            passed.add(row);
        }

        @Override
        public void trickle() {
            passed.add("trickle");
        }

        @Override
        public void flush() {
            passed.add("flush");
        }

        @Override
        public void close() {
            passed.add("close");
        }
    }
}
