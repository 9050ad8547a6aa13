package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.config.TableIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which slices there should be: those of the scheme that is configured, one per partition as
 * partitions come and go, and after a restore with another scheme the move to the new one.
 *
 * <p>The move: once all readers have reported what they hold, the furthest of it is where slices of
 * the former scheme leave. When a completed checkpoint holds none of them, all their rows are after
 * its barrier, and the new slices begin right there, so that no key's rows overtake each other.
 *
 * <p>Used by the coordinator thread alone.
 */
final class SliceSchemes {

    private static final Logger LOG = LoggerFactory.getLogger(SliceSchemes.class);

    private final TableIdentifier table;
    private final SliceRegistry slices;
    private final SliceScheme present;

    private SliceScheme former = SliceScheme.NONE;
    private OptionalLong last = OptionalLong.empty();
    private OptionalLong listed = OptionalLong.empty();
    private Map<Long, String> names = Map.of();
    private boolean listedOnce;
    private boolean toBeChecked;

    SliceSchemes(TableIdentifier table, SliceRegistry slices, SliceScheme wanted) {
        this.table = table;
        this.slices = slices;
        this.present = wanted;
    }

    /** Begins to follow changes: all slices start here. */
    void begin(long startMillis) {
        listed = OptionalLong.of(startMillis);
        create(startMillis);
    }

    /** Goes on where a checkpoint of the changelog phase was taken. */
    void restore(ChangelogState state) {
        listed = state.listedMillis();
        if (!state.formerScheme().equals(SliceScheme.NONE)) {
            former = state.formerScheme();
            last = state.lastMillis();
        } else if (!state.scheme().equals(present)) {
            former = state.scheme();
        }
        if (former.equals(present) && last.isEmpty()) {
            // Nothing has left yet: as if the scheme had never been changed.
            former = SliceScheme.NONE;
        }
        toBeChecked = true;
        if (isMoving()) {
            LOG.info(
                    "Table {}: the checkpoint has slices by '{}', option 'source.changelog.slices'"
                            + " asks for '{}'. The change is made while reading goes on.",
                    table,
                    former,
                    present);
        }
    }

    /** Scheme of new slices. */
    SliceScheme present() {
        return present;
    }

    /** Scheme that slices in hand may still have; {@link SliceScheme#NONE} without a move. */
    SliceScheme former() {
        return former;
    }

    /** Where slices of the former scheme leave, once that is known. */
    OptionalLong last() {
        return last;
    }

    /** Where the slice of a partition begins that the next listing finds. */
    OptionalLong listedMillis() {
        return listed;
    }

    /** Whether slices of another scheme are still in hand. */
    boolean isMoving() {
        return !former.equals(SliceScheme.NONE);
    }

    /**
     * Whether bounds may be sent: no window may be opened before it is known where slices leave.
     */
    boolean isSettled() {
        return !isMoving() || last.isPresent();
    }

    /** Whether gone or new partitions matter. */
    boolean followsPartitions() {
        return present.equals(SliceScheme.PARTITIONS) || former.equals(SliceScheme.PARTITIONS);
    }

    /** Whether slices depend on the server's hash function. */
    boolean hashes() {
        return StartPosition.hashes(present) || StartPosition.hashes(former);
    }

    /** Whether partitions have to be listed although no time has passed: none has a slice yet. */
    boolean needsListing() {
        return present.equals(SliceScheme.PARTITIONS)
                && !isMoving()
                && !listedOnce
                && slices.partitions().isEmpty();
    }

