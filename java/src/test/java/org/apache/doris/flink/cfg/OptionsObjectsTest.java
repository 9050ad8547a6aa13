package org.apache.doris.flink.cfg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.DorisOption;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The options objects of DataStream jobs: defaults, copies, equality. */
class OptionsObjectsTest {

    @Test
    void executionDefaultsAreThoseOfTables() {
        DorisExecutionOptions options = DorisExecutionOptions.builder().build();
        assertThat(options.checkInterval()).isZero();
        assertThat(options.getMaxRetries()).isEqualTo(3);
        assertThat(options.getBufferSize()).isEqualTo(1 << 20);
        assertThat(options.getBufferCount()).isEqualTo(3);
        assertThat(options.getLabelPrefix()).isEmpty();
        assertThat(options.isUseCache()).isFalse();
        assertThat(options.getDeletable()).isTrue();
        assertThat(options.enabled2PC()).isTrue();
        assertThat(options.force2PC()).isFalse();
        assertThat(options.getFlushQueueSize()).isEqualTo(2);
        assertThat(options.getBufferFlushMaxRows()).isEqualTo(500000);
        assertThat(options.getBufferFlushMaxBytes()).isEqualTo(100 << 20);
        assertThat(options.getBufferFlushIntervalMs()).isEqualTo(10000);
        assertThat(options.enableBatchMode()).isFalse();
        assertThat(options.getIgnoreUpdateBefore()).isTrue();
        assertThat(options.getWriteMode()).isEqualTo(WriteMode.STREAM_LOAD);
        assertThat(options.ignoreCommitError()).isFalse();
        assertThat(options.getStreamLoadProp()).containsExactly(entry("compress_type", "gz"));
    }

    private static Map.Entry<Object, Object> entry(String key, String value) {
        return Map.entry(key, value);
    }

    @Test
    void rowsOfTheDefaultsAreJsonByLine() {
        Properties json = DorisExecutionOptions.defaultsProperties();
        assertThat(json).containsOnly(entry("format", "json"), entry("read_json_by_line", "true"));
        assertThat(DorisExecutionOptions.defaults().getStreamLoadProp())
                .containsAllEntriesOf(json)
                .containsEntry("compress_type", "gz");
        assertThat(DorisExecutionOptions.builderDefaults().build())
                .isEqualTo(DorisExecutionOptions.defaults())
                .hasSameHashCodeAs(DorisExecutionOptions.defaults());
    }

    @Test
    void propertiesOfTheUserAreCompletedInACopy() {
        Properties given = new Properties();
        given.setProperty("format", "json");
        DorisExecutionOptions options =
                DorisExecutionOptions.builder().setStreamLoadProp(given).build();
        assertThat(given).hasSize(1);
        assertThat(options.getStreamLoadProp())
                .containsEntry("read_json_by_line", "true")
                .containsEntry("compress_type", "gz");
        given.setProperty("format", "csv");
        assertThat(options.getStreamLoadProp()).containsEntry("format", "json");

        Properties plain = new Properties();
        plain.setProperty("compress_type", "");
        assertThat(
                        DorisExecutionOptions.builder()
                                .setStreamLoadProp(plain)
                                .build()
                                .getStreamLoadProp())
                .containsOnly(entry("compress_type", ""));
    }

    @Test
    void aTwoPhaseCommitThatWasAskedForIsKnown() {
        assertThat(DorisExecutionOptions.builder().enable2PC().build().force2PC()).isTrue();
        DorisExecutionOptions off = DorisExecutionOptions.builder().disable2PC().build();
        assertThat(off.enabled2PC()).isFalse();
        assertThat(off.force2PC()).isFalse();
        off.setEnable2PC(true);
        assertThat(off.enabled2PC()).isTrue();
    }

