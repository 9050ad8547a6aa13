package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Each error of planning that following a table can end with, as a user of SQL meets it: the key,
 * the value as given, what is allowed and what to do; no secret; no server is asked, there is none.
 */
class ChangelogOptionsTest {

    private static final String SECRET = "s3cr3t-Pässwort";
    private static final String COLUMNS =
            "id INT NOT NULL, name STRING, PRIMARY KEY (id) NOT ENFORCED";

    private TableEnvironment sql;

    @BeforeEach
    void begin() {
        sql = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    }

    /**
     * Options by {@code =} and {@code ;} (a value in apostrophes keeps its blanks), and the words
     * that the error must have, by {@code ;}.
     */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // 5: enumerations
                "5 | source.scan.mode=newest"
                        + " | 'source.scan.mode'; 'newest'; 'snapshot', 'initial', 'latest',"
                        + " 'from-timestamp'",
                "5 | source.scan.mode=latest;source.changelog.increment-type=all"
                        + " | 'source.changelog.increment-type'; 'all'; 'detail', 'min_delta',"
                        + " 'append_only'",
                "5 | source.scan.mode=latest;source.changelog.on-expired=stop"
                        + " | 'source.changelog.on-expired'; 'stop'; 'doris-default', 'fail'",
                "5 | source.scan.mode=latest;source.changelog.changelog-mode=retract |"
                        + " 'source.changelog.changelog-mode'; 'retract'; 'all', 'upsert', 'audit'",
                // 6: the start
                "6 | source.scan.mode=from-timestamp"
                        + " | 'source.scan.mode'; 'source.scan.timestamp'; set it to the start",
                "6 | source.scan.mode=latest;source.scan.timestamp=2026-10-09 10:00:00"
                        + " | 'source.scan.timestamp'; '2026-10-09 10:00:00'; 'from-timestamp';"
                        + " 'latest'; Remove the option, in a hint",
                "6 | source.scan.timestamp=2026-10-09 10:00:00"
                        + " | 'source.scan.timestamp'; 'from-timestamp'; 'snapshot'",
                "6 | source.scan.mode=from-timestamp;source.scan.timestamp=2026-02-30 00:00:00"
                        + " | 'source.scan.timestamp'; '2026-02-30 00:00:00'; existing time;"
                        + " 'yyyy-MM-dd HH:mm:ss'; Write for example",
                "6 | source.scan.mode=from-timestamp;source.scan.timestamp=2026-10-09T10:00:00"
                        + " | '2026-10-09T10:00:00'; 'yyyy-MM-dd HH:mm:ss'",
                "6 | source.scan.mode=from-timestamp;source.scan.timestamp=2026-10-09 10:00:00.5"
                        + " | '2026-10-09 10:00:00.5'; without fraction and zone",
                "6 | source.scan.mode=from-timestamp;source.scan.timestamp=2026-10-09"
                    + " 10:00:00+08:00 | '2026-10-09 10:00:00+08:00'; without fraction and zone",
                "6 | source.scan.mode=from-timestamp;source.scan.timestamp=2026-10-9 10:00:00"
                        + " | '2026-10-9 10:00:00'; 'yyyy-MM-dd HH:mm:ss'",
                // 7, 8
                "7 | source.scan.mode=latest;source.changelog.poll-interval=999ms"
                        + " | 'source.changelog.poll-interval'; '999ms'; 1s or more",
                "8 | source.scan.mode=latest;source.changelog.visible-wait-timeout=-1s"
                        + " | 'source.changelog.visible-wait-timeout'; '-1s'; 0ms or more",
                // 9 to 12
                "9 | source.scan.mode=initial;source.use-flight-sql=false"
                        + " | 'source.use-flight-sql'; 'false'; 'initial'; Remove it",
                "10 | source.scan.mode=latest;source.use-old-api=true"
                        + " | 'source.use-old-api'; 'true'; 'latest'; Remove it",
                "11 | source.scan.mode=latest;doris.filter.query=id > 1"
                        + " | 'doris.filter.query'; 'latest'; 'append_only'; WHERE clause",
                "11 | source.scan.mode=initial;doris.filter.query=id > 1;"
                        + "source.changelog.increment-type=min_delta"
                        + " | 'doris.filter.query'; 'initial'; 'append_only'",
                "12 | source.scan.mode=latest;table.identifier=hive.test.student"
                        + " | 'table.identifier'; 'hive.test.student'; three parts;"
                        + " 'database.table'",
                // 13: the offset table
                "13 | source.scan.mode=latest;source.changelog.offset-table=ops.o"
                        + " | 'source.changelog.offset-table'; 'ops.o';"
                        + " 'source.changelog.consumer-id' is missing or blank; as well",
                "13 | source.scan.mode=latest;source.changelog.consumer-id=me"
                        + " | 'source.changelog.consumer-id'; 'me';"
                        + " 'source.changelog.offset-table' is missing or blank",
                "13 | source.scan.mode=latest;source.changelog.offset-table=ops.o;"
                        + "source.changelog.consumer-id='  '"
                        + " | 'source.changelog.consumer-id' is missing or blank",
                "13 | source.scan.mode=latest;source.changelog.offset-table=ops.o;"
                        + "source.changelog.consumer-id=me"
                        + " | 'source.changelog.offset-table'; 'jdbc-url'; MySQL port",
                "13 | source.scan.mode=latest;source.changelog.offset-table=ops.o;"
                        + "source.changelog.consumer-id=me;jdbc-url=''"
                        + " | 'jdbc-url'; MySQL port",
                "13 | source.changelog.offset-table=ops.o;source.changelog.consumer-id=me;"
                        + "jdbc-url=jdbc:mysql://127.0.0.1:9030"
                        + " | 'source.changelog.offset-table'; 'snapshot'; keeps no offsets",
                "13 | source.scan.mode=latest;source.changelog.offset-table=offsets;"
                        + "source.changelog.consumer-id=me;jdbc-url=jdbc:mysql://127.0.0.1:9030"
                        + " | 'source.changelog.offset-table'; 'offsets'; 'database.table'",
                "13 | source.scan.mode=latest;source.changelog.offset-table=hive.ops.offsets;"
                        + "source.changelog.consumer-id=me;jdbc-url=jdbc:mysql://127.0.0.1:9030"
                        + " | 'hive.ops.offsets'; 'database.table'",
                "13 | source.scan.mode=latest;source.changelog.offset-table=ops.o;"
                        + "source.changelog.consumer-id='me ';jdbc-url=jdbc:mysql://127.0.0.1:9030"
                        + " | 'source.changelog.consumer-id'; 'me '; 1 to 256 bytes; blanks",
                // 24: two names
                "24 | source.scan.mode=latest;source.binlog.increment-type=detail;"
                        + "source.changelog.increment-type=min_delta"
                        + " | 'source.binlog.increment-type' = 'detail';"
                        + " 'source.changelog.increment-type' = 'min_delta'; Remove",
                "24 | source.scan.mode=latest;source.binlog.poll-interval=10s;"
                        + "source.changelog.poll-interval=11s"
                        + " | 'source.binlog.poll-interval' = '10s';"
                        + " 'source.changelog.poll-interval' = '11s'",
                "24 | source.scan.mode=latest;source.binlog.visible-wait-timeout=1m;"
                        + "source.changelog.visible-wait-timeout=61s"
                        + " | 'source.binlog.visible-wait-timeout' = '1m'",
                "24 | source.scan.mode=latest;source.binlog.offset-table=a.o;source.changelog.offset-table=b.o"
                    + " | 'source.binlog.offset-table' = 'a.o'",
                "24 | source.scan.mode=latest;source.binlog.consumer-id=a;"
                        + "source.changelog.consumer-id=b | 'source.binlog.consumer-id' = 'a'",
                // 25: ranges
                "25 | source.scan.mode=latest;source.changelog.slices=0"
                        + " | 'source.changelog.slices'; '0'; 1 to 1024; 'partitions'",
                "25 | source.scan.mode=latest;source.changelog.slices=1025"
                        + " | 'source.changelog.slices'; '1025'; 1 to 1024",
                "25 | source.scan.mode=latest;source.changelog.max-window=999"
                        + " | 'source.changelog.max-window'; '999'; 1s or more",
                "25 | source.scan.mode=latest;source.changelog.poll-interval=often"
                        + " | 'source.changelog.poll-interval'; 'often'; duration",
                "25 | source.scan.mode=latest;source.binlog.poll-interval=0"
                        + " | 'source.binlog.poll-interval'; '0'; 1s or more",
                "25 | source.scan.mode=latest;scan.parallelism=0 | 'scan.parallelism'; 1 or more",
                // 38: later
                "38 | source.scan.mode=latest;source.changelog.on-expired=resnapshot"
                        + " | not supported yet; 'source.changelog.on-expired'; 'resnapshot';"
                        + " 'doris-default' or 'fail'",
                "38 | source.scan.mode=latest;doris.enable.tls=true"
                        + " | not supported yet; 'doris.enable.tls'",
                // Unknown keys
                "2 | source.scan.mode=latest;source.changelog.slice=2"
                        + " | 'source.changelog.slice'; 'source.changelog.slices'",
            })
    void isRefused(int row, String options, String words) {
        create(COLUMNS, options(options));
        Failure failure = planning("SELECT * FROM t");
        for (String word : words.split("; ?")) {
            assertThat(failure.text()).contains(word.trim());
        }
    }

    @Test
    void aConsumerIdIsMeasuredInBytes() {
        create(
                COLUMNS,
                options(
                        "source.scan.mode=latest;source.changelog.offset-table=ops.o;"
                                + "jdbc-url=jdbc:mysql://127.0.0.1:9030;"
                                + "source.changelog.consumer-id="
                                + "ä".repeat(129)));
        assertThat(planning("SELECT * FROM t").text())
                .contains("'source.changelog.consumer-id'")
                .contains("1 to 256 bytes")
                .contains("258 bytes");
    }

    @Test
    void anUpsertNeedsAPrimaryKey() {
        Map<String, String> options =
                options("source.scan.mode=latest;source.changelog.changelog-mode=upsert");
        create("id INT, name STRING", options);
        assertThat(planning("SELECT * FROM t").text())
                .contains("'source.changelog.changelog-mode'")
                .contains("'upsert' needs a primary key")
                .contains("NOT ENFORCED");
        create(COLUMNS, options);
        assertThat(sql.explainSql("SELECT * FROM t")).contains("TableSourceScan");
    }

    @Test
    void metadataHasNamesAndTypes() {
        create(
                "id INT, o STRING METADATA, tso STRING METADATA, lsn BIGINT NOT NULL METADATA",
                options("source.scan.mode=latest"));
        assertThat(planning("SELECT * FROM t").text())
                .contains("`o` STRING ('o' is no metadata of a change)")
                .contains("`tso` STRING ('tso' is BIGINT)")
                .contains("`lsn` BIGINT NOT NULL (it is NULL on rows of the snapshot")
                .contains("op STRING, tso BIGINT, lsn BIGINT, commit_time TIMESTAMP_LTZ(3)");
    }

    @Test
    void batchExecutionIsTheScanModesBusiness() {
        sql = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        create(COLUMNS, options("source.scan.mode=initial"));
        Failure failure = planning("SELECT * FROM t");
        assertThat(failure.text())
                .contains("'source.scan.mode'")
                .contains("'initial'")
                .contains("'" + ExecutionOptions.RUNTIME_MODE.key() + "' is 'batch'")
                .contains("'snapshot'");
        assertThat(
                        sql.explainSql(
                                "SELECT * FROM t"
                                        + " /*+ OPTIONS('source.scan.mode' = 'snapshot') */"))
                .contains("TableSourceScan");
    }

    @Test
    void hintsPassTheSameChecks() {
        create(COLUMNS, options("source.scan.mode=latest"));
        Failure failure =
                planning(
                        "SELECT * FROM t /*+ OPTIONS('source.changelog.poll-interval' = '1ms') */");
        assertThat(failure.text())
                .contains("'source.changelog.poll-interval'")
                .contains("'1ms'")
                .contains("1s or more");
        assertThat(sql.explainSql("SELECT * FROM t /*+ OPTIONS('source.scan.mode'='initial') */"))
                .contains("TableSourceScan");
    }

    @Test
    void aConsumerIdIsOneSourcesOwn() {
        create(
                COLUMNS,
                options(
                        "source.scan.mode=latest;jdbc-url=jdbc:mysql://127.0.0.1:9030;"
                                + "source.changelog.offset-table=ops.o;"
                                + "source.changelog.consumer-id=me"));
        String join = "SELECT a.id FROM t AS a JOIN t%s AS b ON a.id = b.id AND b.name = 'x'";
        assertThat(
                        planning(String.format(join, " /*+ OPTIONS('doris.batch.size' = '7') */"))
                                .text())
                .contains("'source.changelog.consumer-id' = 'me'")
                .contains("test.student")
                .contains("OPTIONS");
        assertThat(
                        sql.explainSql(
                                String.format(
                                        join,
                                        " /*+ OPTIONS('source.changelog.consumer-id' = 'you') */")))
                .contains("TableSourceScan");
    }

    /** Former names work, alone or with the same value under today's name. */
    @Test
    void formerNamesAreAccepted() {
        create(
                COLUMNS,
                options(
                        "source.scan.mode=latest;jdbc-url=jdbc:mysql://127.0.0.1:9030;"
                                + "source.binlog.increment-type=MIN-DELTA;"
                                + "source.changelog.increment-type=min_delta;"
                                + "source.binlog.poll-interval=10 s;"
                                + "source.changelog.poll-interval=10000;"
                                + "source.binlog.visible-wait-timeout=0s;"
                                + "source.binlog.offset-table=ops.o;"
                                + "source.binlog.consumer-id=me"));
        assertThat(sql.explainSql("SELECT * FROM t")).contains("TableSourceScan");
    }

    private Failure planning(String query) {
        Failure failure = Failure.of(() -> sql.explainSql(query));
        assertThat(failure.text()).doesNotContain(SECRET);
        return failure;
    }

    private void create(String columns, Map<String, String> options) {
        DorisTable table =
                DorisTable.at("127.0.0.1:1", "test.student")
                        .columns(columns)
                        .with("username", "alice")
                        .with("password", SECRET);
        options.forEach(table::with);
        table.create(sql, "t");
    }

    private static Map<String, String> options(String text) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String option : text.split(";")) {
            String[] pair = option.split("=", 2);
            String value = pair[1];
            boolean quoted = value.length() > 1 && value.startsWith("'") && value.endsWith("'");
            options.put(pair[0], quoted ? value.substring(1, value.length() - 1) : value.trim());
        }
        return options;
    }
}
