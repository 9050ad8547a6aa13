package org.apache.doris.flink.arrow.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** VARIANT, which the Flink compiled against lacks: everything by reflection. */
class VariantWriterTest {
    private static final String OLD = "1\\..*|2\\.0\\..*";

    @Test
    @DisabledIfSystemProperty(named = "flink.version", matches = OLD)
    void valuesAreWrittenAsJson() throws Exception {
        LogicalType type =
                (LogicalType)
                        Class.forName("org.apache.flink.table.types.logical.VariantType")
                                .getConstructor()
                                .newInstance();
        Object variant =
                Class.forName("org.apache.flink.types.variant.BinaryVariantInternalBuilder")
                        .getMethod("parseJson", String.class, boolean.class)
                        .invoke(null, "{\"k\": [1, \"é\", null]}", false);
        RowType rowType = RowType.of(type, new ArrayType(type));
        BatchWriter writer = new BatchWriter(rowType, false);
        writer.write(
                GenericRowData.of(variant, new GenericArrayData(new Object[] {variant, null})),
                (byte) 0);
        writer.write(new GenericRowData(2), (byte) 0);
        ByteBuffer body = ByteBuffer.allocateDirect((int) writer.bytes());
        long[] layout = writer.seal(body);
        String json = "{\"k\":[1,\"é\",null]}";
        assertThat(DecodedBatch.rows(rowType, false, 2, body, layout))
                .containsExactly(
                        Arrays.asList(json, Arrays.asList(json, null)), Arrays.asList(null, null));
    }

    @Test
    @EnabledIfSystemProperty(named = "flink.version", matches = OLD)
    void withoutTheTypeTheMessageSaysSo() {
        assertThatThrownBy(() -> new VariantWriter("`v`", true, new ColumnWriter.Tally()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("column `v`", "VARIANT", "Variant");
        assertThat(List.of("1.20.3", "2.0.1")).allMatch(version -> version.matches(OLD));
    }
}
