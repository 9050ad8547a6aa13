package org.apache.doris.flink.sink.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.flink.runtime.throwable.ThrowableClassifier;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** Which failures end a job for good, and how a writer of changes in no order starts. */
class WriteRefusedTest {

    private static final RowType TYPE = RowType.of(new BigIntType());

    private final FakeDoris doris = new FakeDoris();
    private final FakeLoadClient client = new FakeLoadClient(doris);
    private SinkConfig config = TestSink.on(doris).config();

    private DorisWriter<RowData> start(FakeSinkContext context) throws IOException {
        return DorisWriter.create(
                config,
                CheckpointPlan.UNKNOWN,
                () -> client,
                (loads, metrics) ->
                        new RowDataInput(config, TYPE, loads, metrics, SinkClock.SYSTEM, null),
                SinkClock.SYSTEM,
                context,
                List.of());
    }

    private static FakeSinkContext context(OptionalLong restored) {
        return new FakeSinkContext(0, 1, 0, restored);
    }

    private static boolean endsTheJob(Throwable failure) {
        assertThat(failure).isInstanceOf(IOException.class);
        return ThrowableClassifier.findThrowableOfThrowableType(
                        failure, ThrowableType.NonRecoverableError)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"CONFIG", "CONNECT", "AUTH", "NOT_FOUND", "SCHEMA", "UNSUPPORTED", "LIBRARY"})
    void aStartThatIsRefusedEndsANewJobAndNotARestoredOne(ErrorCode code) {
        client.checkFailure = new NativeException(code, "refused");
        Throwable fresh = catchThrowable(() -> start(context(OptionalLong.empty())));
        assertThat(fresh).hasMessage("refused");
        assertThat(endsTheJob(fresh)).isTrue();
        Throwable restored = catchThrowable(() -> start(context(OptionalLong.of(7))));
        assertThat(restored).isSameAs(client.checkFailure);
        assertThat(endsTheJob(restored)).isFalse();
        assertThat(client.closed).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            mode = Mode.INCLUDE,
            names = {"TIMEOUT", "TRANSPORT", "INTERNAL", "LOAD", "DATA"})
    void whatMayPassOrIsOfTheDataEndsNoJob(ErrorCode code) {
        client.checkFailure = new NativeException(code, "failed");
        assertThat(endsTheJob(catchThrowable(() -> start(context(OptionalLong.empty())))))
                .isFalse();
    }

    /** Before the first snapshot of a subtask no checkpoint of the job can be complete. */
    @Test
    void aLoadThatIsRefusedEndsAJobWithoutCheckpointsOnly() throws Exception {
        for (boolean checkpointed : new boolean[] {false, true}) {
            try (DorisWriter<RowData> writer = start(context(OptionalLong.empty()))) {
                if (checkpointed) {
                    writer.flush(false);
                    writer.prepareCommit();
                    writer.snapshotState(1);
                }
                writer.write(GenericRowData.of(1L), null);
                writer.flush(false);
                client.opened
                        .get(client.opened.size() - 1)
                        .fail(new NativeException(ErrorCode.AUTH, "no LOAD privilege"));
                Throwable refused = catchThrowable(writer::prepareCommit);
                assertThat(refused).hasMessageContaining("no LOAD privilege");
                assertThat(endsTheJob(refused)).isEqualTo(!checkpointed);
            }
        }
    }

    /** Its remedy is a checkpoint, which Flink may delete when a job has failed. */
    @Test
    void aConflictOfLabelsEndsNoJob() throws Exception {
        try (TestSink job = TestSink.on(doris).start()) {
            job.write(0, "a").checkpoint(1);
        }
        Throwable conflict = catchThrowable(() -> TestSink.on(doris).start());
        assertThat(conflict).isInstanceOf(LabelConflict.class);
        assertThat(endsTheJob(conflict)).isFalse();
    }

    @Test
    void changesInNoOrderAreWarnedOfOnceAndOverSeveralSubtasksOnly() throws Exception {
        config = config.unordered();
        assertThat(config.isUnordered()).isTrue();
        try (CapturedLogs logs = CapturedLogs.of(DorisWriter.class)) {
            start(new FakeSinkContext(0, 1, 0, OptionalLong.empty())).close();
            assertThat(logs.lines()).noneMatch(line -> line.startsWith("WARN"));
            start(new FakeSinkContext(0, 2, 0, OptionalLong.empty())).close();
            start(new FakeSinkContext(1, 2, 0, OptionalLong.empty())).close();
            assertThat(logs.lines())
                    .filteredOn(line -> line.startsWith("WARN"))
                    .singleElement()
                    .asString()
                    .contains("test.t")
                    .contains("Declare PRIMARY KEY (...) NOT ENFORCED")
                    .contains("ON CONFLICT DO DEDUPLICATE")
                    .contains("parallelism of 1");
        }
    }

    @Test
    void theSameSinkInNoOrderKeepsItsDrawnPrefix() {
        SinkConfig drawn = TestSink.on(doris).option("sink.label-prefix", null).config();
        assertThat(drawn.unordered().labelPrefix()).isEqualTo(drawn.labelPrefix());
        assertThat(drawn.isUnordered()).isFalse();
    }
}
