package org.apache.doris.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.cfg.DorisTlsOptions;
import org.apache.doris.flink.cfg.S3TvfOptions;
import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.WriteConfig;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.serializer.DorisRecordSerializer;
import org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowDataSerializer;
import org.apache.doris.flink.sink.writer.serializer.RowSerializer;
import org.apache.doris.flink.sink.writer.serializer.SimpleStringSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

import java.time.ZoneId;
import java.util.Properties;
import java.util.function.Consumer;

/** Options objects go the way of a table's options, and come back unchanged. */
class DorisSinkBuilderTest {

    private static final DorisOptions OPTIONS = new DorisOptions("fe:8030", "u", "p", "test.t");

    @Test
    void defaultsAreThoseOfTables() {
        SinkConfig config = config(OPTIONS, execution -> {}, new SimpleStringSerializer());
        WriteConfig write = config.write();
        assertThat(config.declared()).isEmpty();
        assertThat(config.isPrefixDrawn()).isTrue();
        assertThat(config.connection().table().toString()).isEqualTo("test.t");
        assertThat(config.connection().sent())
                .containsEntry("doris.request.connect.timeout", "60000");
        assertThat(config.localTimeZone()).isEqualTo(ZoneId.systemDefault().getId());
        assertThat(write.twoPhase()).isTrue();
        assertThat(write.enableDelete()).isTrue();
        assertThat(write.ignoreUpdateBefore()).isTrue();
        assertThat(write.bufferSize()).isEqualTo(1 << 20);
        assertThat(write.properties())
                .containsEntry("format", "csv")
                .containsEntry("compress_type", "gz")
                .hasSize(2);
    }

    @Test
    void everyValueArrives() {
        Properties properties = new Properties();
        properties.setProperty("format", "json");
        properties.put("timeout", 77);
        Properties given = (Properties) properties.clone();
        DorisSinkBuilder<String> builder = new DorisSinkBuilder<>();
        DorisOptions options =
                DorisOptions.builder()
                        .setFenodes("fe:8030, fe2:8030")
                        .setBenodes("be:8040")
                        .setAutoRedirect(false)
                        .build();
        builder.setOptions(options);
        builder.setReadOptions(
                DorisReadOptions.builder()
                        .setRequestConnectTimeoutMs(1000)
                        .setRequestReadTimeoutMs(2000)
                        .setRequestRetries(0)
                        .build());
        DorisExecutionOptions execution =
                DorisExecutionOptions.builder()
                        .setLabelPrefix("p")
                        .enable2PC()
                        .setMaxRetries(9)
                        .setBufferSize(4096)
                        .setBufferCount(5)
                        .setUseCache(true)
                        .setDeletable(false)
                        .setIgnoreUpdateBefore(false)
                        .setIgnoreCommitError(true)
                        .setStreamLoadProp(properties)
                        .build();
        DorisExecutionOptions before = execution;
        builder.setExecutionOptions(execution);
        builder.setSerializer(new SimpleStringSerializer());

        SinkConfig config = builder.config();
        WriteConfig write = config.write();
        assertThat(config.labelPrefix()).isEqualTo("p");
        assertThat(config.connection().hasTable()).isFalse();
        assertThat(config.connection().fenodes()).hasSize(2);
        assertThat(config.connection().benodes()).hasSize(1);
        assertThat(config.connection().sent())
                .containsEntry("doris.request.connect.timeout", "1000");
        assertThat(config.connection().sent()).containsEntry("doris.request.read.timeout", "2000");
        assertThat(config.connection().sent()).containsEntry("doris.request.retries", "0");
        assertThat(write.sent()).containsEntry("auto-redirect", "false");
        assertThat(write.sent()).containsEntry("sink.max-retries", "9");
        assertThat(write.bufferSize()).isEqualTo(4096);
        assertThat(write.sent()).containsEntry("sink.buffer-count", "5");
        assertThat(write.sent()).containsEntry("sink.replay-buffer-size", "-1");
        assertThat(write.enableDelete()).isFalse();
        assertThat(write.ignoreUpdateBefore()).isFalse();
        assertThat(write.ignoreCommitError()).isTrue();
        assertThat(write.userTimeout()).hasValue(77);
        assertThat(write.properties()).containsEntry("read_json_by_line", "true");
        // Nothing of the user's was changed.
        assertThat(properties).isEqualTo(given);
        assertThat(execution).isEqualTo(before);
        assertThat(options.getTableIdentifier()).isNull();
    }

    @Test
    void rowsOfFlinkAreTakenColumnByColumn() {
        SinkConfig config = config(OPTIONS, json(), rows("json", null, true));
        assertThat(config.declared())
                .contains(
                        (RowType)
                                DataTypes.ROW(
                                                DataTypes.FIELD("id", DataTypes.INT()),
                                                DataTypes.FIELD("name", DataTypes.STRING()))
                                        .getLogicalType());
        assertThat(config.write().enableDelete()).isTrue();
        // Both of the two switches must be on.
        assertThat(config(OPTIONS, json(), rows("json", null, false)).write().enableDelete())
                .isFalse();
        assertThat(
                        config(
                                        OPTIONS,
                                        json().andThen(builder -> builder.setDeletable(false)),
                                        rows("json", null, true))
                                .write()
                                .enableDelete())
                .isFalse();
        assertThat(config(OPTIONS, builder -> {}, rows("csv", "\\t", true)).declared()).isPresent();
    }

