package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.LabelSeries;

/** Which attempt of which writer this is: what its labels are made of. Immutable. */
final class WriterIdentity {

    private final String operatorId;
    private final String prefix;
    private final int subtask;
    private final int parallelism;
    private final long epoch;
    private final int attempt;

    /**
     * @param operatorId Flink's id of the operator, the same in every run of the job
     * @param epoch id of the checkpoint that this attempt restored from, 0 when it begins afresh
     */
    WriterIdentity(
            String operatorId,
            String prefix,
            int subtask,
            int parallelism,
            long epoch,
            int attempt) {
        this.operatorId = operatorId;
        this.prefix = prefix;
        this.subtask = subtask;
        this.parallelism = parallelism;
        this.epoch = epoch;
        this.attempt = attempt;
    }

    String operatorId() {
        return operatorId;
    }

    String prefix() {
        return prefix;
    }

    int subtask() {
        return subtask;
    }

    int parallelism() {
        return parallelism;
    }

    long epoch() {
        return epoch;
    }

    int attempt() {
        return attempt;
    }

    String op(String database, String table) {
        return LabelShape.op(operatorId, prefix, database, table);
    }

    /** The series of this subtask in this epoch and the given attempt. */
    LabelSeries series(String database, String table, int ofAttempt) {
        return LabelShape.twoPhase(
                prefix, database, table, subtask, op(database, table), epoch, ofAttempt);
    }

    @Override
    public String toString() {
        return String.format(
                "subtask %d of %d, epoch %d, attempt %d, prefix %s",
                subtask, parallelism, epoch, attempt, prefix);
    }
}
