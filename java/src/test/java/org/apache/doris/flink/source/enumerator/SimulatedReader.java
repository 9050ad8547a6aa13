package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.source.event.BoundEvent;
import org.apache.doris.flink.source.event.HeldSlicesEvent;
import org.apache.doris.flink.source.event.RetentionEvent;
import org.apache.doris.flink.source.event.SlicesGoneEvent;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.flink.api.connector.source.SourceEvent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A reader by the rules: windows from next to the bound, slices of a former scheme leave. */
final class SimulatedReader {

    final int subtask;
    final Map<String, Slice> slices = new TreeMap<>();
    final List<DorisSplit> snapshotSplits = new ArrayList<>();
    final List<BoundEvent> bounds = new ArrayList<>();
    final List<RetentionEvent> retentions = new ArrayList<>();
    final List<String> gone = new ArrayList<>();
    BoundEvent bound;
    private final SimulatedJob job;

    SimulatedReader(SimulatedJob job, int subtask) {
        this.job = job;
        this.subtask = subtask;
    }

    /** As a checkpoint has it: state, but no bound. */
    SimulatedReader copy() {
        SimulatedReader copy = new SimulatedReader(job, subtask);
        slices.forEach((id, slice) -> copy.slices.put(id, slice.copy()));
        copy.snapshotSplits.addAll(snapshotSplits);
        return copy;
    }

    void add(DorisSplit split) {
        if (split.isSnapshot()) {
            snapshotSplits.add(split);
        } else {
            slices.put(split.splitId(), new Slice(split.changelog().get()));
        }
    }

    void handle(SourceEvent event) {
        if (event instanceof BoundEvent) {
            bound = (BoundEvent) event;
            bounds.add(bound);
            leave();
        } else if (event instanceof RetentionEvent) {
            retentions.add((RetentionEvent) event);
        } else {
            ((SlicesGoneEvent) event)
                    .splitIds()
                    .forEach(
                            id -> {
                                if (slices.remove(id) != null) {
                                    gone.add(id);
                                }
                            });
        }
    }

    List<HeldSlicesEvent.HeldSlice> held() {
        List<HeldSlicesEvent.HeldSlice> held = new ArrayList<>();
        slices.forEach(
                (id, slice) ->
                        held.add(
                                new HeldSlicesEvent.HeldSlice(
                                        id,
                                        slice.scheme,
                                        slice.number,
                                        slice.next,
                                        slice.openEnd)));
        return held;
    }

    void readToBound() {
        for (Slice slice : List.copyOf(slices.values())) {
            read(slice, Long.MAX_VALUE);
        }
    }

    /** Reads one window of a slice, no further than {@code end}. */
    void read(Slice slice, long end) {
        open(slice, end);
        if (slice.openEnd.isPresent()) {
            job.emitted.window(job, subtask, slice, slice.next, slice.openEnd.getAsLong());
            slice.next = slice.openEnd.getAsLong();
            slice.openEnd = OptionalLong.empty();
        }
        leave();
    }

    /** Opens a window, if there is something to read and none is open. */
    void open(Slice slice, long end) {
        long limit = Math.min(end, limit(slice));
        if (slice.openEnd.isEmpty() && slice.next < limit) {
            slice.openEnd = OptionalLong.of(limit);
        }
    }

    private long limit(Slice slice) {
        if (bound == null) {
            return Long.MIN_VALUE;
        }
        boolean leaves = !slice.scheme.equals(bound.scheme());
        return leaves && bound.lastMillis().isPresent()
                ? Math.min(bound.boundMillis(), bound.lastMillis().getAsLong())
                : bound.boundMillis();
    }

    private void leave() {
        slices.values()
                .removeIf(
                        slice ->
                                bound != null
                                        && bound.lastMillis().isPresent()
                                        && !slice.scheme.equals(bound.scheme())
                                        && slice.openEnd.isEmpty()
                                        && slice.next >= bound.lastMillis().getAsLong());
    }

    /** One slice and how far it got. */
    static final class Slice {

        final SliceScheme scheme;
        final long number;
        long next;
        OptionalLong openEnd = OptionalLong.empty();

        Slice(ChangelogProgress progress) {
            this(progress.scheme(), progress.slice(), progress.nextMillis());
        }

        private Slice(SliceScheme scheme, long number, long next) {
            this.scheme = scheme;
            this.number = number;
            this.next = next;
        }

        Slice copy() {
            Slice copy = new Slice(scheme, number, next);
            copy.openEnd = openEnd;
            return copy;
        }

        boolean holds(SimulatedJob job, long key) {
            return scheme.kind() == SliceScheme.Kind.HASH
                    ? key % scheme.count() == number
                    : job.partitionOf.applyAsLong(key) == number;
        }
    }
}
