package org.apache.doris.flink.sink.writer.serializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Serializers of texts and the records that they give. */
class SerializersTest {

    @Test
    void aStringIsARowOfTheConfiguredTable() throws IOException {
        DorisRecord record = new SimpleStringSerializer().serialize("1\tö😱");
        assertThat(record.getRow()).isEqualTo("1\tö😱".getBytes(StandardCharsets.UTF_8));
        assertThat(record.getTableIdentifier()).isNull();
        assertThat(new SimpleStringSerializer().serialize(null)).isSameAs(DorisRecord.empty);
    }

    @Test
    void aRecordWithMetaNamesItsTable() throws IOException {
        RecordWithMeta meta = new RecordWithMeta("db", "t", "{\"a\":1}");
        DorisRecord record = new RecordWithMetaSerializer().serialize(meta);
        assertThat(record.getTableIdentifier()).isEqualTo("db.t");
        assertThat(meta.getTableIdentifier()).isEqualTo("db.t");
        assertThat(record.getRow()).isEqualTo("{\"a\":1}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aRowThatCouldOnlyBeDroppedIsAnError() {
        RecordWithMeta meta = new RecordWithMeta();
        meta.setDatabase("db");
        meta.setRecord("1");
        assertThatThrownBy(() -> new RecordWithMetaSerializer().serialize(meta))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "A record names no table: database 'db', table 'null'. Set both of them, or"
                                + " filter such records out before the sink.");
    }

    @Test
    void aRecordWithoutARowIsNone() throws IOException {
        assertThat(new RecordWithMetaSerializer().serialize(new RecordWithMeta("a", "b", null)))
                .isSameAs(DorisRecord.empty);
        assertThat(new RecordWithMetaSerializer().serialize(null)).isSameAs(DorisRecord.empty);
    }

    @Test
    void tablesOfRecordsAreNamedByTwoParts() {
        DorisRecord record = DorisRecord.of("db.`a.b`", new byte[] {1});
        assertThat(record.getDatabase()).isEqualTo("db");
        assertThat(record.getTable()).isEqualTo("a.b");
        for (String wrong : new String[] {null, "", "t", "a.b.c"}) {
            assertThatThrownBy(() -> DorisRecord.of(wrong, new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + wrong + "'")
                    .hasMessageContaining("database.table");
        }
    }

    @Test
    void aRowIsSpelledByPositionOrByName() throws Exception {
        RowSerializer json = InstantiationUtil.clone(rows("json", null).build());
        json.initial();
        assertThat(text(json.serialize(Row.of(1, "a\"b"))))
                .isEqualTo("{\"id\":\"1\",\"name\":\"a\\\"b\"}");
        Row named = Row.withNames();
        named.setField("name", null);
        named.setField("id", 2);
        assertThat(text(json.serialize(named))).isEqualTo("{\"id\":\"2\",\"name\":null}");
        assertThat(json.serialize(null)).isSameAs(DorisRecord.empty);
        assertThat(json.flush()).isSameAs(DorisRecord.empty);
    }

    @Test
    void aRowMayBeALineOfCsvWithItsDeleteSign() throws Exception {
        RowSerializer csv = rows("csv", "\\x01").enableDelete(true).build();
        csv.initial();
        assertThat(text(csv.serialize(Row.ofKind(RowKind.DELETE, 1, null))))
                .isEqualTo("1\u0001\\N\u00011");
        assertThat(text(csv.serialize(Row.of(1, "a")))).isEqualTo("1\u0001a\u00010");
    }

    @Test
    void rowsOfValuesAreNotSpelledAsArrow() {
        assertThatThrownBy(() -> rows("arrow", null).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "A RowSerializer has no type 'arrow': choose 'json' or 'csv', or make rows"
                                + " of Flink's table format and a RowDataSerializer.");
        assertThatThrownBy(() -> rows("csv", null).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'csv' with a field delimiter");
        assertThatThrownBy(() -> RowSerializer.builder().setType("json").build())
                .hasMessage("The field types are missing.");
    }

    private static RowSerializer.Builder rows(String type, String delimiter) {
        return RowSerializer.builder()
                .setFieldNames(new String[] {"id", "name"})
                .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                .setType(type)
                .setFieldDelimiter(delimiter);
    }

    private static String text(DorisRecord record) {
        return new String(record.getRow(), StandardCharsets.UTF_8);
    }
}
