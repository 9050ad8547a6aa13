package org.apache.doris.flink.sink.writer.serializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.sink.batch.RecordWithMeta;
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
}
