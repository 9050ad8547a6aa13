package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.types.logical.RawType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * Wrong options, labels of another run, a table that goes: one error that tells a user what is
 * wrong and what to do, nothing visible that no checkpoint covers, and never a secret.
 */
@Timeout(120)
class SinkBadInputTest {

    private static final String SECRET = "s3cr3t-Pässwort-😱";
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension static final CapturedLog LOG = new CapturedLog();

    @RegisterExtension
    static final Standin DORIS =
            Standin.with("--backends", "2", "--user", "root:", "--user", "alice:" + SECRET);

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private long mark;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void begin() {
        sql =
                FLINK.batch(
                        "table.exec.resource.default-parallelism", "1",
                        "restart-strategy.type", "none");
        mark = DORIS.mark();
    }

    @AfterAll
    static void noSecretIsToldAnywhere() {
        assertNoSecret("the log", String.join("\n", LOG.lines()));
        assertNoSecret("the journal", DORIS.journalText(0));
    }

    private static void assertNoSecret(String where, String text) {
        String login = "alice:" + SECRET;
        assertThat(text)
                .as(where)
                .doesNotContain(SECRET)
                .doesNotContain("s3cr3t")
                .doesNotContain(
                        Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
    }

    private static TargetTable student() {
        return TargetTable.unique(DORIS, "id INT NOT NULL, name VARCHAR(100)");
    }

    private static DorisTable declared(TargetTable table) {
        return table.declared()
                .columns("id INT, name STRING")
                .with("username", "alice")
                .with("password", SECRET)
                .with("sink.label-prefix", "bad_input");
    }

    /** The failure of planning, for which no server may be asked. */
    private Failure planning(DorisTable table, String statement) {
        mark = DORIS.mark();
        table.create(sql, "t");
        Failure failure = Failure.of(() -> sql.explainSql(statement));
        assertThat(DORIS.journal(mark)).as("planning asks no server").isEmpty();
        assertNoSecret("the error", failure.text());
        return failure;
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "sink.write-mode | TVF | 'jdbc-url'",
                "sink.buffer-flush.max-bytes | 1kb | 65536 bytes",
                "sink.buffer-flush.interval | 10ms | 100ms or more",
                "sink.flush.queue-size | 0 | 1 or more",
                "sink.buffer-count | 1 | 2 or more",
                "sink.label-prefix | a b | letters",
                "sink.properties.label | x | the connector sets this parameter itself",
                "sink.properties.format | parquet | 'csv', 'json', 'arrow'",
                "sink.properties.compress_type | snappy | 'gz', 'lz4', 'zstd'",
                "sink.properties.enclose | '' | a single ASCII character",
                "sink.parallelism | 0 | 1 or more",
                "sink.labelprefix | x | 'sink.label-prefix'",
            })
    void aWrongValueIsAnErrorAtPlanning(String key, String value, String words) {
        Failure failure =
                planning(
                        declared(student()).with(key, value.equals("''") ? "" : value),
                        "INSERT INTO t VALUES (1, 'a')");
        assertThat(failure.text()).contains("'" + key + "'").contains(words);
    }

    @Test
    void aTypeThatDorisNeverHasIsAnErrorAtPlanning() {
        String raw = "RAW('java.lang.Integer', '" + serializer() + "')";
        DorisTable table = declared(student()).columns("id INT, r " + raw);
        assertThat(planning(table, "INSERT INTO t SELECT 1, CAST(NULL AS " + raw + ")").text())
                .contains("`r` RAW('java.lang.Integer', '...') (Doris has no such type)")
                .contains("cannot be written to Doris");
    }

    private static String serializer() {
        return new RawType<>(Integer.class, IntSerializer.INSTANCE).getSerializerString();
    }

    @Test
    void overwritingIsRefusedByName() {
        assertThat(planning(declared(student()), "INSERT OVERWRITE t VALUES (1, 'a')").text())
                .contains("INSERT OVERWRITE of Doris is not supported yet");
    }

    /** CSV-4 */
    @ParameterizedTest
    @CsvSource({
        "U&'a\\0009b', sink.properties.enclose",
        "U&'a\\000Ab', sink.properties.enclose",
        "'\\N', sink.properties.escape"
    })
    /** The same job a second time, without its checkpoint, would write its rows twice. */
    @Test
    void aLabelThatAnotherRunHasFinishedIsNamedWithBothRemedies() throws Exception {
        TargetTable table = student();
        declared(table).create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (1, 'a')").await();
        Failure failure = Failure.of(() -> sql.executeSql("INSERT INTO t VALUES (2, 'b')").await());
        String label = DORIS.transactions(table.name()).get(0).label();
        assertThat(failure.text())
                .contains(label)
                .contains("VISIBLE")
                .contains("savepoint")
                .contains("sink.label-prefix");
        assertThat(failure.elapsed()).isLessThan(SOON);
        assertThat(table.rows()).containsExactly(List.of("1", "a"));

        declared(table).with("sink.label-prefix", "another").create(sql, "t");
        sql.executeSql("INSERT INTO t VALUES (2, 'b')").await();
        assertThat(table.rows()).containsExactly(List.of("1", "a"), List.of("2", "b"));
    }

    @Test
    void aTableThatIsDroppedInMidLoadFailsTheJob() throws Exception {
        TargetTable table = student();
        StreamTableEnvironment streaming =
                FLINK.streaming(
                        "execution.checkpointing.interval", "1h", "restart-strategy.type", "none");
        streaming.executeSql(
                "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'rows-per-second' ="
                        + " '100')");
        declared(table).create(streaming, "t");
        JobClient job =
                streaming
                        .executeSql("INSERT INTO t SELECT id, 'x' FROM numbers")
                        .getJobClient()
                        .get();
        Until.holds(
                "a load is open",
                () ->
                        DORIS.transactions(table.name()).stream()
                                .anyMatch(load -> load.state().equals("PREPARE")));
        DORIS.run("DROP TABLE " + table);
        assertThat(Failure.of(() -> FLINK.checkpoint(job)).text()).isNotEmpty();
        assertThat(Failure.of(() -> job.getJobExecutionResult().get()).text())
                .contains("test." + table.name());
    }
}
