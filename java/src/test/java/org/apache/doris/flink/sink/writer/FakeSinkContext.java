package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.function.ThrowingRunnable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledFuture;

/** What Flink gives to a writer; mails and timers run when a test says so. */
final class FakeSinkContext implements WriterInitContext, MailboxExecutor, ProcessingTimeService {

    final RecordedMetrics metrics = new RecordedMetrics();
    final Deque<Runnable> mails = new ArrayDeque<>();
    private final Deque<ProcessingTimeCallback> timers = new ArrayDeque<>();
    private final TaskInfo task;
    private final OptionalLong restored;

    FakeSinkContext(int subtask, int parallelism, int attempt, OptionalLong restored) {
        this.task = new TaskInfoImpl("sink", 128, subtask, parallelism, attempt);
        this.restored = restored;
    }

    /** Runs the timers that are set now. */
    void fireTimers() throws Exception {
        for (int left = timers.size(); left > 0; left--) {
            timers.remove().onProcessingTime(0);
        }
    }

    @Override
    public OptionalLong getRestoredCheckpointId() {
        return restored;
    }

    @Override
    public TaskInfo getTaskInfo() {
        return task;
    }

    @Override
    public SinkWriterMetricGroup metricGroup() {
        return metrics;
    }

    @Override
    public MailboxExecutor getMailboxExecutor() {
        return this;
    }

    @Override
    public ProcessingTimeService getProcessingTimeService() {
        return this;
    }

    @Override
    public long getCurrentProcessingTime() {
        return 0;
    }

    @Override
    public ScheduledFuture<?> registerTimer(long time, ProcessingTimeCallback target) {
        timers.add(target);
        return null;
    }

    @Override
    public void execute(
            MailOptions options,
            ThrowingRunnable<? extends Exception> command,
            String description,
            Object... arguments) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void yield() {
        throw new AssertionError("waits for mails alone");
    }

    @Override
    public boolean tryYield() throws FlinkRuntimeException {
        Runnable mail = mails.poll();
        if (mail != null) {
            mail.run();
        }
        return mail != null;
    }

    @Override
    public boolean shouldInterrupt() {
        return false;
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SerializationSchema.InitializationContext asSerializationSchemaInitializationContext() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isObjectReuseEnabled() {
        return true;
    }

    @Override
    public <IN> TypeSerializer<IN> createInputSerializer() {
        throw new UnsupportedOperationException();
    }

    @Override
    public JobInfo getJobInfo() {
        throw new UnsupportedOperationException();
    }
}