    @Test
    void readDefaultsAreThoseOfTables() {
        DorisReadOptions options = DorisReadOptions.defaults();
        assertThat(options.getRequestTabletSize()).isNull();
        assertThat(options.getRequestConnectTimeoutMs()).isEqualTo(60000);
        assertThat(options.getRequestReadTimeoutMs()).isEqualTo(60000);
        assertThat(options.getRequestQueryTimeoutS()).isEqualTo(21600);
        assertThat(options.getRequestRetries()).isEqualTo(3);
        assertThat(options.getRequestBatchSize()).isEqualTo(4064);
        assertThat(options.getExecMemLimit()).isEqualTo(8192L << 20);
        assertThat(options.getDeserializeQueueSize()).isEqualTo(64);
        assertThat(options.getDeserializeArrowAsync()).isFalse();
        assertThat(options.getUseOldApi()).isFalse();
        assertThat(options.getUseFlightSql()).isTrue();
        assertThat(options.getFlightSqlPort()).isEqualTo(-1);
        assertThat(options.getRowLimit()).isNull();
        assertThat(options.getReadFields()).isNull();
        assertThat(options.getFilterQuery()).isNull();
        assertThat(options.getChangelogSlices()).isNull();
        assertThat(options.getChangelogMaxWindowMs()).isNull();
        assertThat(options.getChangelogOnExpired()).isNull();
        assertThat(options.getChangelogPollIntervalMs()).isEqualTo(10_000);
        assertThat(options.getScanMode()).isEqualTo(DorisSourceScanMode.SNAPSHOT);
    }

    /** Whoever sets a default means the same as who sets nothing. */
    @Test
    void aDefaultIsAsGoodAsNothing() {
        assertThat(
                        DorisReadOptions.builder()
                                .setRequestQueryTimeoutS(21600)
                                .setRequestBatchSize(4064)
                                .setScanMode(DorisSourceScanMode.SNAPSHOT)
                                .build())
                .isEqualTo(DorisReadOptions.defaults());
        DorisReadOptions read =
                DorisReadOptions.builder()
                        .setRequestQueryTimeoutS(7)
                        .setChangelogSlices("1")
                        .build();
        assertThat(read.getRequestQueryTimeoutS()).isEqualTo(7);
        assertThat(read.getChangelogSlices()).isEqualTo("1");
        assertThat(DorisExecutionOptions.builder().setBufferSize(1 << 20).build())
                .isEqualTo(DorisExecutionOptions.builder().build());
    }

    @Test
    void aCopyIsEqualAndApart() {
        DorisReadOptions options =
                DorisReadOptions.builder().setReadFields("a").setRequestRetries(1).build();
        DorisReadOptions copy = options.copy();
        assertThat(copy).isEqualTo(options).hasSameHashCodeAs(options);
        copy.setFilterQuery("a = 1");
        copy.setRowLimit(5L);
        assertThat(copy).isNotEqualTo(options);
        assertThat(options.getFilterQuery()).isNull();
    }

    @Test
    void connectionsAreBuiltInEveryWay() {
        DorisOptions options =
                DorisOptions.builder()
                        .setFenodes("fe:8030")
                        .setBenodes("be:8040")
                        .setTableIdentifier("a.b")
                        .setUsername("u")
                        .setPassword("geheim")
                        .setJdbcUrl("jdbc:mysql://fe:9030")
                        .setAutoRedirect(false)
                        .build();
        assertThat(options)
                .isEqualTo(
                        new DorisOptions(
                                "fe:8030",
                                "be:8040",
                                "u",
                                "geheim",
                                "a.b",
                                "jdbc:mysql://fe:9030",
                                false))
                .isNotEqualTo(new DorisOptions("fe:8030", "u", "geheim", "a.b"));
        assertThat(new DorisOptions("fe:8030", "u", "p", "a.b", "jdbc:x").isAutoRedirect())
                .isTrue();
        assertThat(options.toString()).doesNotContain("geheim");
        DorisConnectionOptions connection =
                new DorisConnectionOptions.DorisConnectionOptionsBuilder()
                        .withFenodes("fe:8030")
                        .withBenodes("be:8040")
                        .withUsername("u")
                        .withPassword("p")
                        .withJdbcUrl("jdbc:x")
                        .withAutoRedirect(false)
                        .build();
        assertThat(connection.getFenodes()).isEqualTo("fe:8030");
        assertThat(connection.getBenodes()).isEqualTo("be:8040");
        assertThat(connection.isAutoRedirect()).isFalse();
        assertThat(connection.getTlsOptions().isEnabled()).isFalse();
        assertThatThrownBy(() -> DorisOptions.builder().build())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("fenodes");
    }

    @Test
    void encryptionKnowsItsChannels() {
        DorisTlsOptions tls =
                DorisTlsOptions.builder()
                        .setEnabled(true)
                        .setExcludedProtocols("thrift, MySQL")
                        .build();
        assertThat(tls.isEnabledFor(DorisTlsOptions.Protocol.HTTP)).isTrue();
        assertThat(tls.isEnabledFor(DorisTlsOptions.Protocol.MYSQL)).isFalse();
        assertThat(DorisTlsOptions.disabled().isEnabledFor(DorisTlsOptions.Protocol.HTTP))
                .isFalse();
        assertThatThrownBy(() -> DorisTlsOptions.builder().setExcludedProtocols("http,"))
                .hasMessage(
                        "'' is not a protocol: allowed are 'http', 'mysql', 'thrift' and"
                                + " 'arrowflight'.");
    }

