package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.split.ChangelogPosition;
import org.apache.doris.flink.source.split.ChangelogWindow;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One window of one slice, as it is requested from a scan. */
final class WindowRequest {

    private final ChangelogWindow window;
    private final SliceScheme scheme;
    private final long slice;
    private final ChangelogPosition position;
    private final boolean verify;

    /**
     * @param slice number of the slice, or id of the partition
     * @param position rows up to it were emitted and are dropped; null for the whole window
     * @param verify whether the position's sums are of the selected columns; if not, or where they
     *     are not those of the dropped rows, all rows of its TSO come again
     */
    WindowRequest(
            ChangelogWindow window,
            SliceScheme scheme,
            long slice,
            ChangelogPosition position,
            boolean verify) {
        this.window = window;
        this.scheme = scheme;
        this.slice = slice;
        this.position = position;
        this.verify = verify;
    }

    ChangelogWindow window() {
        return window;
    }

    /** The slice's scheme. */
    SliceScheme scheme() {
        return scheme;
    }

    /** Number of the slice, or id of the partition. */
    long slice() {
        return slice;
    }

    /** Up to where rows are dropped. */
    Optional<ChangelogPosition> position() {
        return Optional.ofNullable(position);
    }

    /** Whether dropped rows are compared with the position's sums. */
    boolean verify() {
        return verify;
    }

    /** As it crosses the native boundary. */
    Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("start", window.startText());
        map.put("end", window.endText());
        map.put("start.millis", Long.toString(window.startMillis()));
        map.put("end.millis", Long.toString(window.endMillis()));
        map.put("increment-type", window.incrementType().orElseThrow().option());
        putSlice(map);
        map.put("verify", Boolean.toString(verify));
        if (position != null) {
            map.put("position.tso", Long.toString(position.tso()));
            map.put("position.lsn", Long.toString(position.lsn()));
            map.put("position.operation", Integer.toString(position.operation()));
            map.put("position.rows-at", Long.toString(position.rowsAtPosition()));
            map.put("position.rows-of-tso", Long.toString(position.rowsOfTso()));
            map.put("position.hash-sum", Long.toString(position.hashSum()));
        }
        return map;
    }

    private void putSlice(Map<String, String> map) {
        if (scheme.kind() == SliceScheme.Kind.PARTITIONS) {
            map.put("slice", "partition");
            map.put("slice.partition", Long.toString(slice));
        } else if (scheme.count() > 1) {
            map.put("slice", "hash");
            map.put("slice.index", Long.toString(slice));
            map.put("slice.count", Integer.toString(scheme.count()));
        } else {
            map.put("slice", "whole");
        }
    }
}
