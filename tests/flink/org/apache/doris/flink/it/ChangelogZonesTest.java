package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Windows are asked for in UTC whatever the zone of the account or of this JVM, over changes of the
 * clock and lost tokens; the times that users write are those of the account.
 */
@Timeout(120)
class ChangelogZonesTest {

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void zoneOfTheJvm() {
        TimeZone.setDefault(before);
    }

    private static ChangelogTable students(Standin doris) {
        doris.run("CREATE DATABASE test");
        return ChangelogTable.students(doris);
    }

    /** Moves the server's clock ahead to an instant. */
    private static void moveTo(Standin doris, Instant instant) {
        doris.advanceClock(Duration.ofMillis(instant.toEpochMilli() - doris.positionMillis()));
    }

    @ParameterizedTest
    @CsvSource({"+08:00, America/New_York", "America/New_York, Asia/Kolkata", "+00:00, UTC"})
    void aTimestampIsOneOfTheAccount(String account, String jvm) throws Exception {
        try (Standin doris = Standin.with("--time-zone", account).start()) {
            TimeZone.setDefault(TimeZone.getTimeZone(jvm));
            ChangelogTable table = students(doris).run("INSERT INTO T VALUES (1, 'Alice', 18)");
            doris.advanceClock(Duration.ofSeconds(3));
            String start = doris.value("SELECT NOW()").substring(0, 19);
            table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
            StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
            table.followed("from-timestamp", "source.scan.timestamp", start).create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT * FROM t");
            followed.awaitInOrder("+I[2, Bob, 21]");
            followed.cancel();
            LocalDateTime utc =
                    LocalDateTime.ofInstant(
                            Instant.ofEpochMilli(doris.positionMillis()), ZoneId.of("UTC"));
            assertThat(table.windows(0).get(0))
                    .as("windows are asked for in UTC")
                    .contains(utc.toString().substring(0, 10));
            NothingLeft.check(doris);
        }
    }

    @Test
    void anHourThatComesTwiceIsReadOnce() throws Exception {
        try (Standin doris = Standin.with("--time-zone", "America/New_York").start()) {
            ChangelogTable table = students(doris);
            ZoneId zone = ZoneId.of("America/New_York");
            Instant change =
                    zone.getRules()
                            .nextTransition(Instant.ofEpochMilli(doris.positionMillis()))
                            .getInstant();
            // The next change to winter time: the hour before it comes again after it.
            while (zone.getRules().isDaylightSavings(change)) {
                change = zone.getRules().nextTransition(change).getInstant();
            }
            moveTo(doris, change.minusSeconds(1800));
            StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
            table.followed("latest").create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT * FROM t");
            Until.holds("it follows", () -> !table.windows(0).isEmpty());
            int id = 0;
            for (int step = 0; step < 6; step++) {
                table.run("INSERT INTO T VALUES (" + ++id + ", 'x', 1)");
                followed.await(id);
                doris.advanceClock(Duration.ofMinutes(20));
            }
            table.run("INSERT INTO T VALUES (" + ++id + ", 'x', 1)");
            followed.await(id);
            followed.awaitCheckpoint();
            assertThat(followed.rows())
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, id)
                                    .mapToObj(i -> "+I[" + i + ", x, 1]")
                                    .collect(Collectors.toList()));
            followed.cancel();
            NothingLeft.check(doris);
        }
    }

    @Test
    void ofATimeThatExistsTwiceTheEarlierIsMeant() throws Exception {
        try (Standin doris = Standin.with("--time-zone", "America/New_York").start()) {
            ChangelogTable table = students(doris);
            // 2026-11-01 01:30 is at 05:30 and at 06:30 UTC.
            Instant earlier = ZonedDateTime.parse("2026-11-01T05:30:00Z").toInstant();
            assertThat(Instant.ofEpochMilli(doris.positionMillis())).isAfter(earlier);
            StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
            table.followed("from-timestamp", "source.scan.timestamp", "2026-11-01 01:30:00")
                    .create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT * FROM t");
            Until.holds("it follows", () -> !table.windows(0).isEmpty());
            assertThat(table.windows(0).get(0)).contains("2026-11-01 05:30:00");
            followed.cancel();
            NothingLeft.check(doris);
        }
    }

    @Test
    void aTokenLostInMidWindowLosesNothing() throws Exception {
        int count = 3_000;
        try (Standin doris = Standin.with("--time-zone", "+08:00", "--backends", "2").start()) {
            ChangelogTable table = students(doris);
            table.run(
                    "INSERT INTO T SELECT number, 'x', 1 FROM numbers(\"number\" = \""
                            + count
                            + "\")");
            doris.advanceClock(Duration.ofSeconds(2));
            long rule =
                    doris.fault(
                            Fault.at("flight.do_get")
                                    .table(table.name())
                                    .statement("@incr")
                                    .after(10)
                                    .times(1)
                                    .hold()
                                    .close());
            StreamTableEnvironment sql = ChangelogJobs.streaming(FLINK);
            table.followed(
                            "from-timestamp",
                            "source.scan.timestamp",
                            table.createdAt(),
                            "doris.batch.size",
                            "50")
                    .create(sql, "t");
            Followed followed = Followed.start(sql, "SELECT * FROM t");
            Until.holds("the window is held", () -> doris.holding(rule) > 0);
            doris.dropSessions();
            doris.clearFault(rule);
            followed.await(count);
            table.run("DELETE FROM T WHERE id = 5");
            followed.await(count + 1);
            List<String> rows = followed.rows();
            assertThat(rows).hasSize(count + 1).doesNotHaveDuplicates().endsWith("-D[5, x, 1]");
            followed.cancel();
            NothingLeft.check(doris);
        }
    }
}
