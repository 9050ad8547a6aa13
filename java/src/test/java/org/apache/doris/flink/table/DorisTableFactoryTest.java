package org.apache.doris.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.ChangelogConfig;
import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every rule on options that holds at planning, by what a user writes and what he reads then. */
class DorisTableFactoryTest {

    @Test
    void defaultsAreThoseOfTheDocumentation() {
        ReadConfig read = Tables.source().scanConfig().read();
        assertThat(read.sent()).containsEntry("doris.request.query.timeout", "21600000");
        assertThat(read.tabletSize()).isEqualTo(ReadConfig.AUTOMATIC);
        assertThat(read.sent()).containsEntry("doris.batch.size", "4064");
        assertThat(read.sent()).containsEntry("doris.exec.mem.limit", "8589934592");
        assertThat(read.sent()).containsEntry("doris.deserialize.queue.size", "64");
        assertThat(read.sent()).containsEntry("source.flight-sql-port", "-1");
        assertThat(read.sent()).containsEntry("source.read-buffer-size", "67108864");
        assertThat(read.sent()).containsEntry("source.flight-host-mapping", "");
        assertThat(read.sent()).containsEntry("doris.filter.query", "");
    }

    /** Key, value, and words that the message must have; `;` separates several of each. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            nullValues = "none",
            value = {
                // 1: missing
                "fenodes | none | Missing required options; fenodes",
                "table.identifier | none | Missing required options; table.identifier",
                // 2: unknown
                "fenode | x:1 | Unknown option 'fenode'; 'fenodes'; Unsupported options",
                "source.flight-sql.port | 1 | 'source.flight-sql-port'",
                "Fenodes | a:1 | 'fenodes'",
                "sink.properties. | x | Unknown option 'sink.properties.'",
                "table.properties.replication_num | 1 | Unknown option",
                // 3: addresses
                "fenodes | '' | fenodes; host:http_port",
                "fenodes | fe1 | fenodes; 'fe1'; host:http_port",
                "fenodes | fe1: | fenodes; host:http_port",
                "fenodes | fe1:0 | 1 to 65535",
                "fenodes | fe1:65536 | 1 to 65535",
                "fenodes | fe1:80x | host:http_port",
                "fenodes | http://fe1:8030 | without a scheme",
                "fenodes | http://u:geheim@fe1:8030 | without a scheme",
                "fenodes | fe1:8030,,fe2:8030 | empty",
                "fenodes | fe1:8030, | empty",
                "fenodes | ::1:8030 | brackets",
                "benodes | be1 | benodes; 'be1'",
                // 4: identifier
                "table.identifier | student | database.table",
                "table.identifier | '' | database.table",
                "table.identifier | a.b.c.d | database.table",
                "table.identifier | a..c | database.table",
                "table.identifier | `a.b | database.table",
                // 5: enumerations
                "source.scan.mode | newest | 'newest'; snapshot; initial; latest; from-timestamp",
                "source.changelog.increment-type | all | detail; min_delta; append_only",
                "source.changelog.on-expired | x | doris-default; fail; resnapshot",
                "source.changelog.changelog-mode | x | all; upsert; audit",
                // 6: timestamp
                "source.scan.mode | from-timestamp | source.scan.timestamp",
                "source.scan.timestamp | 2026-01-01 00:00:00"
                        + " | from-timestamp; snapshot; in a hint by the value ''",
                "source.scan.mode;source.scan.timestamp | latest;2026-01-01 00:00:00"
                        + " | source.scan.timestamp; latest",
                "source.scan.mode;source.scan.timestamp | from-timestamp;2026-02-30 00:00:00"
                        + " | 2026-02-30; yyyy-MM-dd HH:mm:ss",
                "source.scan.mode;source.scan.timestamp | from-timestamp;2026-02-03T00:00:00"
                        + " | yyyy-MM-dd HH:mm:ss",
                "source.scan.mode;source.scan.timestamp | from-timestamp;2026-2-3 00:00:00"
                        + " | yyyy-MM-dd HH:mm:ss",
                "source.scan.mode;source.scan.timestamp | from-timestamp;2026-02-03 00:00:00.5"
                        + " | yyyy-MM-dd HH:mm:ss",
                // 7, 8
                "source.changelog.poll-interval | 999 | poll-interval; 1s or more",
                // An example is a value that would be taken.
                "source.changelog.poll-interval | 500ms | such as '10s', '5 min' (a bare number",
                "sink.precommit-timeout | 10s | such as '5 min' (a bare number",
                "source.changelog.visible-wait-timeout | -1s | '10s', '5 min', '500ms' (a bare",
                "source.changelog.visible-wait-timeout | -1s | visible-wait-timeout; duration",
                "source.binlog.poll-interval | 10 | source.binlog.poll-interval",
                // 9, 10, 11, 12
                "source.scan.mode;source.use-flight-sql | latest;false | use-flight-sql; latest",
                "source.scan.mode;source.use-old-api | initial;true | use-old-api; initial",
                "source.scan.mode;doris.filter.query | initial;a=1 | doris.filter.query; initial",
                "source.scan.mode;table.identifier | latest;c.d.t | external catalog",
                "source.scan.mode;source.changelog.changelog-mode | latest;upsert | primary key",
                // 13
                "source.changelog.offset-table | ops.o | snapshot; in a hint by the value ''",
                "source.changelog.consumer-id | me | snapshot",
                "source.scan.mode;source.changelog.offset-table | latest;ops.o | go together",
                "source.scan.mode;source.changelog.consumer-id | latest;me | go together",
                "source.scan.mode;source.changelog.offset-table;source.changelog.consumer-id"
                        + " | latest;ops.o;me | jdbc-url",
                "source.scan.mode;source.changelog.offset-table;source.changelog.consumer-id;"
                        + "jdbc-url | latest;o;me;jdbc:mysql://h:9030 | database.table",
                "source.scan.mode;source.changelog.offset-table;source.changelog.consumer-id;"
                        + "jdbc-url | latest;a.o; me;jdbc:mysql://h:9030 | blanks",
                // 15
                "sink.write-mode | COPY | 'TVF'",
                "sink.write-mode | PUT | STREAM_LOAD_BATCH",
                // 18, 21
                "sink.label-prefix | a b | sink.label-prefix; 64",
                "sink.properties.label | x | sink.properties.label",
                "sink.properties.Two_Phase_Commit | true | connector sets this",
                // 23
                "doris.tls.excluded-protocols | http,foo | 'foo'; arrowflight",
                "doris.tls.excluded-protocols | http, | empty",
                // 24
                "source.binlog.increment-type;source.changelog.increment-type | detail;append_only"
                        + " | source.binlog.increment-type; detail; append_only",
                "doris.request.read.timeout.ms;doris.request.read.timeout | 5000;6s | 5000; 6s",
                // 25: ranges
                "doris.request.retries | -1 | doris.request.retries; '-1'; 0 or more",
                "doris.request.retries | many | whole number",
                "doris.request.retries | 99999999999 | whole number",
                "doris.request.connect.timeout | 0 | doris.request.connect.timeout",
                "doris.request.connect.timeout | 0s | 1ms or more",
                "doris.request.read.timeout | soon | duration",
                "doris.request.connect.timeout.ms | 1s | whole number of milliseconds",
                "doris.request.query.timeout | 999ms | 1s or more",
                "doris.request.query.timeout.s | 1.5 | seconds",
                "doris.batch.size | 0 | doris.batch.size",
                "doris.exec.mem.limit | 0 | doris.exec.mem.limit",
                "doris.exec.mem.limit | much | size",
                "doris.deserialize.queue.size | 0 | 1 or more",
                "doris.thrift.max.message.size | 0 | 1 or more",
                "doris.deserialize.arrow.async | yes | 'true' and 'false'",
                "source.flight-sql-port | 0 | -1 and 1 to 65535",
                "source.flight-sql-port | 70000 | -1 and 1 to 65535",
                "source.read-buffer-size | 0 | source.read-buffer-size",
                "source.flight-host-mapping | a:1 | internal-host:port=reachable-host:port",
                "source.flight-host-mapping | a:1=b:2,a:1=c:3 | mapped to both",
                "scan.parallelism | 0 | scan.parallelism; 1 or more",
                "doris.native.worker-threads | 0 | 1 or more",
                "source.changelog.slices | 0 | 1 to 1024; partitions",
                "source.changelog.slices | 1025 | 1 to 1024",
                "source.changelog.max-window | 10 | 1s or more",
                "lookup.cache.max-rows | -2 | lookup.cache.max-rows",
                "lookup.cache.ttl | 0 | lookup.cache.ttl",
                "lookup.max-retries | -1 | 0 or more",
                "lookup.jdbc.read.thread-size | 0 | 1 or more",
                "sink.buffer-size | 10 | sink.buffer-size",
                "sink.buffer-count | 1 | 2 or more",
                "sink.buffer-flush.max-bytes | 1kb | sink.buffer-flush.max-bytes",
                "sink.buffer-flush.interval | 99 | 100ms or more",
                "sink.precommit-timeout | 59s | 1min or more",
                "sink.s3.cleanup | always | after-commit",
                "jdbc-url | jdbc:postgresql://h:1 | jdbc:mysql",
                "jdbc-url | mysql://u:geheim@h:1 | jdbc:mysql",
                "password | geheim | username",
                "table-name;fenode | t;x:1 | 'table-name' is one of other connectors;"
                        + " 'table.identifier'; Unknown option 'fenode'; 'fenodes'",
                "benodes | '' | benodes; host:http_port; Remove the option",
                "source.scan.mode;doris.filter.query | initial;a=1 | Invalid value 'a=1'",
                // 38: not built yet
                "doris.enable.tls | true | not supported yet; doris.enable.tls; 'true'; plain",
                "doris.enable.tls | TRUE | not supported yet",
                "source.use-flight-sql | false | not supported yet; source.use-flight-sql; 'false'",
                "source.scan.mode;source.changelog.on-expired | latest;resnapshot"
                        + " | not supported yet; source.changelog.on-expired",
            })
    void isRefused(String keys, String values, String words) {
        String message = refusal(() -> Tables.source(Tables.pairs(keys, values)));
        for (String word : words.split("; ")) {
            assertThat(message).contains(word);
        }
        assertThat(message).doesNotContain("geheim");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "fenodes | fe1:8030, fe2:8030 ,[::1]:8030",
                "fenodes | fe-1.example:1",
                "table.identifier | `test`.`student`",
                "table.identifier | hive.db.t",
                "benodes | be1:8040",
                "username | root",
                "username;password | root;p@ss:w/ö rd%",
                "source.scan.mode | SNAPSHOT",
                "source.scan.mode | ' snapshot '",
                "source.scan.mode | initial",
                "source.scan.mode | LATEST",
                "source.scan.mode;source.scan.timestamp | From_Timestamp;2026-01-01 00:00:00",
                "source.scan.mode;source.changelog.increment-type;doris.filter.query"
                        + " | latest;append_only;a=1",
                "source.scan.mode;source.changelog.offset-table;source.changelog.consumer-id;"
                        + "jdbc-url | latest;ops.`o.1`;me;jdbc:mysql://h:9030",
                "source.scan.mode;source.changelog.offset-table;source.changelog.consumer-id"
                        + " | latest;'';' '",
                "source.use-flight-sql | TRUE",
                "source.flight-sql-port | 9611",
                "doris.request.query.timeout | 1500",
                "doris.request.query.timeout.s | 30",
                "doris.request.connect.timeout.ms | 30000",
                "doris.request.read.timeout.ms;doris.request.read.timeout | 5000;5s",
                "doris.exec.mem.limit | 1073741824",
                "source.flight-host-mapping | a:1=b:2, [::1]:3=c:4",
                "doris.tls.excluded-protocols | 'thrift, MySQL'",
                "doris.tls.ca-certificate-path | /no/such/file",
                "doris.enable.tls | false",
                "source.use-old-api | true",
                "doris.read.field | id",
                "doris.filter.query | id > 1",
                "source.changelog.increment-type | MIN-DELTA",
                "source.binlog.increment-type | append_only",
                "source.binlog.poll-interval;source.changelog.poll-interval | 10s;10 s",
                "source.changelog.on-expired | resnapshot",
                "source.changelog.changelog-mode | upsert",
                "source.changelog.slices | partitions",
                "source.changelog.visible-wait-timeout | 0s",
                "sink.write-mode | tvf",
                "sink.enable.batch-mode | true",
                "sink.label-prefix | doris_label",
                "sink.properties.format | json",
                "sink.properties.column_separator | \\x01",
                "sink.properties.anything | goes",
                "sink.check-interval | 0",
                "lookup.jdbc.async | true",
                "lookup.cache.max-rows | 0",
                "jdbc-url | jdbc:mysql://fe1:9030,fe2:9030/test?useSSL=false",
                "jdbc-url | jdbc:mariadb://fe1:9030",
                "auto-redirect | false",
                "scan.parallelism | 4",
                "scan.watermark.emit.strategy | on-event",
                "doris.native.library-path | /opt/lib.so",
            })
    void isAccepted(String keys, String values) {
        assertThatCode(() -> Tables.source(Tables.pairs(keys, values))).doesNotThrowAnyException();
    }

    /** USE-1: as a source and as a sink; a value may be refused, the key may not. */
    @Test
    void use1EveryDocumentedOptionIsTaken() throws IOException {
        String page =
                Files.readString(Paths.get(System.getProperty("doris.docs"), "options.md"));
        // Behind it stand the keys of other connectors.
        String ours = page.substring(0, page.indexOf("<!-- Generated from the code: end -->"));
        Matcher row = Pattern.compile("(?m)^\\| `([a-z0-9.*-]+)` \\|").matcher(ours);
        Set<String> documented = new TreeSet<>();
        while (row.find()) {
            documented.add(row.group(1).replace("*", "format"));
        }
        assertThat(documented)
                .hasSizeGreaterThan(70)
                .contains("auto-redirect", "sink.parallelism", "source.binlog.consumer-id");
        for (String key : documented) {
            for (Runnable table :
                    List.<Runnable>of(() -> Tables.source(key, "1"), () -> Tables.sink(key, "1"))) {
                try {
                    table.run();
                } catch (ValidationException refused) {
                    assertThat(ExceptionUtils.stringifyException(refused))
                            .as(key)
                            .doesNotContain("Unknown option")
                            .doesNotContain("Unsupported options");
                }
            }
        }
    }