    @Test
    void aSerializerThatSpeaksAnotherFormatIsRefused() {
        assertRefused(
                () -> config(OPTIONS, builder -> {}, rows("json", null, false)),
                "The RowDataSerializer has type 'json', but the Stream Load parameter 'format' is"
                        + " 'csv'. Give both of them the same value.");
        assertRefused(
                () -> config(OPTIONS, builder -> {}, rows("csv", ",", false)),
                "The RowDataSerializer has another field delimiter than the Stream Load parameter"
                        + " 'column_separator', which is '\t'. Give both of them the same value.");
    }

    @Test
    void rowsOfFlinkNeedATable() {
        assertRefused(
                () ->
                        config(
                                new DorisOptions("fe:8030", "u", "p", ""),
                                json(),
                                rows("json", null, false)),
                "Invalid value '' for option 'table.identifier': allowed are 'database.table' and,"
                        + " for snapshot reads, 'catalog.database.table', parts quoted with"
                        + " backticks where they hold dots or blanks. Name the table with its"
                        + " database.");
    }

    @Test
    void theRulesOfTablesHold() {
        SimpleStringSerializer strings = new SimpleStringSerializer();
        assertRefused(
                () -> config(OPTIONS, DorisExecutionOptions.Builder::enable2PC, strings),
                "Invalid value 'true' for option 'sink.enable-2pc': an explicit two-phase commit"
                        + " needs option 'sink.label-prefix'. Set 'sink.label-prefix' to a text"
                        + " that no other job uses.");
        assertRefused(
                () -> config(OPTIONS, builder -> builder.setWriteMode(WriteMode.COPY), strings),
                "Invalid value 'COPY' for option 'sink.write-mode': 'COPY' belongs to one vendor's"
                        + " cloud service; allowed are 'STREAM_LOAD' and 'STREAM_LOAD_BATCH'; 'TVF'"
                        + " is not supported yet. Leave the option out.");
        assertRefused(
                () -> config(OPTIONS, builder -> builder.setBufferCount(1), strings),
                "Invalid value '1' for option 'sink.buffer-count': allowed is a whole number of 2"
                        + " or more.");
        DorisOptions tls =
                DorisOptions.builder()
                        .setFenodes("fe:8030")
                        .setTlsOptions(DorisTlsOptions.builder().setEnabled(true).build())
                        .build();
        assertRefused(
                () -> config(tls, builder -> {}, strings),
                "TLS is not supported yet: option 'doris.enable.tls' has the value 'true'. Leave"
                        + " the option out and use the plain ports of the cluster in a trusted"
                        + " network.");
    }

    @Test
    void whatIsMissingIsSaid() {
        DorisSinkBuilder<String> builder = new DorisSinkBuilder<>();
        assertThatThrownBy(builder::config).hasMessageContaining("DorisOptions");
        builder.setOptions(OPTIONS);
        assertThatThrownBy(builder::config).hasMessageContaining("DorisExecutionOptions");
        builder.setExecutionOptions(DorisExecutionOptions.defaults());
        assertThatThrownBy(builder::config).hasMessageContaining("serializer");
    }

    @Test
    void rowsOfValuesAreTakenColumnByColumnToo() {
        RowSerializer serializer =
                RowSerializer.builder()
                        .setFieldNames(new String[] {"id", "name"})
                        .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                        .setType("json")
                        .build();
        SinkConfig config = config(OPTIONS, json(), serializer);
        assertThat(config.declared())
                .isEqualTo(config(OPTIONS, json(), rows("json", null, false)).declared());
        assertThat(config.write().enableDelete()).isFalse();
        assertRefused(
                () -> config(OPTIONS, builder -> {}, serializer),
                "The RowSerializer has type 'json', but the Stream Load parameter 'format' is"
                        + " 'csv'. Give both of them the same value.");
    }

