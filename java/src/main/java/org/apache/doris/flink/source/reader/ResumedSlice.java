package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.source.split.ChangelogProgress;
import org.apache.doris.flink.source.split.ChangelogWindow;
import org.apache.doris.flink.source.split.DorisSplit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a changed configuration means for a slice that a checkpoint left inside a window. */
final class ResumedSlice {

    private static final Logger LOG = LoggerFactory.getLogger(ResumedSlice.class);

    private ResumedSlice() {}

    /**
     * The split as it is read on. A window of every change is read on as that where net changes are
     * wanted: after the content it has to be. Else a position of another increment type is worth
     * nothing, the window is read again with the same borders; a position of other columns keeps
     * its place, and the rows of its TSO come again.
     *
     * @param fingerprint of the columns that are selected now
     */
    static DorisSplit adapt(DorisSplit split, IncrementType wanted, long fingerprint) {
        if (split.isSnapshot() || split.changelog().get().window().isEmpty()) {
            return split;
        }
        ChangelogProgress progress = split.changelog().get();
        ChangelogWindow window = progress.window().get();
        IncrementType former = window.incrementType().orElse(wanted);
        boolean everyChange = former == IncrementType.DETAIL && wanted == IncrementType.MIN_DELTA;
        IncrementType type = everyChange ? former : wanted;
        boolean sameType = former == type;
        if (!sameType) {
            LOG.warn(
                    "Slice {} was left inside window {} of 'source.changelog.increment-type' ="
                            + " '{}', which is '{}' now: the window is read again from its start,"
                            + " changes that were emitted of it come again.",
                    split.splitId(),
                    window,
                    former.option(),
                    type.option());
        } else if (progress.position().isPresent() && progress.columnFingerprint() != fingerprint) {
            LOG.warn(
                    "Slice {} was left inside window {} with other columns: the changes of TSO {}"
                            + " come again.",
                    split.splitId(),
                    window,
                    progress.position().get().tso());
        }
        return DorisSplit.slice(
                split.splitId(),
                new ChangelogProgress(
                        progress.scheme(),
                        progress.slice(),
                        progress.nextMillis(),
                        new ChangelogWindow(
                                window.startMillis(),
                                window.endMillis(),
                                window.startText(),
                                window.endText(),
                                type),
                        sameType ? progress.position().orElse(null) : null,
                        progress.columnFingerprint()));
    }
}
