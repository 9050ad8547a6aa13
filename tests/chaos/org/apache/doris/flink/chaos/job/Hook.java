package org.apache.doris.flink.chaos.job;

/** What a task can be made to do once. */
public final class Hook {

    /** Fails at the next row. */
    public static final String THROW = "throw";

    /** Fails when the sink is about to pre-commit. */
    public static final String THROW_BEFORE_PRECOMMIT = "throw-before-precommit";

    /** Fails after the pre-commit, in the snapshot: the checkpoint is declined. */
    public static final String DECLINE = "decline";

    /** Fails when it is told of the next completed checkpoint or savepoint. */
    public static final String THROW_AT_COMPLETION = "throw-at-completion";

    /** Stands at the next row until released. */
    public static final String PAUSE = "pause";

    /** Stands before the next pre-commit until released. */
    public static final String PAUSE_BEFORE_PRECOMMIT = "pause-before-precommit";

    /** Stands after the next pre-commit, before its state is told, until released. */
    public static final String PAUSE_AFTER_PRECOMMIT = "pause-after-precommit";

    private Hook() {}
}
