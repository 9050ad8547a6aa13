package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.sink.writer.CapturedLogs;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Words about changes that expire; the server keeps 100 s in all tests. */
class RetentionTest {

    private static final SliceScheme SCHEME = SliceScheme.hash(1);

    private final CapturedLogs logs = CapturedLogs.of(Retention.class);
    private long nanos = 77;
    private Retention retention = retention();

    @AfterEach
    void releaseLogs() {
        logs.close();
    }

    @Test
    void nothingIsKnownBeforeTheServerTold() throws IOException {
        assertThat(retention.firstRetainedMillis()).isEqualTo(Retention.UNKNOWN);
        assertThat(retention.positionMillis()).isEqualTo(Retention.UNKNOWN);
        assertThat(retention.hasExpired(at(0))).isFalse();
        retention.learn(
                new BoundEvent(
                        5_000, OptionalLong.empty(), SCHEME, 5_500, 0, Long.MIN_VALUE, true));
        assertThat(retention.firstRetainedMillis()).isEqualTo(Retention.UNKNOWN);
        assertThat(retention.positionMillis()).isEqualTo(5_500);
        assertThat(retention.hasExpired(at(0))).isFalse();
        retention.watch(List.of(at(0)));
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void theServersClockGoesOnSinceItWasAsked() throws IOException {
        learn(1_000_000);
        assertThat(retention.firstRetainedMillis()).isEqualTo(900_000);
        assertThat(retention.hasExpired(at(900_000))).isFalse();
        pass(2_500);
        assertThat(retention.firstRetainedMillis()).isEqualTo(902_500);
        assertThat(retention.hasExpired(at(902_000))).isTrue();
    }

    @Test
    void eachLostRangeIsToldOnce() throws IOException {
        learn(1_000_000);
        assertThat(retention.hasExpired(at(800_000))).isTrue();
        assertThat(retention.hasExpired(at(860_000))).as("told already").isTrue();
        learn(1_030_000);
        assertThat(retention.hasExpired(at(899_000))).as("told already").isTrue();
        assertThat(retention.hasExpired(at(920_000))).as("lost since").isTrue();
        assertThat(retention.hasExpired(at(930_000))).isFalse();
        assertThat(logs.lines()).hasSize(2).allMatch(line -> line.startsWith("ERROR"));
        assertThat(logs.lines().get(0))
                .contains("test.t")
                .contains("slice-hash-1-0")
                .contains("from 1970-01-01 00:13:20.000Z until before 1970-01-01 00:15:00.000Z")
                .contains("changelog.ttl_seconds = 100")
                .contains("'source.scan.mode' = 'initial'");
        assertThat(logs.lines().get(1))
                .contains("from 1970-01-01 00:15:20.000Z until before 1970-01-01 00:15:30.000Z");
    }

    /** Rule 14: of an open window what was emitted is not needed again. */
    @Test
    void anOpenWindowIsJudgedByItsPosition() throws IOException {
        learn(1_000_000);
        assertThat(retention.hasExpired(open(800_000, 950_000))).isFalse();
        assertThat(retention.hasExpired(open(800_000, 850_000))).isTrue();
        assertThat(logs.lines()).hasSize(1);
        assertThat(logs.lines().get(0)).contains("from 1970-01-01 00:14:10.000Z");
    }

    @Test
    void failsWhereTheUserWantsIt() {
        retention = retention("source.changelog.on-expired", "fail");
        learn(1_000_000);
        assertThatThrownBy(() -> retention.hasExpired(at(800_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'source.changelog.on-expired' = 'fail'")
                .hasMessageContaining("from 1970-01-01 00:13:20.000Z")
                .hasMessageContaining("without the checkpoint");
    }

    @Test
    void aWindowOfNetChangesIsJudgedByTheServer() throws IOException {
        retention = retention("source.changelog.increment-type", "min_delta");
        learn(1_000_000);
        assertThat(retention.hasExpired(at(800_000, IncrementType.MIN_DELTA))).isFalse();
    }

    /** The server would leave them out, and a user who wants net changes is owed a failure. */
    @Test
    void expiredChangesBehindTheContentFailWhereNetChangesAreWanted() {
        retention = retention("source.changelog.increment-type", "min_delta");
        learn(1_000_000);
        assertThatThrownBy(() -> retention.hasExpired(at(800_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'source.changelog.increment-type' = 'min_delta'")
                .hasMessageContaining("from 1970-01-01 00:13:20.000Z")
                .hasMessageContaining("without the checkpoint")
                .hasMessageNotContaining("on-expired");
    }

    @Test
    void whatWaitsBehindTheContentIsKnownUntilTheChangesBegin() {
        assertThat(retention.pendingMillis()).isEqualTo(Long.MAX_VALUE);
        retention.learn(new RetentionEvent(880_000, 900_000, 100));
        assertThat(retention.pendingMillis()).isEqualTo(880_000);
        assertThat(retention.positionMillis()).isEqualTo(900_000);
        pass(1_000);
        assertThat(retention.firstRetainedMillis()).isEqualTo(801_000);
        retention.watch(List.of());
        learn(1_000_000);
        assertThat(retention.pendingMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(logs.lines()).isEmpty();
    }

    @Test
    void warnsOncePerHourWhenLessThanHalfIsLeft() {
        learn(1_000_000);
        retention.watch(List.of(at(950_000), at(960_000)));
        assertThat(logs.lines()).as("half is left").isEmpty();
        pass(2_000);
        retention.watch(List.of(at(960_000), at(950_000)));
        assertThat(logs.lines()).hasSize(1);
        assertThat(logs.lines().get(0))
                .startsWith("WARN")
                .contains("read up to 1970-01-01 00:15:50.000Z")
                .contains("since 1970-01-01 00:15:02.000Z")
                .contains("source.changelog.slices");
        for (int minutes = 1; minutes < 60; minutes++) {
            pass(60_000);
            learn(1_002_000 + minutes * 60_000L);
            retention.watch(List.of(at(902_000 + minutes * 60_000L)));
        }
        assertThat(logs.lines()).hasSize(1);
        pass(60_000);
        learn(4_602_000);
        retention.watch(List.of(at(4_502_000)));
        assertThat(logs.lines()).hasSize(2);
    }

    /** The clock goes on while the table rests: what was read to the bound lacks nothing. */
    @Test
    void doesNotWarnOfASliceThatHasReadAll() {
        learn(1_000_000);
        pass(99_000);
        retention.watch(List.of(idle(1_000_000)));
        assertThat(logs.lines()).isEmpty();
    }

    private void learn(long millis) {
        retention.learn(
                new BoundEvent(
                        millis, OptionalLong.empty(), SCHEME, millis, 100, Long.MIN_VALUE, true));
    }

    private void pass(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private Retention retention(String... options) {
        ScanConfig scan = TestScans.changes(options);
        return new Retention(scan.connection().table(), scan.changelog(), () -> nanos);
    }

    /** A slice with a window that begins here; of every change, net ones excepted. */
    private SliceRead at(long next) {
        return at(next, IncrementType.DETAIL);
    }

    private static SliceRead at(long next, IncrementType type) {
        SliceRead slice =
                new SliceRead(
                        DorisSplit.slice(
                                "slice-hash-1-0", ChangelogProgress.starting(SCHEME, 0, next)),
                        1);
        slice.open(
                new BoundEvent(
                        1_000_000_000,
                        OptionalLong.empty(),
                        SCHEME,
                        1_000_000_000,
                        0,
                        Long.MIN_VALUE,
                        true),
                1_000_000_000,
                type);
        return slice;
    }

    private static SliceRead idle(long next) {
        return new SliceRead(
                DorisSplit.slice("slice-hash-1-0", ChangelogProgress.starting(SCHEME, 0, next)), 1);
    }

    private static SliceRead open(long start, long position) {
        ChangelogWindow window =
                new ChangelogWindow(start, start + 500_000, "s", "e", IncrementType.DETAIL);
        return new SliceRead(
                DorisSplit.slice(
                        "slice-hash-1-0",
                        new ChangelogProgress(
                                SCHEME,
                                0,
                                start,
                                window,
                                new ChangelogPosition(position << 18, 1, 0, 1, 1, 1),
                                1)),
                1);
    }
}
