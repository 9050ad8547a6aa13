package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.streaming.api.operators.source.TimestampsAndWatermarks;
import org.apache.flink.streaming.runtime.io.PushingAsyncDataInput.DataOutput;
import org.apache.flink.util.clock.SystemClock;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What comes out of Flink's own watermark logic when a reader has no splits. */
class IdleWithoutSplitsTest {

    private final List<String> emitted = new ArrayList<>();
    private final TimestampsAndWatermarks<Long> logic =
            TimestampsAndWatermarks.createProgressiveEventTimeLogic(
                    WatermarkStrategy.<Long>forBoundedOutOfOrderness(Duration.ZERO)
                            .withTimestampAssigner((row, old) -> row),
                    UnregisteredMetricsGroup.createSourceReaderMetricGroup(),
                    null,
                    200,
                    SystemClock.getInstance(),
                    SystemClock.getInstance(),
                    UnregisteredMetricGroups.createUnregisteredTaskMetricGroup()
                            .getIOMetricGroup());
    private final ReaderOutput<Long> output =
            logic.createMainOutput(
                    proxy(DataOutput.class, this::record),
                    proxy(
                            TimestampsAndWatermarks.WatermarkUpdateListener.class,
                            (proxy, method, arguments) -> null));
    private final IdleWithoutSplits<Long> idle = new IdleWithoutSplits<>();

    @Test
    void beforeTheFirstSplit() {
        logic.emitImmediateWatermark(0);
        idle.mark(output);
        logic.emitImmediateWatermark(0);
        idle.mark(output);
        assertThat(emitted).containsExactly("IDLE");
    }

    @Test
    void afterTheLastSplitAndUntilTheNext() {
        SourceOutput<Long> split = output.createOutputForSplit("a");
        split.collect(1_000L);
        logic.emitImmediateWatermark(0);
        output.releaseOutputForSplit("a");
        logic.emitImmediateWatermark(0);
        assertThat(emitted).containsExactly("999");
        idle.mark(output);
        assertThat(emitted).containsExactly("999", "IDLE");
        logic.emitImmediateWatermark(0);

        SourceOutput<Long> next = output.createOutputForSplit("b");
        idle.end();
        assertThat(emitted).containsExactly("999", "IDLE", "ACTIVE");
        logic.emitImmediateWatermark(0);
        next.collect(5_000L);
        logic.emitImmediateWatermark(0);
        assertThat(emitted).containsExactly("999", "IDLE", "ACTIVE", "4999");
    }

    private Object record(Object proxy, Method method, Object[] arguments) {
        if (method.getName().equals("emitWatermarkStatus")) {
            emitted.add(arguments[0].toString().contains("IDLE") ? "IDLE" : "ACTIVE");
        } else if (method.getName().equals("emitWatermark")) {
            emitted.add(arguments[0].toString().replaceAll("\\D", ""));
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<?> type, InvocationHandler handler) {
        return (T)
                Proxy.newProxyInstance(
                        IdleWithoutSplitsTest.class.getClassLoader(),
                        new Class<?>[] {type},
                        handler);
    }
}
