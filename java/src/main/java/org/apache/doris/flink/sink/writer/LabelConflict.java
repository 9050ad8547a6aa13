package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.LabelState;

import java.io.IOException;

/**
 * A load is committed that the restored state does not know of: going on would double its rows. An
 * ordinary exception on purpose: one that suppresses restarts ends the job as FAILED, and Flink may
 * then delete the very checkpoint that is the remedy.
 */
final class LabelConflict extends IOException {

    private static final long serialVersionUID = 1L;

    private LabelConflict(String message, Throwable cause) {
        super(message, cause);
    }

    /** Found while the labels of earlier attempts were read. */
    static LabelConflict found(
            WriterIdentity own, String database, String table, String label, LabelState state) {
        return new LabelConflict(
                message(own, database, table, "Label " + label + " is " + state), null);
    }

    /**
     * Met by a load that was about to use the label.
     *
     * @param detail label and state as the load reports them
     */
    static LabelConflict met(
            WriterIdentity own, String database, String table, String detail, Throwable cause) {
        String sentence = detail.endsWith(".") ? detail.substring(0, detail.length() - 1) : detail;
        return new LabelConflict(message(own, database, table, sentence), cause);
    }

    private static String message(
            WriterIdentity own, String database, String table, String finding) {
        String start =
                own.epoch() == 0
                        ? "this run began without a checkpoint"
                        : "checkpoint or savepoint " + own.epoch() + ", from which it began,";
        return String.format(
                "%s in database %s: an earlier run of this job committed rows of table %s.%s that"
                    + " this run does not know of (%s%s). Writing on would load them a second time."
                    + " There are two remedies: start the job from its newest checkpoint or"
                    + " savepoint; or, if the rows may be written again, for example because the"
                    + " table was emptied, set 'sink.label-prefix' (now '%s') to a prefix that was"
                    + " never used.",
                finding,
                database,
                database,
                table,
                start,
                own.epoch() == 0 ? "" : " is not the newest",
                own.prefix());
    }
}
