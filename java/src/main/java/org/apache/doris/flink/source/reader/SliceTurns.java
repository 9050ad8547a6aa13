package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.split.DorisSplit;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The slices of a reader and the order of their windows. Slices are read one window at a time: a
 * slice that was read goes to the end of the queue. Used by the fetcher thread alone.
 */
final class SliceTurns {

    private final Map<String, SliceRead> line = new LinkedHashMap<>();
    private final SliceControl control;
    private final PartitionRetries retries;
    private final long fingerprint;

    /**
     * @param fingerprint of the columns that are selected now
     */
    SliceTurns(SliceControl control, PartitionRetries retries, long fingerprint) {
        this.control = control;
        this.retries = retries;
        this.fingerprint = fingerprint;
    }

    /** A slice more, at the end of the line. */
    void add(DorisSplit split) {
        line.put(split.splitId(), new SliceRead(split, fingerprint));
    }

    /** Whether there is none. */
    boolean isEmpty() {
        return line.isEmpty();
    }

    /** All slices, in the order of their turns. */
    Collection<SliceRead> all() {
        return Collections.unmodifiableCollection(line.values());
    }

    /** The slice whose turn it is; null when there is nothing to read now. */
    SliceRead next() {
        BoundEvent bound = control.bound();
        for (SliceRead slice : line.values()) {
            if (slice.canRead(bound)
                    && !control.isPaused(slice.splitId())
                    && !retries.isWaiting(slice.splitId())) {
                return slice;
            }
        }
        return null;
    }

    /** A slice had its turn. */
    void toTheEnd(SliceRead slice) {
        line.remove(slice.splitId());
        line.put(slice.splitId(), slice);
    }

    /** Takes out the slices that are gone and those that were read as far as their scheme goes. */
    Set<SliceRead> takeFinished() {
        BoundEvent bound = control.bound();
        Set<SliceRead> finished = new LinkedHashSet<>();
        Iterator<SliceRead> slices = line.values().iterator();
        while (slices.hasNext()) {
            SliceRead slice = slices.next();
            if (control.isGone(slice.splitId()) || slice.hasReachedLast(bound)) {
                finished.add(slice);
                slices.remove();
            }
        }
        return finished;
    }
}
