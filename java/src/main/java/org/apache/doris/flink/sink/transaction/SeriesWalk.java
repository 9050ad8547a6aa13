package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;

/**
 * Walks a series of labels by asking their states, from a number to the first one that is unknown.
 * Stops there since a series has no gaps.
 */
@Internal
public final class SeriesWalk implements CallChain {

    /** What the walk does with what it finds. */
    public interface Visitor {

        /** Whether this load, which is under way or pre-committed, shall be aborted. */
        boolean abort(String label, LabelState state) throws IOException;

        /** A load is committed or visible; the walk goes on unless this throws. */
        void finished(String label, LabelState state) throws IOException;

        /** A load was aborted. */
        default void aborted(String label) {}
    }

    private final Transactions transactions;
    private final LabelSeries series;
    private final Visitor visitor;

    private long number;
    private boolean ended;
    private PendingCall<LabelState> asked;
    private PendingCall<AbortOutcome> aborting;
    private LabelState found;
    private boolean askedAgain;

    /**
     * @param first number to begin with
     */
    public SeriesWalk(Transactions transactions, LabelSeries series, long first, Visitor visitor) {
        this.transactions = transactions;
        this.series = series;
        this.number = first;
        this.visitor = visitor;
    }

    /** After the walk: the first number that Doris does not know. */
    public long firstUnknown() {
        return number;
    }

    @Override
    public PendingCall<?> begin() throws IOException {
        if (ended) {
            return null;
        }
        String label = series.label(number);
        if (found == null) {
            asked = transactions.state(series.database(), label);
            return asked;
        }
        aborting = transactions.abort(series.database(), label);
        return aborting;
    }

    @Override
    public void arrived() throws IOException {
        if (found == null) {
            arrivedState(asked.result());
        } else {
            arrivedAbort(aborting.result());
        }
    }

    private void arrivedState(LabelState state) throws IOException {
        String label = series.label(number);
        if (state == LabelState.UNKNOWN) {
            ended = true;
        } else if (state.isOpen() && visitor.abort(label, state)) {
            found = state;
        } else {
            if (state.isFinished()) {
                visitor.finished(label, state);
            }
            next();
        }
    }

    private void arrivedAbort(AbortOutcome outcome) throws IOException {
        String label = series.label(number);
        switch (outcome) {
            case ABORTED:
                visitor.aborted(label);
                break;
            case FINISHED:
                // Committed between the two calls.
                visitor.finished(label, LabelState.COMMITTED);
                break;
            case NOT_FOUND:
                // It ended between the two calls, and only its state tells how.
                if (askedAgain) {
                    throw new IOException(
                            String.format(
                                    "Doris gives label %s of database %s as %s, but finds no load"
                                            + " of it to abort.",
                                    label, series.database(), found));
                }
                askedAgain = true;
                found = null;
                return;
            default:
                throw new IOException("The outcome " + outcome + " of an abort is not known.");
        }
        found = null;
        next();
    }

    private void next() {
        askedAgain = false;
        number++;
    }
}