    @Test
    void aKeyThatNoneIsNearHasNoHint() {
        assertThat(refusal(() -> Tables.source("quantum.flux", "9")))
                .startsWith("Unknown option 'quantum.flux'.\n")
                .doesNotContain("nearest");
        assertThat(refusal(() -> Tables.source("sink.buffer-flush.max-row", "9")))
                .contains("The nearest known option is 'sink.buffer-flush.max-rows'.");
    }

    @Test
    void keysAboutWritingAloneAreNoReasonToRefuseATableThatIsRead() {
        assertThat(
                        Tables.source(
                                        "sink.batch.size",
                                        "9",
                                        "load-url",
                                        "h:1",
                                        "sink.version",
                                        "V1")
                                .warnings())
                .containsExactly(
                        "Option 'load-url', one of other connectors, has no effect on reading.",
                        "Option 'sink.batch.size', one of older releases, has no effect on"
                                + " reading.",
                        "Option 'sink.version', one of other connectors, has no effect on"
                                + " reading.");
    }

    @Test
    void formerNamesAreTakenOver() {
        assertThat(Tables.source("doris.request.query.timeout.s", "30").scanConfig().read().sent())
                .containsEntry("doris.request.query.timeout", "30000");
        assertThat(
                        Tables.source("doris.request.connect.timeout.ms", "1500")
                                .scanConfig()
                                .connection()
                                .sent())
                .containsEntry("doris.request.connect.timeout", "1500");
    }

