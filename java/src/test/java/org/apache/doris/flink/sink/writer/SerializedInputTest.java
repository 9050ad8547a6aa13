package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.writer.serializer.DorisRecord;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Bytes of a user's serializer on their way into loads. */
class SerializedInputTest {

    private static final DorisRecord BAD = row("secret");

    private final FakeDoris doris = new FakeDoris();
    private final FakeLoadClient client = new FakeLoadClient(doris);
    private final List<String> events = new ArrayList<>();
    private DorisRecord last = DorisRecord.empty;
    private RuntimeException broken;
    private TableLoads loads;

    private SerializedInput<DorisRecord> input(TestSink.Start options) throws Exception {
        SinkConfig config = options.config();
        loads =
                new TableLoads(
                        new WriterIdentity("op", "job", 0, 1, 0, 0),
                        client,
                        null,
                        config.write().batch(),
                        new WriterMetrics(new RecordedMetrics(), client::metrics, false));
        SerializedInput<DorisRecord> input =
                new SerializedInput<>(
                        config,
                        new DorisRecordSerializer<DorisRecord>() {
                            private static final long serialVersionUID = 1L;

                            @Override
                            public void initial() {
                                events.add("initial");
                            }

                            @Override
                            public DorisRecord serialize(DorisRecord record) throws IOException {
                                if (record == BAD) {
                                    throw new IOException("cannot spell it");
                                }
                                if (broken != null) {
                                    throw broken;
                                }
                                return record;
                            }

                            @Override
                            public DorisRecord flush() {
                                events.add("flush");
                                if (broken != null) {
                                    throw broken;
                                }
                                return last;
                            }

                            @Override
                            public void close() {
                                events.add("close");
                            }
                        },
                        loads,
                        new RecordPosition(3));
        input.open();
        return input;
    }

    private TestSink.Start options() {
        return TestSink.on(doris).option("sink.buffer-size", "1kb");
    }

    private static DorisRecord row(String text) {
        return DorisRecord.of(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aDelimiterStandsBetweenRowsAndNotAtTheEnd() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        input.write(row("a"));
        input.write(row("b"));
        input.flush();
        assertThat(client.opened.get(0).body).hasToString("a\nb");
        loads.close();
        input.write(row("c"));
        input.flush();
        assertThat(client.opened.get(1).body).as("the next checkpoint").hasToString("c");
    }

    @Test
    void theDelimiterIsTheUsersWithItsEscapes() throws Exception {
        SerializedInput<DorisRecord> input =
                input(options().option("sink.properties.line_delimiter", "\\x01\\n"));
        input.write(row("a"));
        input.write(row("b"));
        input.flush();
        assertThat(client.opened.get(0).body).hasToString("a\u0001\nb");
    }

    @Test
    void rowsOfAnySizeAreSentWhole() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        StringBuilder expected = new StringBuilder();
        int rows = 0;
        for (int size : new int[] {0, 1, 1022, 1023, 1024, 1025, 0, 5000, 1, 2047, 2048, 300_000}) {
            String text = String.valueOf((char) ('a' + rows % 26)).repeat(size);
            expected.append(rows++ == 0 ? "" : "\n").append(text);
            input.write(row(text));
        }
        input.flush();
        assertThat(client.opened).hasSize(1);
        assertThat(client.opened.get(0).body.toString()).isEqualTo(expected.toString());
        assertThat(client.opened.get(0).result()).containsEntry("rows", String.valueOf(rows));
    }

    @Test
    void recordsWithoutARowAreSkipped() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        input.write(null);
        input.write(DorisRecord.empty);
        input.write(DorisRecord.of("test", "t", null));
        input.flush();
        assertThat(client.opened).isEmpty();
        assertThat(client.checked).isEmpty();
    }

    @Test
    void theSerializerMayHandOverOneMoreRowBeforeACheckpoint() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        input.write(row("a"));
        last = row("last");
        input.flush();
        assertThat(client.opened.get(0).body).hasToString("a\nlast");
        input.close();
        input.close();
        assertThat(events).containsExactly("initial", "flush", "close");
    }

    @Test
    void rowsGoToTheTablesOfTheirRecords() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        input.write(DorisRecord.of("d1", "x", new byte[] {'1'}));
        input.write(row("2"));
        input.write(DorisRecord.of("d2", "x", new byte[] {'3'}));
        input.write(DorisRecord.of("d1.x", new byte[] {'4'}));
        input.flush();
        assertThat(client.opened)
                .extracting(load -> load.database + "." + load.table + ":" + load.body)
                .containsExactly("d1.x:1\n4", "test.t:2", "d2.x:3");
    }

    @Test
    void arrowHasNoDelimiter() throws Exception {
        SerializedInput<DorisRecord> input =
                input(options().option("sink.properties.format", "arrow"));
        input.write(row("a"));
        input.write(row("b"));
        input.flush();
        assertThat(client.opened.get(0).body).hasToString("ab");
    }

    @Test
    void aRecordWithoutTableNeedsAConfiguredOne() throws Exception {
        SerializedInput<DorisRecord> input = input(options().option("table.identifier", null));
        assertThatThrownBy(() -> input.write(row("a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "The row of record 1 of subtask 3, counted from 1 since the task's last"
                                + " start, names no table")
                .hasMessageContaining("'table.identifier'");
    }

    @Test
    void aFailureOfTheSerializerSaysWhichRecordItWasAndNotWhatItHeld() throws Exception {
        SerializedInput<DorisRecord> input = input(options());
        input.write(row("a"));
        input.write(null);
        assertThatThrownBy(() -> input.write(BAD))
                .isInstanceOf(IOException.class)
                .hasMessageMatching(
                        ".*SerializedInputTest\\$1 failed on record 3 of subtask 3, counted from 1"
                                + " since the task's last start\\. What it holds is not shown\\.")
                .hasRootCauseMessage("cannot spell it");
        broken = new IllegalStateException("bug");
        assertThatThrownBy(() -> input.write(row("b")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("failed on record 4 of subtask 3")
                .hasCause(broken);
        assertThatThrownBy(input::flush)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("failed in flush(), after record 4 of subtask 3")
                .hasCause(broken);
        input.close();
        assertThat(events).as("also after a failure").endsWith("close");
    }
}
