package org.apache.doris.flink.config;

import org.apache.flink.annotation.Internal;

/** Values of {@code source.changelog.changelog-mode}: the shape in which changes reach Flink. */
@Internal
public enum ChangeMode {
    /** {@code +I}, {@code -U}, {@code +U} and {@code -D} as Doris has them. */
    ALL,
    /** {@code -U} is dropped; what is left is an upsert by primary key. */
    UPSERT,
    /** Every change is an inserted row; a metadata column holds its kind. */
    AUDIT
}
