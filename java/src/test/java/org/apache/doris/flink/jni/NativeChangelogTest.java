package org.apache.doris.flink.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.Map;

/** What an enumerator asks, over a stand-in server; and the life of the handles it asks with. */
@EnabledIfSystemProperty(named = "doris.standin.binary", matches = ".+")
@ExtendWith(NoLeaks.class)
@Timeout(120)
class NativeChangelogTest {
    private static final String TABLES =
            "CREATE TABLE test.followed (id BIGINT, name STRING) UNIQUE KEY(id) DISTRIBUTED BY"
                    + " HASH(id) BUCKETS 2 PROPERTIES ('replication_num' = '1', 'changelog.enable'"
                    + " = 'true', 'changelog.ttl_seconds' = '600');\n"
                    + "CREATE TABLE test.offsets (consumer_id VARCHAR(256) NOT NULL,"
                    + " offset_timestamp DATETIME NOT NULL, update_time DATETIMEV2(3) NOT NULL)"
                    + " UNIQUE KEY(consumer_id) DISTRIBUTED BY HASH(consumer_id) BUCKETS 1"
                    + " PROPERTIES ('replication_num' = '1');\n";

    @RegisterExtension final StandinProcess standin = new StandinProcess(TABLES);

    private TestConfig config() {
        return standin.config()
                .with("table.name", "followed")
                .with("changelog.increment-type", "detail");
    }

    private TestConfig publishing() {
        return config().with("changelog.offset-table.database", "test")
                .with("changelog.offset-table.name", "offsets")
                .with("changelog.consumer-id", "job")
                .with("jdbc-url", "jdbc:mysql://127.0.0.1:" + standin.mysqlPort());
    }

    @Test
    void everyCallHasItsAnswer() throws Exception {
        try (NativeChangelog changelog = NativeChangelog.open(publishing().bytes())) {
            Map<String, String> table = ask(changelog, Map.of("call", "table"));
            assertThat(table)
                    .containsEntry("keys", "UNIQUE_KEYS")
                    .containsEntry("history", "false")
                    .containsEntry("ttl.seconds", "600")
                    .containsEntry("warnings", "1")
                    .containsKey("table.id");
            assertThat(table.get("warning.0")).contains("changelog.need_historical_value");

            Map<String, String> position = ask(changelog, Map.of("call", "position"));
            long millis = Long.parseLong(position.get("millis"));
            assertThat(Long.parseLong(position.get("tso")) >> 18).isEqualTo(millis);

            assertThat(ask(changelog, Map.of("call", "instant", "text", "2026-10-09 10:00:00")))
                    .containsEntry("millis", "1791511200000")
                    .containsEntry("zone", "+08:00");

            Map<String, String> partitions = ask(changelog, Map.of("call", "partitions"));
            assertThat(partitions)
                    .containsEntry("count", "1")
                    .containsEntry("partition.0.name", "followed");
            assertThat(Long.parseLong(partitions.get("partition.0.id"))).isPositive();

            String hash = ask(changelog, Map.of("call", "probe")).get("hash");
            assertThat(ask(changelog, Map.of("call", "probe"))).containsEntry("hash", hash);

            assertThat(ask(changelog, Map.of("call", "offset.read")))
                    .containsEntry("found", "false")
                    .doesNotContainKey("millis");
            assertThat(ask(changelog, Map.of("call", "offset.write", "millis", "1791511200999")))
                    .containsEntry("rows", "1");
            assertThat(ask(changelog, Map.of("call", "offset.read")))
                    .containsEntry("found", "true")
                    .containsEntry("millis", "1791511200000");
        }
    }

    @Test
    void failuresHaveTheirCodes() throws Exception {
        try (NativeChangelog changelog =
                NativeChangelog.open(
                        publishing().with("changelog.offset-table.name", "none").bytes())) {
            fails(changelog, Map.of("call", "offset.read"), ErrorCode.OFFSET, "test.none");
            Map<String, String> wrong = Map.of("call", "instant", "text", "soon");
            fails(changelog, wrong, ErrorCode.CONFIG, "'soon'");
        }
        try (NativeChangelog changelog =
                NativeChangelog.open(config().with("table.name", "boundary").bytes())) {
            fails(changelog, Map.of("call", "table"), ErrorCode.SCHEMA, "keeps no changelog");
            fails(changelog, Map.of("call", "offset.read"), ErrorCode.CONFIG, "offset-table");
        }
        try (NativeChangelog changelog =
                NativeChangelog.open(
                        config().with("changelog.increment-type", "min_delta").bytes())) {
            fails(changelog, Map.of("call", "table"), ErrorCode.CONFIG, "min_delta");
        }
    }

    @Test
    void requestsAreCheckedBeforeAnythingIsSent() throws Exception {
        assertCode(ErrorCode.CONFIG, () -> NativeChangelog.open(standin.config().bytes()));
        assertCode(ErrorCode.CONFIG, () -> NativeChangelog.open(new byte[3]));
        try (NativeChangelog changelog = NativeChangelog.open(config().bytes())) {
            assertCode(ErrorCode.CONFIG, () -> changelog.call(Map.of("call", "everything")));
            assertCode(ErrorCode.CONFIG, () -> changelog.call(Map.of("call", "instant")));
            assertCode(
                    ErrorCode.CONFIG,
                    () -> changelog.call(Map.of("call", "offset.write", "millis", "now")));
        }
    }

    @Test
    void closingEndsWhatIsUnderWay() throws Exception {
        standin.admin("POST", "/faults", "{\"at\": \"fe.api\", \"do\": {\"hold\": true}}");
        NativeChangelog changelog = NativeChangelog.open(config().bytes());
        NativeCall table = changelog.call(Map.of("call", "table"));
        NativeCall position = changelog.call(Map.of("call", "position"));
        assertThat(position.await(200)).isFalse();
        assertThat(NativeCounters.openHandles()).isEqualTo(3);
        long start = System.nanoTime();
        changelog.close();
        changelog.close();
        for (NativeCall call : new NativeCall[] {table, position}) {
            assertCode(ErrorCode.CLOSED, () -> call.await(10_000));
            call.close();
        }
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
        assertCode(ErrorCode.CLOSED, () -> changelog.call(Map.of("call", "position")));
        assertThat(NativeCounters.openHandles()).isZero();
        assertThat(NativeCounters.runtimeThreads()).isZero();
    }

    private static Map<String, String> ask(NativeChangelog changelog, Map<String, String> request)
            throws Exception {
        try (NativeCall call = changelog.call(request)) {
            assertThat(call.await(60_000)).isTrue();
            return call.result();
        }
    }

    private static void fails(
            NativeChangelog changelog, Map<String, String> request, ErrorCode code, String part)
            throws Exception {
        try (NativeCall call = changelog.call(request)) {
            assertCode(code, () -> call.await(60_000)).hasMessageContaining(part);
        }
    }

    private static AbstractThrowableAssert<?, ?> assertCode(
            ErrorCode code, ThrowingCallable action) {
        return assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        NativeException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