    @Test
    void allTravelWithTheJob() throws Exception {
        for (Object options :
                new Object[] {
                    new DorisOptions("fe:8030", "u", "p", "a.b"),
                    DorisReadOptions.defaults(),
                    DorisExecutionOptions.defaults(),
                    DorisTlsOptions.disabled(),
                    DorisLookupOptions.builder().setAsync(true).build(),
                    S3TvfOptions.builder().setBucket("b").build(),
                    DorisExecutionOptions.builder()
                            .setS3TvfOptions(S3TvfOptions.builder().setBucket("b").build())
                            .build()
                }) {
            assertThat((Object) InstantiationUtil.clone((Serializable) options)).isEqualTo(options);
        }
    }

    @Test
    void allValuesAtOnceAreThoseOfTheBuilder() {
        Properties properties = DorisExecutionOptions.defaultsProperties();
        DorisExecutionOptions built =
                DorisExecutionOptions.builder()
                        .setCheckInterval(1)
                        .setMaxRetries(2)
                        .setBufferSize(3)
                        .setBufferCount(4)
                        .setLabelPrefix("p")
                        .setUseCache(true)
                        .setStreamLoadProp(properties)
                        .setDeletable(false)
                        .enable2PC()
                        .setBatchMode(true)
                        .setFlushQueueSize(5)
                        .setBufferFlushMaxRows(6)
                        .setBufferFlushMaxBytes(7)
                        .setBufferFlushIntervalMs(8)
                        .setIgnoreUpdateBefore(false)
                        .setWriteMode(WriteMode.STREAM_LOAD_BATCH)
                        .setIgnoreCommitError(true)
                        .build();
        assertThat(
                        new DorisExecutionOptions(
                                1,
                                2,
                                3,
                                4,
                                "p",
                                true,
                                properties,
                                false,
                                true,
                                true,
                                5,
                                6,
                                7,
                                8,
                                false,
                                true,
                                WriteMode.STREAM_LOAD_BATCH,
                                true))
                .isEqualTo(built);
        DorisExecutionOptions utf8 =
                new DorisExecutionOptions(
                        0, 3, 1 << 20, 3, "", false, true, null, true, null, false, 2, 500000,
                        100 << 20, 10000, true, false, null, false);
        assertThat(utf8.isHttpUtf8Charset()).isTrue();
        assertThat(utf8.enabled2PC()).isNull();
        assertThat(utf8.getWriteMode()).isEqualTo(WriteMode.STREAM_LOAD);
    }

    @Test
    void lookupDefaultsAreThoseOfTables() {
        DorisLookupOptions options = DorisLookupOptions.builder().build();
        assertThat(options)
                .isEqualTo(new DorisLookupOptions(-1, 10_000, 1, 128, 256, 3, false))
                .hasSameHashCodeAs(options);
        DorisLookupOptions set = new DorisLookupOptions(1, 2, 3, 4, 5, 6, true);
        assertThat(set.getCacheMaxSize()).isEqualTo(1);
        assertThat(set.getCacheExpireMs()).isEqualTo(2);
        assertThat(set.getMaxRetryTimes()).isEqualTo(3);
        assertThat(set.getJdbcReadBatchSize()).isEqualTo(4);
        assertThat(set.getJdbcReadBatchQueueSize()).isEqualTo(5);
        assertThat(set.getJdbcReadThreadSize()).isEqualTo(6);
        assertThat(set.isAsync()).isTrue();
    }

