package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.LabelSeries;

/** The series that this attempt uses for one table, and how far it got. */
final class LabelSequence {

    private final LabelSeries series;
    private final String op;
    private long next;

    /**
     * @param op the part of the label that the state keeps; empty without two-phase commit
     */
    LabelSequence(LabelSeries series, String op, long next) {
        this.series = series;
        this.op = op;
        this.next = next;
    }

    LabelSeries series() {
        return series;
    }

    String op() {
        return op;
    }

    /** The first number that no load used. */
    long next() {
        return next;
    }

    /** A load used all numbers below. */
    void advance(long firstUnused) {
        if (firstUnused < next) {
            throw new IllegalStateException(
                    String.format(
                            "The numbers of %s go backwards: %d after %d.",
                            series, firstUnused, next));
        }
        next = firstUnused;
    }
}
