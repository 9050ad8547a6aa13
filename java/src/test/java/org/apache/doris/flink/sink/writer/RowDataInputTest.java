package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Row kinds on their way into loads. */
class RowDataInputTest {

    private static final RowType TYPE = RowType.of(new BigIntType());

    private final FakeLoadClient client = new FakeLoadClient(new FakeDoris());
    private final RecordedMetrics metrics = new RecordedMetrics();
    private TableLoads loads;
    private Duration patience;

    private RowDataInput input(TestSink.Start options) throws Exception {
        SinkConfig config = options.config();
        WriterMetrics writerMetrics = new WriterMetrics(metrics, client::metrics, false);
        loads =
                new TableLoads(
                        new WriterIdentity("op", "job", 0, 1, 0, 0),
                        client,
                        null,
                        config.write().batch(),
                        writerMetrics);
        RowDataInput input =
                new RowDataInput(
                        config,
                        TYPE,
                        loads,
                        writerMetrics,
                        new FakeWorld(client.doris).clock(),
                        patience);
        input.open();
        return input;
    }

    private TestSink.Start options() {
        return TestSink.on(client.doris);
    }

    private static void writeAllKinds(RowDataInput input) throws Exception {
        long key = 0;
        GenericRowData reused = new GenericRowData(1);
        for (RowKind kind : RowKind.values()) {
            reused.setField(0, key++);
            reused.setRowKind(kind);
            input.write(reused);
        }
        input.flush();
    }

    /** Keys and signs of the batches, such as {@code 3:1}; a key alone without a sign column. */
    private List<String> written(boolean signs) {
        List<String> rows = new ArrayList<>();
        for (FakeLoadClient.FakeLoad load : client.opened) {
            for (FakeLoadClient.Submitted batch : load.batches) {
                int columns = (int) batch.layout[0];
                assertThat(columns).isEqualTo(signs ? 2 : 1);
                // nodes, (length, nulls) each, buffers, (offset, length) each.
                int buffers = 1 + 2 * columns + 1;
                int keys = (int) batch.layout[buffers + 2];
                int sign = signs ? (int) batch.layout[buffers + 6] : 0;
                ByteBuffer body = batch.body;
                for (int i = 0; i < batch.rows; i++) {
                    rows.add(body.getLong(keys + 8 * i) + (signs ? ":" + body.get(sign + i) : ""));
                }
            }
        }
        return rows;
    }