    @Test
    void objectStorageIsATablesOptions() {
        S3TvfOptions storage =
                S3TvfOptions.builder()
                        .setEndpoint("e")
                        .setRegion("r")
                        .setBucket("b")
                        .setPrefix("p")
                        .setAccessKey("a")
                        .setSecretKey("geheim")
                        .setPathStyleAccess(true)
                        .build();
        Map<String, String> map =
                ObjectOptions.ofSink(
                        new DorisOptions("fe:8030", "u", "p", "a.b"),
                        DorisReadOptions.defaults(),
                        DorisExecutionOptions.builder().setS3TvfOptions(storage).build());
        assertThat(map)
                .containsEntry("sink.s3.endpoint", "e")
                .containsEntry("sink.s3.region", "r")
                .containsEntry("sink.s3.bucket", "b")
                .containsEntry("sink.s3.prefix", "p")
                .containsEntry("sink.s3.access-key", "a")
                .containsEntry("sink.s3.secret-key", "geheim")
                .containsEntry("sink.s3.path-style-access", "true");
        assertThat(storage.getEndpoint() + storage.getRegion() + storage.getBucket())
                .isEqualTo("erb");
        assertThat(storage.getPrefix() + storage.getAccessKey() + storage.getSecretKey())
                .isEqualTo("pageheim");
        assertThat(storage.isPathStyleAccess()).isTrue();
        assertThat(storage.toString()).doesNotContain("geheim");
        assertThat(S3TvfOptions.builder().build().getSecretKey()).isNull();
    }

    @Test
    void propertiesBecomeOptions() {
        Properties properties = new Properties();
        properties.setProperty(ConfigurationOptions.DORIS_FENODES, "fe:8030");
        properties.setProperty(ConfigurationOptions.DORIS_USER, "u");
        properties.setProperty(ConfigurationOptions.DORIS_PASSWORD, "p");
        properties.setProperty(ConfigurationOptions.TABLE_IDENTIFIER, "a.b");
        assertThat(new DorisStreamOptions(properties).getOptions())
                .isEqualTo(new DorisOptions("fe:8030", "u", "p", "a.b"));
        assertThat(new DorisStreamOptions(properties).getReadOptions())
                .isEqualTo(DorisReadOptions.defaults());
        properties.setProperty(ConfigurationOptions.DORIS_READ_FIELD, "id");
        properties.setProperty(ConfigurationOptions.DORIS_FILTER_QUERY, "id = 1");
        properties.setProperty(ConfigurationOptions.DORIS_REQUEST_RETRIES, "1");
        properties.setProperty(ConfigurationOptions.DORIS_REQUEST_CONNECT_TIMEOUT_MS, "2");
        properties.setProperty(ConfigurationOptions.DORIS_REQUEST_READ_TIMEOUT_MS, "3");
        properties.setProperty(ConfigurationOptions.DORIS_REQUEST_QUERY_TIMEOUT_S, "4");
        properties.setProperty(ConfigurationOptions.DORIS_TABLET_SIZE, "5");
        properties.setProperty(ConfigurationOptions.DORIS_BATCH_SIZE, " 6 ");
        properties.setProperty(ConfigurationOptions.DORIS_EXEC_MEM_LIMIT, "7");
        properties.setProperty(ConfigurationOptions.DORIS_DESERIALIZE_ARROW_ASYNC, "TRUE");
        properties.setProperty(ConfigurationOptions.DORIS_DESERIALIZE_QUEUE_SIZE, "8");
        properties.setProperty(ConfigurationOptions.USE_FLIGHT_SQL, "false");
        properties.setProperty(ConfigurationOptions.FLIGHT_SQL_PORT, "9");
        properties.setProperty(ConfigurationOptions.DORIS_ENABLE_TLS, "true");
        properties.setProperty(ConfigurationOptions.DORIS_TLS_EXCLUDED_PROTOCOLS, "arrowflight");
        DorisStreamOptions all = new DorisStreamOptions(properties);
        assertThat(all.getReadOptions())
                .isEqualTo(
                        DorisReadOptions.builder()
                                .setReadFields("id")
                                .setFilterQuery("id = 1")
                                .setRequestRetries(1)
                                .setRequestConnectTimeoutMs(2)
                                .setRequestReadTimeoutMs(3)
                                .setRequestQueryTimeoutS(4)
                                .setRequestTabletSize(5)
                                .setRequestBatchSize(6)
                                .setExecMemLimit(7L)
                                .setDeserializeArrowAsync(true)
                                .setDeserializeQueueSize(8)
                                .setUseFlightSql(false)
                                .setFlightSqlPort(9)
                                .build());
        assertThat(all.getOptions().getTlsOptions().isEnabled()).isTrue();
        assertThat(all.getOptions().getTlsOptions().getExcludedProtocols())
                .containsExactly(DorisTlsOptions.Protocol.ARROW_FLIGHT);
        properties.setProperty(ConfigurationOptions.DORIS_BATCH_SIZE, "6k");
        assertThatThrownBy(() -> new DorisStreamOptions(properties))
                .hasMessage(
                        "Invalid value '6k' for property 'doris.batch.size': allowed is a whole"
                                + " number without a unit.");
        properties.setProperty(ConfigurationOptions.DORIS_ENABLE_TLS, "yes");
        assertThatThrownBy(() -> new DorisStreamOptions(properties))
                .hasMessage(
                        "Invalid value 'yes' for property 'doris.enable.tls': allowed are 'true'"
                                + " and 'false'.");
    }