    /**
     * Once after a restore, when all readers have reported what they hold: fixes where slices of a
     * former scheme leave, and assigns what no reader holds again.
     *
     * @param otherwise where slices leave when there is none
     * @return whether it was done now
     */
    boolean settle(int parallelism, long otherwise) {
        if (!toBeChecked || !slices.allReported(parallelism)) {
            return false;
        }
        toBeChecked = false;
        if (former.equals(present)) {
            recreate(slices.missing(), last);
            former = SliceScheme.NONE;
            last = OptionalLong.empty();
        } else if (!isMoving()) {
            recreate(slices.missing(), OptionalLong.empty());
        } else if (last.isEmpty()) {
            // No slice at all: partitions were to be listed, or all are gone.
            last = OptionalLong.of(slices.furthestReach().orElse(listed.orElse(otherwise)));
            LOG.info(
                    "Table {}: slices by '{}' are read up to {}; those by '{}' begin there, once a"
                            + " checkpoint has covered it.",
                    table,
                    former,
                    Instant.ofEpochMilli(last.getAsLong()),
                    present);
        }
        return true;
    }

    /**
     * Ends the move if the checkpoint holds no slice of the former scheme.
     *
     * @return whether it ended now
     */
    boolean finish(CoveredReports reports, long checkpoint, int parallelism) {
        if (!isMoving()
                || last.isEmpty()
                || !reports.coversEndOf(slices.covered().keySet(), checkpoint, parallelism)) {
            return false;
        }
        slices.forgetAll(new HashSet<>(slices.covered().keySet()));
        slices.forgetPartitions();
        LOG.info(
                "Table {}: all slices by '{}' have left in checkpoint {}; those by '{}' begin at"
                        + " {}.",
                table,
                former,
                checkpoint,
                present,
                Instant.ofEpochMilli(last.getAsLong()));
        former = SliceScheme.NONE;
        long start = last.getAsLong();
        last = OptionalLong.empty();
        listed = OptionalLong.of(start);
        listedOnce = false;
        create(start);
        return true;
    }

    /**
     * Takes a listing of the partitions that was made after {@code boundMillis} had passed. A
     * partition that the listing before lacks did not exist then: its slice begins at the bound of
     * that listing.
     *
     * @return ids of the splits whose partitions are gone
     */
    List<String> listed(Map<Long, String> partitions, long boundMillis) {
        List<String> gone = new ArrayList<>();
        for (long partition : slices.removeAllBut(partitions.keySet())) {
            gone.add(SliceScheme.PARTITIONS.splitId(partition));
            LOG.warn(
                    "Partition {} of table {} is gone, and with it changes that were not read yet;"
                            + " it is followed no longer.",
                    label(partition),
                    table);
        }
        names = Map.copyOf(partitions);
        if (present.equals(SliceScheme.PARTITIONS) && !isMoving()) {
            long start = listed.orElse(boundMillis);
            Set<Long> known = Set.copyOf(slices.partitions().keySet());
            for (long partition : new TreeMap<>(partitions).keySet()) {
                if (!known.contains(partition)) {
                    slices.create(SliceScheme.PARTITIONS, partition, start);
                    LOG.info(
                            "Partition {} of table {} is followed from {} on.",
                            label(partition),
                            table,
                            Instant.ofEpochMilli(start));
                }
            }
            listed = OptionalLong.of(boundMillis);
            listedOnce = true;
        }
        return gone;
    }

    private void create(long startMillis) {
        if (present.kind() == SliceScheme.Kind.HASH) {
            for (int slice = 0; slice < present.count(); slice++) {
                slices.create(present, slice, startMillis);
            }
        }
    }

    private void recreate(Set<String> missing, OptionalLong from) {
        Map<String, Long> covered = new TreeMap<>(slices.covered());
        List<Long> numbers = new ArrayList<>();
        if (present.kind() == SliceScheme.Kind.HASH) {
            for (long slice = 0; slice < present.count(); slice++) {
                numbers.add(slice);
            }
        } else {
            numbers.addAll(slices.partitions().keySet());
        }
        for (long number : numbers) {
            String id = present.splitId(number);
            if (missing.contains(id)) {
                long start = from.orElse(covered.get(id));
                slices.recreate(present, number, start);
                LOG.warn(
                        "Table {}: no reader holds {}; it is read from {} on.",
                        table,
                        id,
                        Instant.ofEpochMilli(start));
            }
        }
    }

    private String label(long partition) {
        String name = names.get(partition);
        return name == null ? "with id " + partition : "'" + name + "' (id " + partition + ")";
    }
}
