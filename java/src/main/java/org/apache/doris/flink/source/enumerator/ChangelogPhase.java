package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.event.CoveredEvent;

/**
 * What is done for the changes at one time in the life of a job: {@link StartPhase}, then mostly
 * {@link ContentPhase}, then {@link FollowPhase}. A phase passes over what it does not care about.
 * Used by the coordinator thread alone.
 */
interface ChangelogPhase {

    /** Ends the phase if its time has come. */
    default void endIfDue() {}

    /** A poll interval has passed. */
    default void tick() {}

    /** Does what can be done now; to be called whenever something happened. */
    default void proceed() {}

    /** A reader reports what a completed checkpoint covers. */
    default void covered(CoveredEvent event) {}
}