    @Test
    void objectStorageIsKnownAndRefusedUntilItIsBuilt() {
        S3TvfOptions storage =
                S3TvfOptions.builder()
                        .setEndpoint("s3.example.com")
                        .setRegion("eu")
                        .setBucket("b")
                        .setPrefix("staged")
                        .setAccessKey("ak")
                        .setSecretKey("geheim")
                        .build();
        DorisOptions options =
                DorisOptions.builder()
                        .setFenodes("fe:8030")
                        .setTableIdentifier("test.t")
                        .setJdbcUrl("jdbc:mysql://fe:9030")
                        .build();
        Consumer<DorisExecutionOptions.Builder> tvf =
                json().andThen(builder -> builder.setWriteMode(WriteMode.TVF).setLabelPrefix("p"));
        SimpleStringSerializer strings = new SimpleStringSerializer();
        assertRefused(
                () -> config(options, tvf, strings),
                "Option 'sink.write-mode' = 'TVF' needs option 'sink.s3.endpoint': set it.");
        assertRefused(
                () -> config(options, tvf.andThen(set -> set.setS3TvfOptions(storage)), strings),
                "Writing through object storage is not supported yet: option 'sink.write-mode' has"
                        + " the value 'TVF'. Use 'STREAM_LOAD', the default.");
        assertThat(config(options, json().andThen(set -> set.setS3TvfOptions(storage)), strings))
                .as("without effect, which a warning says")
                .isNotNull();
    }

    @Test
    void theBatchSinkIsTheSinkInBatchMode() {
        SimpleStringSerializer strings = new SimpleStringSerializer();
        for (DorisExecutionOptions.Builder given :
                new DorisExecutionOptions.Builder[] {
                    DorisExecutionOptions.builderDefaults(),
                    DorisExecutionOptions.builderDefaults().setBatchMode(true),
                    DorisExecutionOptions.builderDefaults()
                            .setWriteMode(WriteMode.STREAM_LOAD_BATCH)
                }) {
            DorisSinkBuilder<String> builder = new DorisSinkBuilder<>();
            builder.setOptions(OPTIONS);
            builder.setExecutionOptions(given.build());
            builder.setSerializer(strings);
            builder.setMode(WriteMode.STREAM_LOAD_BATCH);
            assertThat(builder.config().write().batch()).isTrue();
            assertThat(batchSink(given.build(), strings)).isNotNull();
        }
        DorisExecutionOptions copy =
                DorisExecutionOptions.builderDefaults().setWriteMode(WriteMode.COPY).build();
        assertRefused(
                () -> batchSink(copy, strings),
                "This sink writes in mode STREAM_LOAD_BATCH, but its DorisExecutionOptions say"
                        + " COPY. Leave the mode out, or use DorisSink.");
    }

    @SuppressWarnings("deprecation")
    private static DorisSink<String> batchSink(
            DorisExecutionOptions execution, DorisRecordSerializer<String> serializer) {
        return org.apache.doris.flink.sink.batch.DorisBatchSink.<String>builder()
                .setDorisOptions(OPTIONS)
                .setDorisReadOptions(DorisReadOptions.defaults())
                .setDorisExecutionOptions(execution)
                .setSerializer(serializer)
                .build();
    }

    private static Consumer<DorisExecutionOptions.Builder> json(String... more) {
        Properties properties = DorisExecutionOptions.defaultsProperties();
        for (int i = 0; i < more.length; i += 2) {
            properties.setProperty(more[i], more[i + 1]);
        }
        return builder -> builder.setStreamLoadProp(properties);
    }

    private static RowDataSerializer rows(String type, String delimiter, boolean deletes) {
        return RowDataSerializer.builder()
                .setFieldNames(new String[] {"id", "name"})
                .setFieldType(new DataType[] {DataTypes.INT(), DataTypes.STRING()})
                .setType(type)
                .setFieldDelimiter(delimiter)
                .enableDelete(deletes)
                .build();
    }

    private static <T> SinkConfig config(
            DorisOptions options,
            Consumer<DorisExecutionOptions.Builder> change,
            DorisRecordSerializer<T> serializer) {
        DorisExecutionOptions.Builder execution = DorisExecutionOptions.builder();
        change.accept(execution);
        DorisSinkBuilder<T> builder = new DorisSinkBuilder<>();
        builder.setOptions(options);
        builder.setReadOptions(null);
        builder.setExecutionOptions(execution.build());
        builder.setSerializer(serializer);
        return builder.config();
    }

    private static void assertRefused(Runnable action, String message) {
        assertThatThrownBy(action::run).isInstanceOf(ValidationException.class).hasMessage(message);
    }

    @Test
    void recordsOfDebeziumAreLoadedAsStrictJson() {
        JsonDebeziumSchemaSerializer records = JsonDebeziumSchemaSerializer.builder().build();
        assertThat(config(OPTIONS, json(), records).write().properties())
                .containsEntry("strict_mode", "true")
                .containsEntry("read_json_by_line", "true");
        assertThat(config(OPTIONS, json("strict_mode", "false"), records).write().properties())
                .containsEntry("strict_mode", "false");
        assertThat(
                        config(OPTIONS, json("partial_columns", "true", "columns", "id"), records)
                                .write()
                                .properties())
                .as("strict partial updates write no new rows")
                .doesNotContainKey("strict_mode");
        assertThatThrownBy(() -> config(OPTIONS, execution -> {}, records))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("JsonDebeziumSchemaSerializer")
                .hasMessageContaining("'csv'")
                .hasMessageContaining("builderDefaults()");
        assertThatThrownBy(() -> config(OPTIONS, json("merge_type", "DELETE"), records))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'merge_type'");
    }
}
