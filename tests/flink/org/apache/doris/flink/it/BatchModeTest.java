package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.batch.RecordWithMeta;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Jobs that write in batch mode, by SQL and as DataStream jobs, with and without checkpoints. */
@Timeout(180)
class BatchModeTest {

    private static final Duration CANCEL_BOUND = Duration.ofSeconds(10);
    private static final String COLUMNS = "id BIGINT, name STRING";

    /** Rows at which a job fails, each once. */
    private static final Set<Long> MINES = ConcurrentHashMap.newKeySet();

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension static final Standin DORIS = Standin.with("--backends", "2");

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TargetTable table;
    private int logged;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        MINES.clear();
        // Keeps every copy of a row.
        table = TargetTable.duplicate(DORIS, COLUMNS);
        logged = LOG.lines().size();
    }

    @AfterAll
    static void nothingIsLeft() throws Exception {
        NothingLeft.check(DORIS);
    }

    private DorisTable declared() {
        return table.declared().columns(COLUMNS).with("sink.enable.batch-mode", "true");
    }

    private List<String> linesOf(String level) {
        List<String> lines = LOG.lines();
        List<String> found = new ArrayList<>(lines.subList(logged, lines.size()));
        found.removeIf(line -> !line.startsWith(level));
        return found;
    }

    private List<String> connectorErrors() {
        List<String> errors = linesOf("ERROR");
        errors.removeIf(line -> !line.contains("org.apache.doris.flink"));
        return errors;
    }

    private void everyRowIsThereOnce(long rows) {
        assertThat(DORIS.sql("SELECT COUNT(*), COUNT(DISTINCT id) FROM " + table.identifier()))
                .containsExactly(List.of(String.valueOf(rows), String.valueOf(rows)));
    }

    /** Numbers from 1 on, one for each millisecond and more. */
    private static StreamTableEnvironment numbers(long rows, String... settings) {
        StreamTableEnvironment sql = FLINK.streaming(settings);
        numbers(sql, rows);
        return sql;
    }

    private static void numbers(StreamTableEnvironment sql, long rows) {
        sql.executeSql(
                String.format(
                        "CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',"
                                + " 'rows-per-second' = '1500', 'fields.id.kind' = 'sequence',"
                                + " 'fields.id.start' = '1', 'fields.id.end' = '%d')",
                        rows));
    }

    private static JobClient insert(TableEnvironment sql, String rows) {
        return sql.executeSql("INSERT INTO t " + rows).getJobClient().orElseThrow();
    }

    @Test
    void aBoundedJobEndsWithAllRowsVisible() throws Exception {
        TableEnvironment sql = FLINK.batch("restart-strategy.type", "none");
        declared().create(sql, "t");
        long mark = DORIS.mark();
        FLINK.finish(sql.executeSql("INSERT INTO t VALUES (1, 'a'), (2, CAST(NULL AS STRING))"));
        assertThat(table.loads(mark))
                .as("a load that is sent as a whole needs no days")
                .isNotEmpty()
                .allMatch(headers -> "3600".equals(headers.get("timeout")));
        assertThat(table.rows("id, IFNULL(name, 'null')"))
                .containsExactly(List.of("1", "a"), List.of("2", "null"));
        assertThat(DORIS.transactions("_test_" + table.name() + "_"))
                .as("sent as they are, without a commit")
                .allMatch(load -> load.state().equals("VISIBLE"));
        assertThat(connectorErrors()).isEmpty();
    }

    /** No checkpoints: rows become visible while the job runs, and nothing is wrong with that. */
    @Test
    void batch8RowsOfAStreamAreVisibleAfterTheIntervalAndACancelIsClean() throws Exception {
        StreamTableEnvironment sql = numbers(1_000_000, "restart-strategy.type", "none");
        declared().with("sink.buffer-flush.interval", "100ms").create(sql, "t");
        JobClient job = insert(sql, "SELECT id, 'x' FROM numbers");
        Until.holds("rows are visible", () -> table.count() > 1000);
        assertThat(FlinkCluster.status(job)).isEqualTo(JobStatus.RUNNING);
        assertThat(table.loads(0).size()).isGreaterThan(2);
        cancelledInTime(job);
        assertThat(connectorErrors()).isEmpty();
        assertThat(linesOf("WARN"))
                .anyMatch(line -> line.contains("'sink.buffer-flush.interval' is '100ms'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"be.load.body", "be.load.answer", "fe.redirect"})
    void batch8ACancelInTheMiddleOfALoadIsClean(String point) throws Exception {
        long rule = DORIS.fault(Fault.at(point).table(table.name()).hold());
        StreamTableEnvironment sql = numbers(1_000_000, "restart-strategy.type", "none");
        declared()
                .with("sink.buffer-flush.max-rows", "100")
                .with("sink.flush.queue-size", "1")
                .create(sql, "t");
        JobClient job = insert(sql, "SELECT id, 'x' FROM numbers");
        Until.holds("the server holds a load", () -> DORIS.holding(rule) > 0);
        cancelledInTime(job);
        assertThat(connectorErrors()).isEmpty();
        DORIS.clearFaults();
    }

    private static void cancelledInTime(JobClient job) throws Exception {
        long start = System.nanoTime();
        job.cancel().get(30, TimeUnit.SECONDS);
        assertThat(FlinkCluster.end(job)).isEqualTo(JobStatus.CANCELED);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CANCEL_BOUND);
    }

    /** Only rows that came after the last checkpoint before a failure may be there twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void batch7NoRowBeforeACheckpointIsLostOrDoubled(int parallelism) throws Exception {
        int rows = 6000;
        MINES.addAll(Set.of(2000L, 4000L));
        StreamExecutionEnvironment environment =
                FLINK.environment(
                        "parallelism.default",
                        String.valueOf(parallelism),
                        "table.exec.resource.default-parallelism",
                        String.valueOf(parallelism),
                        "execution.checkpointing.interval",
                        "100 ms",
                        "restart-strategy.type",
                        "fixed-delay",
                        "restart-strategy.fixed-delay.attempts",
                        "10",
                        // Flink 2.3 ends its process when a checkpoint is aborted only after
                        // coordinators have been reset ("gateway for unseen checkpoint").
                        "restart-strategy.fixed-delay.delay",
                        "1 s");
        StreamTableEnvironment sql = StreamTableEnvironment.create(environment);
        // SQL's datagen emits in a thread of its own. A checkpoint that waits for its lock is taken
        // after a row has failed, and is complete without that row.
        DataGeneratorSource<Long> source =
                new DataGeneratorSource<>(
                        index -> index + 1, rows, RateLimiterStrategy.perSecond(1500), Types.LONG);
        DataStream<Row> mined =
                environment
                        .fromSource(source, WatermarkStrategy.noWatermarks(), "numbers")
                        .map(new Mined())
                        .returns(
                                Types.ROW_NAMED(
                                        new String[] {"id", "name"}, Types.LONG, Types.STRING));
        sql.createTemporaryView("mined", mined);
        declared().create(sql, "t");
        JobClient job = insert(sql, "SELECT id, name FROM mined");
        FLINK.finish(job);
        assertThat(MINES).isEmpty();
        assertThat(FLINK.restarts(job.getJobID())).isPositive();
        List<Long> ids =
                table.rows("id").stream()
                        .map(row -> Long.parseLong(row.get(0)))
                        .collect(Collectors.toList());
        Set<Long> lost =
                LongStream.rangeClosed(1, rows)
                        .boxed()
                        .collect(Collectors.toCollection(TreeSet::new));
        ids.forEach(lost::remove);
        assertThat(lost).as("lost rows").isEmpty();
        assertThat(ids.size() - rows)
                .as("rows between the last checkpoint and a failure")
                .isBetween(0, 3000);
    }

    /** A checkpoint is complete only when the server has all rows before it. */
    @Test
    void batch7ACheckpointWaitsForTheAnswers() throws Exception {
        long rule = DORIS.fault(Fault.at("be.load.answer").table(table.name()).hold());
        StreamTableEnvironment sql =
                numbers(
                        1_000_000,
                        "restart-strategy.type",
                        "none",
                        "execution.checkpointing.interval",
                        "200 ms");
        declared().create(sql, "t");
        JobClient job = insert(sql, "SELECT id, 'x' FROM numbers");
        Until.holds("a load is held", () -> DORIS.holding(rule) > 0);
        assertThat(FLINK.sum(job.getJobID(), "numberOfCompletedCheckpoints")).isZero();
        DORIS.clearFaults();
        Until.holds(
                "a checkpoint is complete",
                () -> FLINK.sum(job.getJobID(), "numberOfCompletedCheckpoints") > 0);
        assertThat(table.count()).isPositive();
        cancelledInTime(job);
    }

    @Test
    void aServerThatFailsForAWhileCostsNoRestartAndNoRowTwice() throws Exception {
        long refused =
                DORIS.fault(
                        Fault.at("be.load.headers")
                                .table(table.name())
                                .times(2)
                                .answer("Fail", "[E-235]failed to init rowset builder"));
        long lost = DORIS.fault(Fault.at("txn.commit").table(table.name()).times(1).drop());
        StreamTableEnvironment sql = numbers(3000, "restart-strategy.type", "none");
        declared()
                .with("sink.buffer-flush.max-rows", "500")
                .with("sink.max-retries", "5")
                .create(sql, "t");
        JobClient job = insert(sql, "SELECT id, 'x' FROM numbers");
        FLINK.finish(job);
        assertThat(DORIS.fired(refused)).isEqualTo(2);
        assertThat(DORIS.fired(lost)).isEqualTo(1);
        everyRowIsThereOnce(3000);
        assertThat(FLINK.sum(job.getJobID(), "test." + table.name() + "_totalFlushFailedNumber"))
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void rowsThatAreRefusedFailTheJobAtOnceWithTheirReasons() throws Exception {
        long rule =
                DORIS.fault(
                        Fault.at("be.load.headers")
                                .table(table.name())
                                .times(1)
                                .answer("Fail", "[DATA_QUALITY_ERROR]too many filtered rows"));
        StreamTableEnvironment sql =
                numbers(
                        1_000_000,
                        "restart-strategy.type",
                        "none",
                        "table.exec.resource.default-parallelism",
                        "1");
        table.declared()
                .columns(COLUMNS)
                .with("sink.write-mode", "stream_load_batch")
                .with("sink.buffer-flush.max-rows", "100")
                .create(sql, "t");
        JobClient job = insert(sql, "SELECT id, 'x' FROM numbers");
        Failure failure = Failure.of(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS));
        assertThat(failure.text()).contains(table.identifier(), "too many filtered rows");
        assertThat(DORIS.fired(rule)).isEqualTo(1);
        assertThat(table.count()).as("nothing later was sent").isZero();
    }

    @Test
    void theOptionsOfDataStreamJobsTakeEffectAndRecordsNameTheirTables() throws Exception {
        TargetTable other = TargetTable.duplicate(DORIS, COLUMNS);
        Properties json = new Properties();
        json.setProperty("format", "json");
        DorisExecutionOptions options =
                DorisExecutionOptions.builder()
                        .setWriteMode(WriteMode.STREAM_LOAD_BATCH)
                        .setFlushQueueSize(1)
                        .setBufferFlushMaxRows(10)
                        .setBufferFlushMaxBytes(1 << 20)
                        .setBufferFlushIntervalMs(60_000)
                        .setStreamLoadProp(json)
                        .setDeletable(false)
                        .build();
        List<RecordWithMeta> records = new ArrayList<>();
        for (int i = 0; i < 35; i++) {
            records.add(record(table, i));
            if (i % 5 == 0) {
                records.add(record(other, i));
            }
        }
        StreamExecutionEnvironment environment =
                FLINK.environment("restart-strategy.type", "none", "parallelism.default", "1");
        environment
                .fromData(records, TypeInformation.of(RecordWithMeta.class))
                .sinkTo(byRecord(options));
        FLINK.finish(environment.executeAsync());
        everyRowIsThereOnce(35);
        assertThat(other.count()).isEqualTo(7);
        assertThat(DORIS.transactions("_test_" + table.name() + "_")).hasSize(4);
        assertThat(DORIS.transactions("_test_" + other.name() + "_")).hasSize(1);
    }

    /** Three tables, each below its own limits, reach the one that they share. */
    @Test
    void batch2TheSharedLimitCutsTheLargestTable() throws Exception {
        int maxBytes = 1 << 20;
        int rows = 800;
        List<TargetTable> tables = new ArrayList<>(List.of(table));
        tables.add(TargetTable.duplicate(DORIS, COLUMNS));
        tables.add(TargetTable.duplicate(DORIS, COLUMNS));
        List<RecordWithMeta> records = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            for (TargetTable one : tables) {
                records.add(record(one, i, "x".repeat(1000)));
            }
        }
        // 0.8 MB for each table, of 2 MB together; not compressed.
        Properties json = new Properties();
        json.setProperty("format", "json");
        json.setProperty("compress_type", "");
        DorisExecutionOptions options =
                DorisExecutionOptions.builder()
                        .setBatchMode(true)
                        .setFlushQueueSize(1)
                        .setBufferFlushMaxBytes(maxBytes)
                        .setBufferFlushIntervalMs(600_000)
                        .setStreamLoadProp(json)
                        .setDeletable(false)
                        .build();
        StreamExecutionEnvironment environment =
                FLINK.environment("restart-strategy.type", "none", "parallelism.default", "1");
        environment
                .fromData(records, TypeInformation.of(RecordWithMeta.class))
                .sinkTo(byRecord(options));
        JobClient job = environment.executeAsync();
        FLINK.finish(job);
        int loads = 0;
        for (TargetTable one : tables) {
            assertThat(one.count()).isEqualTo(rows);
            loads += DORIS.transactions("_test_" + one.name() + "_").size();
        }
        assertThat(loads).as("a load was cut early").isGreaterThan(3);
    }

    private static DorisSink<RecordWithMeta> byRecord(DorisExecutionOptions options) {
        return DorisSink.<RecordWithMeta>builder()
                .setDorisOptions(
                        DorisOptions.builder()
                                .setFenodes(DORIS.fenodes())
                                .setUsername("root")
                                .setPassword("")
                                .build())
                .setDorisReadOptions(DorisReadOptions.builder().build())
                .setDorisExecutionOptions(options)
                .setSerializer(new RecordWithMetaSerializer())
                .build();
    }

    private static RecordWithMeta record(TargetTable table, int id) {
        return record(table, id, "n");
    }

    private static RecordWithMeta record(TargetTable table, int id, String name) {
        String row = String.format("{\"id\":%d,\"name\":\"%s\"}", id, name);
        return new RecordWithMeta("test", table.name(), row);
    }

    /** Fails at some rows, once each. */
    private static final class Mined implements MapFunction<Long, Row> {

        private static final long serialVersionUID = 1L;

        @Override
        public Row map(Long id) {
            if (MINES.remove(id)) {
                throw new IllegalStateException("mine at " + id);
            }
            return Row.of(id, "x");
        }
    }
}
