package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.SliceScheme;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the enumerator's checkpoint holds of the changelog; {@link #NONE} while a snapshot alone is
 * read. Immutable. All times are milliseconds since 1970 UTC.
 */
final class ChangelogState {

    /** Nothing is known, as in snapshot mode. */
    public static final ChangelogState NONE = builder().build();

    private final EnumeratorState.Phase phase;
    private final OptionalLong startMillis;
    private final OptionalLong boundMillis;
    private final OptionalLong listedMillis;
    private final SliceScheme scheme;
    private final SliceScheme formerScheme;
    private final OptionalLong lastMillis;
    private final OptionalLong probeHash;
    private final OptionalLong netFromMillis;
    private final Map<String, Long> covered;
    private final Map<Long, Long> partitions;

    private ChangelogState(Builder from) {
        phase = from.phase;
        startMillis = from.startMillis;
        boundMillis = from.boundMillis;
        listedMillis = from.listedMillis;
        scheme = from.scheme;
        formerScheme = from.formerScheme;
        lastMillis = from.lastMillis;
        probeHash = from.probeHash;
        netFromMillis = from.netFromMillis;
        covered = Collections.unmodifiableMap(new TreeMap<>(from.covered));
        partitions = Collections.unmodifiableMap(new TreeMap<>(from.partitions));
    }

    /** An empty state, to be filled. */
    static Builder builder() {
        return new Builder();
    }

    /** Which part of its work the source is in. */
    public EnumeratorState.Phase phase() {
        return phase;
    }

    /** Where the changes begin: for {@code initial} the position before the content was read. */
    public OptionalLong startMillis() {
        return startMillis;
    }

    /** Last bound that was sent to the readers. */
    public OptionalLong boundMillis() {
        return boundMillis;
    }

    /** Where the slice of a partition begins that the next listing finds. */
    public OptionalLong listedMillis() {
        return listedMillis;
    }

    /** How the keys are cut into slices. */
    public SliceScheme scheme() {
        return scheme;
    }

    /**
     * The scheme that slices in hand still have, while the scheme changes; {@link SliceScheme#NONE}
     * when it does not.
     */
    public SliceScheme formerScheme() {
        return formerScheme;
    }

    /** Where slices of the former scheme leave, once that is known. */
    public OptionalLong lastMillis() {
        return lastMillis;
    }

    /** The server's hash of a constant, to notice another hash function. */
    public OptionalLong probeHash() {
        return probeHash;
    }

    /**
     * Where windows of net changes may begin, after the end of the content; empty when that is not
     * known yet.
     */
    public OptionalLong netFromMillis() {
        return netFromMillis;
    }

    /** By id of a known slice, up to where checkpoints cover it, in order of the ids. */
    public Map<String, Long> covered() {
        return covered;
    }

    /** By id of a known partition, where its slice began, in order of the ids. */
    public Map<Long, Long> partitions() {
        return partitions;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof ChangelogState)) {
            return false;
        }
        ChangelogState that = (ChangelogState) other;
        return phase == that.phase
                && startMillis.equals(that.startMillis)
                && boundMillis.equals(that.boundMillis)
                && listedMillis.equals(that.listedMillis)
                && scheme.equals(that.scheme)
                && formerScheme.equals(that.formerScheme)
                && lastMillis.equals(that.lastMillis)
                && probeHash.equals(that.probeHash)
                && netFromMillis.equals(that.netFromMillis)
                && covered.equals(that.covered)
                && partitions.equals(that.partitions);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                phase,
                startMillis,
                boundMillis,
                listedMillis,
                scheme,
                formerScheme,
                lastMillis,
                probeHash,
                netFromMillis,
                covered,
                partitions);
    }

    @Override
    public String toString() {
        return String.format(
                "%s, start %s, bound %s, listed %s, scheme %s, former %s until %s, probe %s,"
                        + " net from %s, covered %s, partitions %s",
                phase,
                startMillis,
                boundMillis,
                listedMillis,
                scheme,
                formerScheme,
                lastMillis,
                probeHash,
                netFromMillis,
                covered,
                partitions);
    }

    /** Collects the parts; what is not given stays empty. */
    static final class Builder {

        private EnumeratorState.Phase phase = EnumeratorState.Phase.SNAPSHOT;
        private OptionalLong startMillis = OptionalLong.empty();
        private OptionalLong boundMillis = OptionalLong.empty();
        private OptionalLong listedMillis = OptionalLong.empty();
        private SliceScheme scheme = SliceScheme.NONE;
        private SliceScheme formerScheme = SliceScheme.NONE;
        private OptionalLong lastMillis = OptionalLong.empty();
        private OptionalLong probeHash = OptionalLong.empty();
        private OptionalLong netFromMillis = OptionalLong.empty();
        private Map<String, Long> covered = Map.of();
        private Map<Long, Long> partitions = Map.of();

        Builder phase(EnumeratorState.Phase value) {
            phase = value;
            return this;
        }

        Builder start(OptionalLong millis) {
            startMillis = millis;
            return this;
        }

        Builder bound(OptionalLong millis) {
            boundMillis = millis;
            return this;
        }

        Builder listed(OptionalLong millis) {
            listedMillis = millis;
            return this;
        }

        Builder scheme(SliceScheme value) {
            scheme = value;
            return this;
        }

        Builder former(SliceScheme value, OptionalLong millis) {
            formerScheme = value;
            lastMillis = millis;
            return this;
        }

        Builder probe(OptionalLong hash) {
            probeHash = hash;
            return this;
        }

        Builder netFrom(OptionalLong millis) {
            netFromMillis = millis;
            return this;
        }

        Builder covered(Map<String, Long> millis) {
            covered = millis;
            return this;
        }

        Builder partitions(Map<Long, Long> millis) {
            partitions = millis;
            return this;
        }

        ChangelogState build() {
            return new ChangelogState(this);
        }
    }
}