    @Test
    void formerNamesOfTheChangelogAreTakenOverWithOneWarning() {
        DorisTableSource source =
                Tables.source(
                        "source.scan.mode",
                        "latest",
                        "jdbc-url",
                        "jdbc:mysql://h:9030",
                        "source.binlog.increment-type",
                        "append_only",
                        "source.binlog.poll-interval",
                        "2s",
                        "source.binlog.visible-wait-timeout",
                        "0",
                        "source.binlog.offset-table",
                        "ops.o",
                        "source.binlog.consumer-id",
                        "me");
        ChangelogConfig changelog = source.scanConfig().changelog();
        assertThat(changelog.incrementType()).isEqualTo(IncrementType.APPEND_ONLY);
        assertThat(changelog.pollInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changelog.visibleWaitTimeout()).isZero();
        assertThat(changelog.offsetTable()).asString().contains("ops.o");
        assertThat(changelog.consumerId()).contains("me");
        assertThat(source.warnings())
                .singleElement()
                .asString()
                .contains(
                        "'source.changelog.poll-interval' instead of 'source.binlog.poll-interval'")
                .contains("source.binlog.consumer-id", "source.binlog.visible-wait-timeout");
    }

    @Test
    void valuesAreBroughtIntoRange() {
        DorisTableSource source =
                Tables.source(
                        "doris.request.tablet.size",
                        "-3",
                        "doris.batch.size",
                        "100000",
                        "doris.request.query.timeout",
                        "1001");
        ReadConfig read = source.scanConfig().read();
        assertThat(read.tabletSize()).isEqualTo(1);
        assertThat(read.sent()).containsEntry("doris.batch.size", "65535");
        assertThat(read.sent()).containsEntry("doris.request.query.timeout", "2000");
        assertThat(source.warnings())
                .anyMatch(warning -> warning.contains("doris.request.tablet.size"))
                .anyMatch(warning -> warning.contains("doris.batch.size"));
    }

