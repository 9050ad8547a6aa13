package org.apache.doris.flink.chaos.job;

/** A failure that the run asked for. */
public final class PlannedFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    PlannedFailure(String where) {
        super("planned failure " + where);
    }
}
