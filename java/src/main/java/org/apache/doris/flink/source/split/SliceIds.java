package org.apache.doris.flink.source.split;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.annotation.Internal;

/**
 * Split ids of changelog slices: stable, so that what Flink keeps by split id (watermarks, pauses,
 * progress) survives restores and rescaling. Another scheme gives other ids.
 */
@Internal
public final class SliceIds {

    private SliceIds() {}

    /**
     * The id of a slice, {@code slice-hash-<n>-<i>} or {@code slice-partition-<id>}.
     *
     * @param slice number of the slice from 0, or id of the partition
     */
    public static String of(SliceScheme scheme, long slice) {
        switch (scheme.kind()) {
            case HASH:
                return "slice-hash-" + scheme.count() + "-" + slice;
            case PARTITIONS:
                return "slice-partition-" + slice;
            default:
                throw new IllegalArgumentException("There are no slices without a scheme.");
        }
    }
}
