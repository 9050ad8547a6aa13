package org.apache.doris.flink.chaos.job;

import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.types.Row;

import java.lang.reflect.Method;

/**
 * Hands rows on and, when {@link Control} says so, breaks the task that it is chained into: in
 * front of a sink it strikes before, in or after the sink's pre-commit.
 */
final class HookOperator extends AbstractStreamOperator<Row>
        implements OneInputStreamOperator<Row, Row> {

    private static final long serialVersionUID = 1L;
    private static final long LOOK_NANOS = 10_000_000;

    private final String name;
    private final String folder;

    private transient Control control;
    private transient int subtask;
    private transient long nextLook;

    HookOperator(String name, String folder) {
        this.name = name;
        this.folder = folder;
    }

    /** Before Flink 2 an operator says itself that it may stand behind another in one task. */
    HookOperator chained() {
        try {
            for (Method method : getClass().getMethods()) {
                if (method.getName().equals("setChainingStrategy")) {
                    method.invoke(this, ChainingStrategy.ALWAYS);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    @Override
    public void open() throws Exception {
        super.open();
        control = new Control(folder);
        subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }

    @Override
    public void processElement(StreamRecord<Row> row) throws Exception {
        long now = System.nanoTime();
        if (now - nextLook >= 0) {
            nextLook = now + LOOK_NANOS;
            if (control.take(Hook.THROW, name, subtask)) {
                throw new PlannedFailure("at row " + row.getValue());
            }
            pause(Hook.PAUSE);
        }
        output.collect(row);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
        super.prepareSnapshotPreBarrier(checkpoint);
        pause(Hook.PAUSE_BEFORE_PRECOMMIT);
        if (control.take(Hook.THROW_BEFORE_PRECOMMIT, name, subtask)) {
            throw new PlannedFailure("before the pre-commit of checkpoint " + checkpoint);
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        pause(Hook.PAUSE_AFTER_PRECOMMIT);
        if (control.take(Hook.DECLINE, name, subtask)) {
            throw new PlannedFailure("in the snapshot of checkpoint " + context.getCheckpointId());
        }
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) throws Exception {
        super.notifyCheckpointComplete(checkpoint);
        if (control.take(Hook.THROW_AT_COMPLETION, name, subtask)) {
            throw new PlannedFailure("at the completion of checkpoint " + checkpoint);
        }
    }

    /** Stops this thread until it is released, whatever Flink thinks of it meanwhile. */
    private void pause(String hook) {
        if (!control.take(hook, name, subtask)) {
            return;
        }
        boolean interrupted = false;
        while (!control.released(hook, name, subtask)) {
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
