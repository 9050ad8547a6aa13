package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

/** Messages about changes that the server does not keep any more. */
@Internal
public final class ExpiredChanges {

    /** What a user can do about them. */
    public static final String REPAIR =
            "What has expired cannot be read any more. To align downstream data with the table"
                + " again, start with 'source.scan.mode' = 'initial', without the checkpoint or"
                + " savepoint, and with a 'source.changelog.consumer-id' that has no row yet, or"
                + " without it and 'source.changelog.offset-table'. A larger changelog.ttl_seconds"
                + " helps from now on only.";

    private ExpiredChanges() {}

    /** Whether the job fails for them; else it continues without. */
    public static boolean fail(ChangelogConfig config) {
        return netChanges(config) || config.onExpired() == OnExpired.FAIL;
    }

    /** Why it does; net changes fail with Doris' own text, at a start as in mid-stream. */
    public static String whyItFails(ChangelogConfig config) {
        return netChanges(config)
                ? "Changelog offset has expired according to changelog.ttl_seconds: the job fails,"
                        + " as it always does with 'source.changelog.increment-type' = 'min_delta'."
                : "The job fails, as option 'source.changelog.on-expired' = 'fail' says.";
    }

    private static boolean netChanges(ChangelogConfig config) {
        return config.incrementType() == IncrementType.MIN_DELTA;
    }
}
