package org.apache.doris.flink.chaos;

import java.util.Locale;

/** A kind of fault: what it takes to bring it about, and how often a deck holds it. */
public interface Kind {

    /** What it takes to bring a fault about. */
    enum Group {
        SERVER,
        NODE,
        JOB,
        PROCESS
    }

    /** What it takes to bring the fault about. */
    Group group();

    /** How many of a deck are of this kind. */
    int weight();

    /** The name of the constant. */
    String name();

    /** The name in the log. */
    default String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it makes at least one task start again by itself. */
    default boolean ofTheJob() {
        return group() == Group.JOB || group() == Group.PROCESS;
    }
}