    @Test
    void theKindOfARowIsItsDeleteSign() throws Exception {
        writeAllKinds(input(options()));
        assertThat(written(true)).containsExactly("0:0", "1:1", "2:0", "3:1");
        assertThat(metrics.count("rowsSkippedByDeleteRule")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void cdc8AnUpdateBeforeThatArrivesDeletesWhateverThePlannerWasAskedFor(String ignored)
            throws Exception {
        RowDataInput input = input(options().option("sink.ignore.update-before", ignored));
        write(input, RowKind.UPDATE_BEFORE, 1);
        write(input, RowKind.UPDATE_AFTER, 2);
        input.flush();
        assertThat(written(true)).containsExactly("1:1", "2:0");
    }

    /** Options of loads that leave something of the row whose place another one takes. */
    private TestSink.Start partial(String parameters) {
        TestSink.Start options = options().option("sink.properties.format", "json");
        for (String parameter : parameters.split(" ")) {
            String[] parts = parameter.split("=");
            options.option("sink.properties." + parts[0], parts[1]);
        }
        return options;
    }

    private static void write(RowDataInput input, RowKind kind, long key) throws Exception {
        input.write(GenericRowData.ofKind(kind, key));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "partial_columns=true columns=f0",
                "unique_key_update_mode=UPDATE_FIXED_COLUMNS columns=f0",
                "unique_key_update_mode=UPDATE_FLEXIBLE_COLUMNS",
                "function_column.sequence_col=f1",
            })
    void aPartialUpdateDeletesOnlyWhatNoRowOfTheKeyFollows(String parameters) throws Exception {
        RowDataInput input = input(partial(parameters));
        write(input, RowKind.UPDATE_BEFORE, 1);
        write(input, RowKind.UPDATE_AFTER, 1);
        write(input, RowKind.UPDATE_BEFORE, 2);
        // Rows of another sender come in between.
        write(input, RowKind.UPDATE_BEFORE, 3);
        write(input, RowKind.INSERT, 4);
        write(input, RowKind.UPDATE_AFTER, 2);
        write(input, RowKind.UPDATE_BEFORE, 5);
        write(input, RowKind.DELETE, 5);
        write(input, RowKind.UPDATE_BEFORE, 6);
        write(input, RowKind.INSERT, 6);
        write(input, RowKind.UPDATE_BEFORE, 6);
        input.flush();
        assertThat(written(true)).containsExactly("1:0", "4:0", "2:0", "5:1", "6:0", "3:1", "6:1");
    }

    /** A checkpoint covers all rows before it: none waits over it for what may come. */
    @Test
    void aPartialUpdateHoldsNothingOverACheckpoint() throws Exception {
        RowDataInput input = input(partial("partial_columns=true columns=f0"));
        write(input, RowKind.UPDATE_BEFORE, 1);
        input.trickle();
        assertThat(client.opened).isEmpty();
        input.flush();
        assertThat(written(true)).containsExactly("1:1");
        write(input, RowKind.UPDATE_AFTER, 1);
        input.flush();
        assertThat(written(true)).containsExactly("1:1", "1:0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "partial_columns=false columns=f0",
                "unique_key_update_mode=UPSERT partial_columns=true columns=f0",
            })
    void anUpsertOfWholeRowsHoldsNothing(String parameters) throws Exception {
        RowDataInput input = input(partial(parameters));
        write(input, RowKind.UPDATE_BEFORE, 1);
        write(input, RowKind.UPDATE_AFTER, 1);
        input.flush();
        assertThat(written(true)).containsExactly("1:1", "1:0");
    }

    @Test
    void aPartialUpdateWithoutTheKeyAsItIsRefusesAnUpdateBeforeByTable() throws Exception {
        client.keyFields = new int[0];
        RowDataInput input = input(partial("partial_columns=true columns=f0"));
        write(input, RowKind.INSERT, 1);
        assertThatThrownBy(() -> write(input, RowKind.UPDATE_BEFORE, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("test.t")
                .hasMessageContaining("key columns of the table are not all among the declared");
    }

    @Test
    void cdc7SeveralChangesOfOneKeyKeepTheirOrder() throws Exception {
        RowDataInput input = input(options());
        input.write(GenericRowData.ofKind(RowKind.INSERT, 1L));
        input.write(GenericRowData.ofKind(RowKind.DELETE, 1L));
        input.write(GenericRowData.ofKind(RowKind.INSERT, 1L));
        input.flush();
        assertThat(written(true)).containsExactly("1:0", "1:1", "1:0");
    }

    @Test
    void cdc9OnATableThatIsNotUniqueADeleteIsAnOrdinaryRowWithAWarning() throws Exception {
        client.unique = false;
        RowDataInput input = input(options().option("sink.ignore.update-before", "false"));
        try (CapturedLogs logs = CapturedLogs.of(RowDataInput.class)) {
            writeAllKinds(input);
            writeAllKinds(input);
            assertThat(logs.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN")
                    .contains("test.t")
                    .contains("not a Unique table")
                    .contains("rowsSkippedByDeleteRule");
        }
        assertThat(written(false)).containsExactly("0", "1", "2", "3", "0", "1", "2", "3");
        assertThat(metrics.count("rowsSkippedByDeleteRule")).isEqualTo(4);
    }

    @Test
    void withDeletesOffTheKindIsNotLookedAt() throws Exception {
        client.unique = false;
        RowDataInput input = input(options().option("sink.enable-delete", "false"));
        try (CapturedLogs logs = CapturedLogs.of(RowDataInput.class)) {
            writeAllKinds(input);
            assertThat(logs.lines())
                    .singleElement()
                    .asString()
                    .contains("'sink.enable-delete' is 'false'");
        }
        assertThat(written(false)).containsExactly("0", "2", "3");
    }

    @Test
    void rowsOfASlowStreamAreHandedOverWhenThereIsAPlace() throws Exception {
        RowDataInput input = input(options());
        input.trickle();
        assertThat(client.opened).isEmpty();
        input.write(GenericRowData.of(1L));
        client.faults.put("test.t", FakeLoadClient.LoadFault.NO_PLACE);
        input.trickle();
        assertThat(written(true)).isEmpty();
        client.faults.clear();
        input.write(GenericRowData.of(2L));
        input.trickle();
        assertThat(written(true)).containsExactly("1:0", "2:0");
    }

    @Test
    void aFullBufferIsHandedOverAtOnce() throws Exception {
        RowDataInput input = input(options().option("sink.buffer-size", "4kb"));
        GenericRowData row = new GenericRowData(1);
        for (long i = 0; i < 2000; i++) {
            row.setField(0, i);
            input.write(row);
        }
        int before = client.opened.get(0).batches.size();
        assertThat(before).isGreaterThan(3);
        input.flush();
        assertThat(written(true)).hasSize(2000).startsWith("0:0").endsWith("1999:0");
        assertThat(client.opened.get(0).batches).allMatch(batch -> batch.body.capacity() <= 4096);
        input.flush();
        assertThat(client.opened).hasSize(1);
    }

    /** Batch mode without checkpoints: nothing else ends the wait of a {@code -U}. */
    @Test
    void withoutCheckpointsAnUpdateBeforeWaitsForATime() throws Exception {
        patience = Duration.ofSeconds(10);
        RowDataInput input = input(partial("partial_columns=true columns=f0"));
        input.write(GenericRowData.ofKind(RowKind.UPDATE_BEFORE, 1L));
        input.write(GenericRowData.ofKind(RowKind.UPDATE_BEFORE, 2L));
        client.doris.advance(patience);
        input.trickle();
        assertThat(client.opened).as("they came within this time").isEmpty();
        input.write(GenericRowData.ofKind(RowKind.UPDATE_AFTER, 2L));
        input.write(GenericRowData.ofKind(RowKind.UPDATE_BEFORE, 3L));
        client.doris.advance(patience);
        input.trickle();
        assertThat(written(true)).containsExactly("2:0", "1:1");
        client.doris.advance(patience);
        input.trickle();
        assertThat(written(true)).containsExactly("2:0", "1:1", "3:1");
    }
}