    @ParameterizedTest
    @CsvSource({
        "doris.read.field, id",
        "doris.filter.query, id = 1",
        "source.use-old-api, true",
        "doris.deserialize.arrow.async, true",
        "doris.thrift.max.message.size, 100",
        "source.binlog.increment-type, detail",
        "doris.request.read.timeout.ms, 100",
    })
    void whatMayMisleadIsSaid(String key, String value) {
        assertThat(Tables.source(key, value).warnings()).singleElement().asString().contains(key);
    }

    @Test
    void aPasswordShowsNowhere() {
        DorisTableSource source = Tables.source("username", "u", "password", "geheim");
        assertThat(source.asSummaryString()).doesNotContain("geheim");
        assertThat(source.scanConfig().connection().toString()).doesNotContain("geheim");
        assertThat(refusal(() -> Tables.source("username", "u", "password", "geheim", "x", "y")))
                .doesNotContain("geheim");
    }

    static Stream<DataType> neverReadable() {
        return Stream.of(
                DataTypes.TIMESTAMP_WITH_TIME_ZONE(3),
                DataTypes.INTERVAL(DataTypes.DAY()),
                DataTypes.INTERVAL(DataTypes.MONTH()),
                DataTypes.MULTISET(DataTypes.INT()),
                DataTypes.TIME(6),
                DataTypes.ARRAY(DataTypes.TIMESTAMP_WITH_TIME_ZONE(3)),
                DataTypes.ROW(DataTypes.FIELD("x", DataTypes.INTERVAL(DataTypes.DAY()))));
    }

