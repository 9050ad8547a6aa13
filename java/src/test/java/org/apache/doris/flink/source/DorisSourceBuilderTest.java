package org.apache.doris.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.deserialization.RowDataDeserializationSchema;
import org.apache.doris.flink.deserialization.SimpleListDeserializationSchema;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** From the options objects of a DataStream job to a source. */
class DorisSourceBuilderTest {

    private static final RowType ROWS =
            (RowType)
                    DataTypes.ROW(
                                    DataTypes.FIELD("id", DataTypes.INT().notNull()),
                                    DataTypes.FIELD("name", DataTypes.STRING()))
                            .getLogicalType();

    @Test
    void optionsObjectsStayAsTheyWereHandedIn() throws Exception {
        DorisOptions options = options().build();
        DorisReadOptions read =
                DorisReadOptions.builder()
                        .setReadFields("id, name")
                        .setFilterQuery("id = 1")
                        .setRequestTabletSize(0)
                        .build();
        DorisOptions optionsBefore = InstantiationUtil.clone(options);
        DorisReadOptions readBefore = read.copy();
        DorisSource.<List<?>>builder()
                .setDorisOptions(options)
                .setDorisReadOptions(read)
                .setDeserializer(new SimpleListDeserializationSchema())
                .build();
        assertThat(options).isEqualTo(optionsBefore);
        assertThat(read).isEqualTo(readBefore);
        assertThat(read.getReadFields()).isEqualTo("id, name");
    }

    @Test
    void theDefaultsReadTheContentAndEnd() throws Exception {
        DorisSource<List<?>> source =
                DorisSource.<List<?>>builder()
                        .setDorisOptions(options().build())
                        .setDeserializer(new SimpleListDeserializationSchema())
                        .build();
        assertThat(source.getBoundedness()).isEqualTo(Boundedness.BOUNDED);
        assertThat(source.getProducedType().getTypeClass()).isEqualTo(List.class);
        ScanConfig scan = InstantiationUtil.clone(source).scan();
        assertThat(scan.undeclared()).contains(List.of());
        assertThat(scan.columns()).isEmpty();
        assertThat(scan.limit()).isEqualTo(ScanConfig.NO_LIMIT);
        assertThat(scan.metadata()).isEmpty();
        ReadConfig read = scan.read();
        assertThat(read.sent()).containsEntry("doris.request.query.timeout", "21600000");
        assertThat(read.tabletSize()).isEqualTo(ReadConfig.AUTOMATIC);
        assertThat(read.sent()).containsEntry("doris.batch.size", "4064");
        assertThat(read.sent()).containsEntry("doris.exec.mem.limit", "8589934592");
        assertThat(read.sent()).containsEntry("doris.deserialize.queue.size", "64");
        assertThat(read.sent()).containsEntry("source.flight-sql-port", "-1");
        assertThat(scan.changelog().scanMode()).isEqualTo(ScanMode.SNAPSHOT);
        assertThat(scan.changelog().checkpointInterval()).isEmpty();
    }

