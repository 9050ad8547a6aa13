package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Watches over loads that are pre-committed and wait for their checkpoint: Doris drops them after a
 * time. Flink does not report completed checkpoints to the writer, so it reads the label's state,
 * first after a quarter of that time, and fails the task at half of it, while the rows can still be
 * replayed. Never waits: one call is under way at most.
 */
final class PrecommitWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PrecommitWatch.class);

    private static final int CHECKS_PER_TIMEOUT = 32;
    private static final Duration PENDING_DELAY = Duration.ofMillis(50);

    private final Transactions transactions;
    private final SinkClock clock;
    private final Duration timeout;
    private final Map<String, Deque<Held>> held = new HashMap<>();
    private final Queue<Held> due = new ArrayDeque<>();

    private long nextCheck;
    private Held current;
    private PendingCall<LabelState> call;
    private boolean inside;

    /**
     * @param timeout after which time Doris drops a pre-committed load
     */
    PrecommitWatch(Transactions transactions, SinkClock clock, Duration timeout) {
        this.transactions = transactions;
        this.clock = clock;
        this.timeout = timeout;
        this.nextCheck = clock.nanos() + checkInterval().toNanos();
    }

    /** A load was pre-committed just now. */
    void add(String database, String table, String label) {
        held.computeIfAbsent(database + "." + table, key -> new ArrayDeque<>())
                .addLast(new Held(database, table, label, clock.nanos()));
    }

    /** Labels that are not known to be committed. */
    int size() {
        return held.values().stream().mapToInt(Deque::size).sum();
    }

    /** How long until the next check is due. */
    Duration delay() {
        return call != null || !due.isEmpty() ? PENDING_DELAY : checkInterval();
    }

    /**
     * Continues the checks; cheap when none is due.
     *
     * @throws IOException when rows are about to be lost, or are
     */
    void poll() throws IOException {
        if (inside) {
            return;
        }
        inside = true;
        try {
            if (call == null && due.isEmpty() && clock.nanos() - nextCheck >= 0) {
                nextCheck = clock.nanos() + checkInterval().toNanos();
                collectDue();
            }
            while (advance()) {
                // Until a call has to be waited for.
            }
        } finally {
            inside = false;
        }
    }

    @Override
    public void close() {
        if (call != null) {
            call.close();
            call = null;
        }
    }

    private void collectDue() {
        held.values().removeIf(Deque::isEmpty);
        for (Deque<Held> labels : held.values()) {
            newestOlderThan(labels, timeout.dividedBy(4)).ifPresent(due::add);
        }
    }

    /** One step; false when there is nothing to do now. */
    private boolean advance() throws IOException {
        if (call == null) {
            if (due.isEmpty()) {
                return false;
            }
            current = due.remove();
            try {
                call = transactions.state(current.database, current.label);
            } catch (IOException e) {
                checkFailed(e);
                return true;
            }
        }
        LabelState state;
        try {
            if (!call.await(0)) {
                return false;
            }
            state = call.result();
        } catch (IOException e) {
            close();
            checkFailed(e);
            return true;
        }
        close();
        judge(state);
        return true;
    }

    private void judge(LabelState state) throws IOException {
        Deque<Held> labels = held.get(current.key());
        switch (state) {
            case COMMITTED:
            case VISIBLE:
                // Commits go in order, so all older ones are committed as well.
                while (!labels.isEmpty() && labels.peekFirst().since <= current.since) {
                    labels.removeFirst();
                }
                return;
            case UNKNOWN:
                labels.remove(current);
                LOG.warn(
                        "Doris does not know label {} of table {} any more, which was pre-committed"
                                + " {} ago: whether its rows were committed cannot be told from the"
                                + " label.",
                        current.label,
                        current.key(),
                        age(current));
                return;
            case ABORTED:
                throw new IOException(
                        String.format(
                                "Doris aborted the load under label %s of table %s, which waited %s"
                                    + " for its checkpoint. The job goes back to its last"
                                    + " checkpoint so that the rows are loaded again. If this comes"
                                    + " again, checkpoints take longer than the server's pre-commit"
                                    + " timeout (stream_load_default_precommit_timeout_second, told"
                                    + " to the sink as 'sink.precommit-timeout', %s), or somebody"
                                    + " aborted the transaction.",
                                current.label, current.key(), age(current), timeout));
            default:
                notCommitted(labels);
        }
    }

    private void notCommitted(Deque<Held> labels) throws IOException {
        Duration half = timeout.dividedBy(2);
        if (age(current).compareTo(half) >= 0) {
            throw new IOException(
                    String.format(
                            "The load under label %s of table %s was pre-committed %s ago and no"
                                + " checkpoint has completed since. Doris drops it after %s"
                                + " ('sink.precommit-timeout'). The job goes back to its last"
                                + " checkpoint now, so that the rows are loaded again instead of"
                                + " being lost. Look for the reason why checkpoints fail.",
                            current.label, current.key(), age(current), timeout));
        }
        LOG.warn(
                "Label {} of table {} was pre-committed {} ago and is not committed: no checkpoint"
                        + " has completed since. At {} the job will go back to its last one.",
                current.label,
                current.key(),
                age(current),
                half);
        // Newer labels come with every attempt of a checkpoint: it is an old one that is at stake.
        newestOlderThan(labels, half).ifPresent(due::add);
    }

    private void checkFailed(IOException e) {
        LOG.warn(
                "The state of label {} of table {} could not be read; it is asked again.",
                current.label,
                current.key(),
                e);
    }

    private Optional<Held> newestOlderThan(Deque<Held> labels, Duration age) {
        for (Iterator<Held> newestFirst = labels.descendingIterator(); newestFirst.hasNext(); ) {
            Held one = newestFirst.next();
            if (age(one).compareTo(age) >= 0) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    private Duration age(Held one) {
        return Duration.ofNanos(clock.nanos() - one.since);
    }

    private Duration checkInterval() {
        return timeout.dividedBy(CHECKS_PER_TIMEOUT);
    }

    /** A pre-committed load. */
    private static final class Held {

        private final String database;
        private final String table;
        private final String label;
        private final long since;

        private Held(String database, String table, String label, long since) {
            this.database = database;
            this.table = table;
            this.label = label;
            this.since = since;
        }

        private String key() {
            return database + "." + table;
        }
    }
}