    @ParameterizedTest
    @MethodSource("neverReadable")
    void typesThatNoColumnGivesAreRefused(DataType type) {
        assertThat(refusal(() -> Tables.sourceOf(type))).contains("`c`", "cannot be read");
    }

    @Test
    void aSinkIsMadeOfTheTable() {
        DorisTableSink sink = Tables.sink("sink.parallelism", "3");
        assertThat(sink.asSummaryString()).isEqualTo("Doris[test.student]");
        assertThat(sink.plan().parallelism()).isEqualTo(3);
        assertThat(sink.plan().config().declared().get().getFieldNames()).containsExactly("id");
    }

    @Test
    void aSinkMissesItsOptionsInFlinksWords() {
        assertThat(refusal(() -> Tables.sink("fenodes", null)))
                .contains("Missing required options are:\n\nfenodes");
        assertThat(refusal(() -> Tables.sink("fenode", "x")))
                .contains("Unknown option 'fenode'", "'fenodes'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "table.identifier | c.d.t | external catalog",
                "sink.enable-2pc | true | sink.label-prefix",
                "sink.properties.group_commit;sink.properties.partial_columns;"
                        + "sink.properties.columns | sync_mode;true;a | partial_columns",
                "sink.properties.partial_columns | true | sink.properties.columns",
                "sink.properties.unique_key_update_mode;sink.properties.columns"
                        + " | UPDATE_FLEXIBLE_COLUMNS;a | columns",
                "sink.write-mode | TVF | jdbc-url",
                "sink.write-mode;sink.enable.batch-mode | TVF;true | batch-mode",
                "sink.write-mode;sink.enable-2pc | TVF;false | enable-2pc",
                "sink.properties.format | xml | csv; json; arrow",
            })
    void whatASinkMustNotHaveIsSaidFirst(String keys, String values, String words) {
        String message = refusal(() -> Tables.sink(Tables.pairs(keys, values)));
        for (String word : words.split("; ")) {
            assertThat(message).contains(word);
        }
        assertThat(message).doesNotContain("not supported yet");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a | b | ok",
                "sink.s3.prefix | a*b | glob",
                "sink.s3.prefix | a/../b | glob",
                "sink.s3.secret-key | '' | go together",
                "sink.s3.external-id | x | role",
                "sink.properties.format | csv | json",
                "sink.s3.bucket | '' | sink.s3.bucket",
            })
    void objectStorageNeedsItsKeys(String key, String value, String words) {
        String[] tvf = {
            "sink.write-mode",
            "TVF",
            "jdbc-url",
            "jdbc:mysql://h:9030",
            "sink.label-prefix",
            "p",
            "sink.s3.endpoint",
            "e",
            "sink.s3.region",
            "r",
            "sink.s3.bucket",
            "b",
            "sink.s3.prefix",
            "f",
            "sink.s3.access-key",
            "geheim",
            "sink.s3.secret-key",
            "geheim",
            key.equals("a") ? "sink.enable-delete" : key,
            key.equals("a") ? "true" : Tables.text(value)
        };
        String message = refusal(() -> Tables.sink(tvf));
        assertThat(message).contains(words.equals("ok") ? "not supported yet" : words);
        assertThat(message).doesNotContain("geheim");
    }

    @Test
    void aLookupJoinIsNotSupportedYet() {
        assertThatThrownBy(() -> Tables.source().getLookupRuntimeProvider(null))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("not supported yet")
                .hasMessageContaining("jdbc-url");
    }

    /** The connector's own message; Flink's around it lists the table's options as they are. */
    private static String refusal(Runnable action) {
        try {
            action.run();
        } catch (ValidationException e) {
            assertThat(ExceptionUtils.stringifyException(e)).doesNotContain("'password'='geheim'");
            return e.getCause().getMessage();
        }
        throw new AssertionError("Nothing was refused.");
    }
}