    /** The constants that jobs refer to, against the options themselves. */
    @Test
    void constantsAreKeysAndDefaultsOfOptions() throws Exception {
        Map<String, DorisOption<?>> options =
                DorisConfigOptions.all().stream()
                        .collect(Collectors.toMap(DorisOption::key, option -> option));
        Map<String, String> keys = new TreeMap<>();
        for (Field field : ConfigurationOptions.class.getFields()) {
            if (field.getType() == String.class && !field.getName().endsWith("_STR")) {
                keys.put(field.getName(), (String) field.get(null));
            }
        }
        keys.remove("DORIS_DEFAULT_CLUSTER");
        assertThat(options).containsKeys(keys.values().toArray(new String[0]));
        for (Field field : ConfigurationOptions.class.getFields()) {
            String key = keys.get(field.getName().replaceFirst("_DEFAULT(_STR)?$", ""));
            if (field.getName().contains("_DEFAULT") && key != null && !key.contains("tablet")) {
                String value = String.valueOf(field.get(null));
                assertThat(
                                options.get(key)
                                        .isDefault(
                                                field.getName().contains("_S_")
                                                        ? value + " s"
                                                        : value))
                        .as(field.getName())
                        .isTrue();
            }
        }
    }

    /** USE-1: what a table can set, a builder can. */
    @Test
    void use1EveryOptionHasASetter() throws ReflectiveOperationException {
        Set<String> without = new TreeSet<>();
        DorisConfigOptions.all().forEach(option -> without.add(option.key()));
        // An option that is on by default is seen when it is off.
        for (boolean flag : new boolean[] {true, false}) {
            DorisOptions.Builder options = DorisOptions.builder();
            DorisReadOptions.Builder read = DorisReadOptions.builder();
            DorisExecutionOptions.Builder execution = DorisExecutionOptions.builder();
            for (Object builder : List.of(options, read, execution)) {
                for (Method setter : builder.getClass().getMethods()) {
                    if (setter.getName().startsWith("set") && setter.getParameterCount() == 1) {
                        setter.invoke(builder, sample(setter.getParameterTypes()[0], flag));
                    }
                }
            }
            execution.enable2PC();
            without.removeAll(ObjectOptions.ofSource(options.build(), read.build()).keySet());
            without.removeAll(
                    ObjectOptions.ofSink(options.build(), read.build(), execution.build())
                            .keySet());
        }
        // Not built yet.
        without.removeIf(key -> key.startsWith("lookup.") || key.startsWith("sink.s3."));
        assertThat(without)
                .containsExactlyInAnyOrder(
                        // setReadFields(), by which a source chooses before it has options.
                        "doris.read.field",
                        // setParallelism() of Flink.
                        "scan.parallelism",
                        "sink.parallelism",
                        // Rows of a DataStream have the kind that the record says.
                        "source.changelog.changelog-mode");
    }

    /** A value that is no option's default. */
    private static Object sample(Class<?> type, boolean flag) {
        if (type == String.class) {
            return "x";
        }
        if (type == Boolean.class || type == boolean.class) {
            return flag;
        }
        if (type == Long.class || type == long.class) {
            return 12345L;
        }
        if (type == Integer.class || type == int.class) {
            return 12345;
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[type.getEnumConstants().length - 1];
        }
        if (type == Properties.class) {
            return new Properties();
        }
        if (type == DorisTlsOptions.class) {
            return DorisTlsOptions.builder()
                    .setEnabled(true)
                    .setCaCertificatePath("x")
                    .setSkipHostnameVerification(true)
                    .setExcludedProtocols("thrift")
                    .build();
        }
        if (type == S3TvfOptions.class) {
            return S3TvfOptions.builder()
                    .setEndpoint("x")
                    .setRegion("x")
                    .setBucket("x")
                    .setPrefix("x")
                    .setAccessKey("x")
                    .setSecretKey("x")
                    .setPathStyleAccess(true)
                    .build();
        }
        throw new AssertionError(type);
    }
}
