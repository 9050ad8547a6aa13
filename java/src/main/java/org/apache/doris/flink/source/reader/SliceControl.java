package org.apache.doris.flink.source.reader;

import org.apache.doris.flink.source.event.BoundEvent;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * What the task thread sends to the fetcher: the newest bound, which splits are paused, which are
 * gone, and that it should come back. Outlives the fetchers, which Flink ends when they are idle.
 * Thread-safe.
 */
final class SliceControl {

    private final Set<String> paused = new HashSet<>();
    private final Set<String> gone = new HashSet<>();

    private BoundEvent bound;
    private boolean wakePending;
    private long version;

    /** Changes may be read up to here from now on. */
    synchronized void bound(BoundEvent newest) {
        bound = newest;
        changed();
    }

    /** The newest bound; null before the first. */
    synchronized BoundEvent bound() {
        return bound;
    }

    /** Paused splits emit nothing until they are resumed. */
    synchronized void pauseOrResume(Collection<String> pause, Collection<String> resume) {
        paused.addAll(pause);
        paused.removeAll(resume);
        changed();
    }

    /** Whether a split is paused. */
    synchronized boolean isPaused(String splitId) {
        return paused.contains(splitId);
    }

    /** Splits of the reader that will never give anything again. */
    synchronized void gone(Collection<String> splitIds) {
        gone.addAll(splitIds);
        changed();
    }

    /** Whether a split is gone. */
    synchronized boolean isGone(String splitId) {
        return gone.contains(splitId);
    }

    /** A split is no longer held: its requests are forgotten. */
    synchronized void forget(String splitId) {
        paused.remove(splitId);
        gone.remove(splitId);
    }

    /** Ends the wait in progress, or the next one, and makes {@link #takeWake} true once. */
    synchronized void wake() {
        wakePending = true;
        changed();
    }

    /** Whether {@link #wake} was called since the last time. */
    synchronized boolean takeWake() {
        boolean woken = wakePending;
        wakePending = false;
        return woken;
    }

    /** Changes with every message; read before any of them. */
    synchronized long version() {
        return version;
    }

    /** Waits for a message after {@code seen}, at most that long; an interrupt stays set. */
    synchronized void await(long seen, long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        try {
            while (version == seen) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                wait((left + 999_999) / 1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void changed() {
        version++;
        notifyAll();
    }
}