    @Test
    void everyOptionArrives() {
        DorisReadOptions read =
                DorisReadOptions.builder()
                        .setReadFields(" id , `a,``b` ")
                        .setFilterQuery("id > 1")
                        .setRequestTabletSize(3)
                        .setRequestConnectTimeoutMs(1000)
                        .setRequestReadTimeoutMs(2000)
                        .setRequestQueryTimeoutS(60)
                        .setRequestRetries(7)
                        .setRequestBatchSize(100)
                        .setExecMemLimit(1L << 30)
                        .setDeserializeQueueSize(5)
                        .setFlightSqlPort(9611)
                        .setScanMode(DorisSourceScanMode.FROM_TIMESTAMP)
                        .setScanTimestamp("2026-10-09 10:00:00")
                        .setChangelogIncrementType(DorisChangelogIncrementType.APPEND_ONLY)
                        .setChangelogPollIntervalMs(1500L)
                        .setChangelogVisibleWaitTimeoutMs(0L)
                        .setChangelogOffsetTable("ops.offsets")
                        .setChangelogConsumerId("me")
                        .setChangelogSlices("4")
                        .setChangelogMaxWindowMs(30_000L)
                        .setChangelogOnExpired("fail")
                        .build();
        DorisOptions options = options().setJdbcUrl("jdbc:mysql://fe1:9030").build();
        DorisReadOptions given = read.copy();
        ScanConfig scan = simple(options, read).scan();
        assertThat(read).as("what was passed in").isEqualTo(given);
        assertThat(scan.undeclared()).contains(List.of("id", "a,`b"));
        assertThat(scan.read().sent()).containsEntry("doris.filter.query", "id > 1");
        assertThat(scan.read().tabletSize()).isEqualTo(3);
        assertThat(scan.read().sent()).containsEntry("doris.request.query.timeout", "60000");
        assertThat(scan.read().sent()).containsEntry("doris.batch.size", "100");
        assertThat(scan.read().sent()).containsEntry("doris.exec.mem.limit", "1073741824");
        assertThat(scan.read().sent()).containsEntry("doris.deserialize.queue.size", "5");
        assertThat(scan.read().sent()).containsEntry("source.flight-sql-port", "9611");
        assertThat(scan.connection().sent()).containsEntry("doris.request.connect.timeout", "1000");
        assertThat(scan.connection().sent()).containsEntry("doris.request.read.timeout", "2000");
        assertThat(scan.connection().sent()).containsEntry("doris.request.retries", "7");
        ChangelogConfig changelog = scan.changelog();
        assertThat(changelog.scanMode()).isEqualTo(ScanMode.FROM_TIMESTAMP);
        assertThat(changelog.scanTimestamp()).contains("2026-10-09 10:00:00");
        assertThat(changelog.incrementType()).isEqualTo(IncrementType.APPEND_ONLY);
        assertThat(changelog.pollInterval()).isEqualTo(Duration.ofMillis(1500));
        assertThat(changelog.visibleWaitTimeout()).isZero();
        assertThat(changelog.offsetTable()).asString().contains("ops.offsets");
        assertThat(changelog.consumerId()).contains("me");
        assertThat(changelog.jdbcUrl()).contains("jdbc:mysql://fe1:9030");
        assertThat(changelog.slices()).isEqualTo(SliceScheme.hash(4));
        assertThat(changelog.maxWindow()).contains(Duration.ofSeconds(30));
        assertThat(changelog.onExpired()).asString().isEqualTo("FAIL");
        assertThat(changelog.checkpointInterval()).as("not known here").isEmpty();
    }

    @Test
    void boundednessIsToldOfASnapshotOnly() {
        DorisReadOptions latest =
                DorisReadOptions.builder().setScanMode(DorisSourceScanMode.LATEST).build();
        for (Boundedness boundedness : Boundedness.values()) {
            assertThat(source(latest, boundedness).getBoundedness())
                    .isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
            assertThat(source(DorisReadOptions.defaults(), boundedness).getBoundedness())
                    .isEqualTo(boundedness);
        }
        assertThat(source(latest, null).getBoundedness())
                .isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
    }

    @Test
    void rowsAreReadByTheirType() {
        DorisSource<RowData> source = rows(DorisReadOptions.defaults());
        assertThat(source.getProducedType()).isEqualTo(InternalTypeInfo.of(ROWS));
        assertThat(source.scan().undeclared()).isEmpty();
        assertThat(source.scan().columns())
                .asString()
                .isEqualTo("[`id` INT NOT NULL, `name` STRING]");
        // The names of the fields are the user's, the columns those of the options.
        ScanConfig renamed =
                rows(DorisReadOptions.builder().setReadFields("c1, c2").build()).scan();
        assertThat(renamed.columns()).asString().isEqualTo("[`c1` INT NOT NULL, `c2` STRING]");
        assertThat(renamed.declared().getFieldNames()).containsExactly("c1", "c2");
    }

