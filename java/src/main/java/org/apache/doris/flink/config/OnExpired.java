package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

/** Values of {@code source.changelog.on-expired}: what follows when needed changes have expired. */
@Internal
public enum OnExpired {
    /**
     * As Doris has it: {@code min_delta} fails, the others continue with what is left, which is
     * logged as an error and counted.
     */
    DORIS_DEFAULT,
    /** The job fails with the lost range, whatever the increment type. */
    FAIL
}
