package org.apache.doris.flink.source.event;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.SourceEvent;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Reader to enumerator, once after each start of the reader and also when there is none: the slices
 * that it was restored with.
 */
@Internal
public final class HeldSlicesEvent implements SourceEvent {

    private static final long serialVersionUID = 1L;

    private final List<HeldSlice> slices;

    /** The slices in any order. */
    public HeldSlicesEvent(List<HeldSlice> slices) {
        this.slices = List.copyOf(slices);
    }

    /** The slices in hand. */
    public List<HeldSlice> slices() {
        return slices;
    }

    @Override
    public String toString() {
        return "HeldSlicesEvent" + slices;
    }

    /** One slice and how far it got. */
    public static final class HeldSlice implements Serializable {

        private static final long serialVersionUID = 1L;
        private static final long NONE = Long.MIN_VALUE;

        private final String splitId;
        private final SliceScheme scheme;
        private final long slice;
        private final long nextMillis;
        private final long openEndMillis;

        /**
         * @param slice number of the slice, or id of the partition
         * @param nextMillis start of the next window; with an open window, its start
         * @param openEndMillis end of the open window; empty between windows
         */
        public HeldSlice(
                String splitId,
                SliceScheme scheme,
                long slice,
                long nextMillis,
                OptionalLong openEndMillis) {
            this.splitId = splitId;
            this.scheme = scheme;
            this.slice = slice;
            this.nextMillis = nextMillis;
            this.openEndMillis = openEndMillis.orElse(NONE);
        }

        public String splitId() {
            return splitId;
        }

        /** The scheme that the slice belongs to. */
        public SliceScheme scheme() {
            return scheme;
        }

        /** Number of the slice, or id of the partition. */
        public long slice() {
            return slice;
        }

        /** Start of the next window, or of the open one; ms since 1970. */
        public long nextMillis() {
            return nextMillis;
        }

        /** End of the open window, which stays as it is whatever else changes. */
        public OptionalLong openEndMillis() {
            return openEndMillis == NONE ? OptionalLong.empty() : OptionalLong.of(openEndMillis);
        }

        /** Up to where the slice is bound to read before it can leave. */
        public long reachMillis() {
            return openEndMillis().orElse(nextMillis);
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof HeldSlice)) {
                return false;
            }
            HeldSlice that = (HeldSlice) other;
            return splitId.equals(that.splitId)
                    && scheme.equals(that.scheme)
                    && slice == that.slice
                    && nextMillis == that.nextMillis
                    && openEndMillis == that.openEndMillis;
        }

        @Override
        public int hashCode() {
            return Objects.hash(splitId, nextMillis, openEndMillis);
        }

        @Override
        public String toString() {
            return String.format("%s (next %d, open end %s)", splitId, nextMillis, openEndMillis());
        }
    }
}