    @Test
    void theRulesOfTablesHold() {
        refused(
                DorisReadOptions.builder().setScanMode(DorisSourceScanMode.FROM_TIMESTAMP),
                "'source.scan.timestamp'");
        refused(
                DorisReadOptions.builder().setScanTimestamp("2026-10-09 10:00:00"),
                "'source.scan.timestamp'",
                "'snapshot'");
        refused(
                DorisReadOptions.builder()
                        .setScanMode(DorisSourceScanMode.LATEST)
                        .setFilterQuery("a = 1"),
                "'doris.filter.query'",
                "append_only");
        refused(
                DorisReadOptions.builder()
                        .setScanMode(DorisSourceScanMode.INITIAL)
                        .setUseFlightSql(false),
                "'source.use-flight-sql'");
        refused(
                DorisReadOptions.builder()
                        .setScanMode(DorisSourceScanMode.LATEST)
                        .setBinlogConsumerId("me"),
                "'source.changelog.offset-table'");
        refused(
                DorisReadOptions.builder()
                        .setScanMode(DorisSourceScanMode.LATEST)
                        .setBinlogPollIntervalMs(10L),
                "'source.changelog.poll-interval'",
                "1s or more");
        refused(DorisReadOptions.builder().setReadFields("a,,b"), "'a,,b'");
        refused(DorisReadOptions.builder().setReadFields("`a"), "'`a'");
        assertThatThrownBy(() -> rows(DorisReadOptions.builder().setReadFields("a").build()))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("1 columns (a)")
                .hasMessageContaining("has 2 (id, name)");
        assertThatThrownBy(() -> simple(DorisOptions.builder().setFenodes("h:1").build(), null))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("setTableIdentifier");
        assertThatThrownBy(() -> DorisSource.builder().build())
                .hasMessageContaining("DorisOptions of the Doris source");
        assertThatThrownBy(() -> DorisSource.builder().setDorisOptions(options().build()).build())
                .hasMessageContaining("deserializer");
    }

    /** A subclass may do more than its parent, so it gets values. */
    @Test
    void onlyTheSchemaOfRowsItselfIsPassedOver() {
        DorisDeserializationSchema<RowData> subclass = new RowDataDeserializationSchema(ROWS) {};
        assertThat(StreamRows.output(subclass).emitter(ROWS)).isInstanceOf(SchemaEmitter.class);
        assertThat(StreamRows.output(new RowDataDeserializationSchema(ROWS)).emitter(ROWS))
                .isNotInstanceOf(SchemaEmitter.class);
    }

    private static void refused(DorisReadOptions.Builder read, String... words) {
        assertThatThrownBy(() -> simple(options().build(), read.build()))
                .isInstanceOf(ValidationException.class)
                .hasMessageContainingAll(words);
    }

    private static DorisSource<List<?>> simple(DorisOptions options, DorisReadOptions read) {
        return DorisSource.<List<?>>builder()
                .setDorisOptions(options)
                .setDorisReadOptions(read)
                .setDeserializer(new SimpleListDeserializationSchema())
                .build();
    }

    private static DorisSource<List<?>> source(DorisReadOptions read, Boundedness boundedness) {
        return DorisSource.<List<?>>builder()
                .setDorisOptions(options().build())
                .setDorisReadOptions(read)
                .setBoundedness(boundedness)
                .setDeserializer(new SimpleListDeserializationSchema())
                .build();
    }

    private static DorisSource<RowData> rows(DorisReadOptions read) {
        return DorisSource.<RowData>builder()
                .setDorisOptions(options().build())
                .setDorisReadOptions(read)
                .setDeserializer(new RowDataDeserializationSchema(ROWS))
                .build();
    }

    private static DorisOptions.Builder options() {
        return DorisOptions.builder()
                .setFenodes("fe1:8030")
                .setTableIdentifier("test.student")
                .setUsername("u")
                .setPassword("p");
    }
}
