package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.sink.committer.Abandoned;
import org.apache.doris.flink.sink.transaction.CallChain;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.SeriesWalk;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Loads that earlier attempts left behind: aborts those that can never be committed and refuses to
 * go on where one was committed that the restored state does not know of. Why each series is walked
 * or only read: docs/exactly-once.md, Recovery.
 */
final class LingeringLoads {

    private static final Logger LOG = LoggerFactory.getLogger(LingeringLoads.class);

    /** Attempts before this one that are cleaned up. */
    private static final int MOST_ATTEMPTS = 32;

    /** Attempts ahead of a number that are looked at. */
    private static final int MOST_AHEAD = 16;

    /** Inherited states passed on at most. */
    private static final int MOST_INHERITED = 64;

    /** How long Doris remembers the label of a Stream Load, unless it was configured otherwise. */
    static final Duration LABEL_RETENTION = Duration.ofHours(12);

    private final WriterIdentity own;
    private final boolean prefixGiven;
    private final List<WriterState> restored;
    private final Transactions transactions;
    private final long wallMillis;
    private final Set<List<String>> unswept = new LinkedHashSet<>();
    private boolean warnedOfOldPrefix;

    /**
     * @param prefixGiven whether the user chose the prefix, so that another one in the state is a
     *     changed one
     * @param wallMillis wall clock of now
     */
    LingeringLoads(
            WriterIdentity own,
            boolean prefixGiven,
            Collection<WriterState> restored,
            Transactions transactions,
            long wallMillis) {
        this.own = own;
        this.prefixGiven = prefixGiven;
        this.restored = List.copyOf(restored);
        this.transactions = transactions;
        this.wallMillis = wallMillis;
    }

    /** Warnings about the restored state as a whole; once at the start. */
    void warn() {
        restored.stream()
                .filter(state -> !state.inherited() && isPastRetention(state))
                .findFirst()
                .ifPresent(
                        state ->
                                LOG.warn(
                                        "The restored state of the sink is {} old. Doris forgets"
                                            + " labels after {} or 2000 loads of a database, so it"
                                            + " cannot be proved that this state is the newest: if"
                                            + " the job went on after it, rows are written a second"
                                            + " time.",
                                        Duration.ofMillis(wallMillis - state.wallMillis()),
                                        LABEL_RETENTION));
        restored.stream()
                .filter(this::isOfOldPrefix)
                .findFirst()
                .ifPresent(
                        state ->
                                LOG.warn(
                                        "'sink.label-prefix' is '{}', the restored state was"
                                            + " written under '{}'. Loads under the former prefix"
                                            + " are only cleaned up; that this state is the newest"
                                            + " is not checked.",
                                        own.prefix(),
                                        state.prefix()));
    }

    /**
     * Looks for conflicts in all tables that the restored states name, whether they get rows or
     * not; before the task runs. Aborts nothing: see {@link #sweep}.
     */
    void lookAtRestoredTables(Pause pause) throws IOException, InterruptedException {
        List<SeriesWalk> walks = new ArrayList<>();
        for (WriterState state : restored) {
            for (WriterState.Table table : state.tables()) {
                if (!state.inherited() && unswept.add(List.of(table.database(), table.name()))) {
                    walks.addAll(earlier(table.database(), table.name(), false));
                }
            }
        }
        CallChain.run(walks, pause);
    }

    /**
     * Looks for conflicts in a table; before its first load in this attempt. Aborts nothing: see
     * {@link #sweep}.
     *
     * @return how far this attempt's own series is in use already
     */
    Found look(String database, String table, Pause pause)
            throws IOException, InterruptedException {
        List<SeriesWalk> all = new ArrayList<>(earlier(database, table, false));
        Reader ownReader = new Reader(database, table);
        SeriesWalk ownWalk = walk(own.series(database, table, own.attempt()), 0, ownReader);
        all.add(ownWalk);
        for (int attempt : attemptsAhead()) {
            LabelSeries series = own.series(database, table, attempt);
            all.add(walk(series, 0, new Reader(database, table)));
        }
        CallChain.run(all, pause);
        unswept.add(List.of(database, table));
        return new Found(ownWalk.firstUnknown(), ownReader.held);
    }

    /**
     * Aborts what earlier attempts left open in the tables looked at; when a barrier arrives, not
     * before. Then all subtasks run, so none of them found a conflict: had one found the savepoint
     * half committed from which the job must be started, its other half would be gone by now.
     */
    void sweep(Pause pause) throws IOException, InterruptedException {
        if (unswept.isEmpty()) {
            return;
        }
        List<SeriesWalk> walks = new ArrayList<>();
        unswept.forEach(table -> walks.addAll(earlier(table.get(0), table.get(1), true)));
        try {
            CallChain.run(walks, pause);
            unswept.clear();
        } catch (LabelConflict e) {
            throw e;
        } catch (IOException e) {
            LOG.warn("Loads that earlier attempts left could not be aborted; tried again.", e);
        }
    }

    /** Walks over what was begun before this attempt and is in no completed checkpoint. */
    private Collection<SeriesWalk> earlier(String database, String table, boolean abort) {
        Map<LabelSeries, SeriesWalk> walks = new LinkedHashMap<>();
        for (WriterState state : restored) {
            Optional<WriterState.Table> known = state.table(database, table);
            LabelSeries series = seriesOf(state, database, table, state.epoch(), state.attempt());
            long first = known.map(WriterState.Table::next).orElse(0L);
            boolean lenient = isOfOldPrefix(state);
            walks.put(series, walk(series, first, new Cleaner(database, table, lenient, abort)));
        }
        for (int attempt : attemptsBefore(own.attempt(), ownState())) {
            LabelSeries series = own.series(database, table, attempt);
            walks.put(series, walk(series, 0, new Cleaner(database, table, false, abort)));
        }
        return walks.values();
    }

    /**
     * What subtasks left behind that this job no longer has: aborted once more after the first
     * checkpoint, since no later attempt looks for their labels again.
     */
    Abandoned ofVanishedSubtasks() {
        List<Abandoned.Series> series = new ArrayList<>();
        for (WriterState state : restored) {
            if (state.inherited() || state.subtask() < own.parallelism()) {
                continue;
            }
            for (WriterState.Table table : state.tables()) {
                series.add(
                        new Abandoned.Series(
                                seriesOf(
                                        state,
                                        table.database(),
                                        table.name(),
                                        state.epoch(),
                                        state.attempt()),
                                table.next()));
                for (int attempt : attemptsBefore(own.attempt(), Optional.of(state))) {
                    series.add(
                            new Abandoned.Series(
                                    seriesOf(
                                            state,
                                            table.database(),
                                            table.name(),
                                            own.epoch(),
                                            attempt),
                                    0));
                }
            }
        }
        return new Abandoned(List.of(), series);
    }

    /**
     * States to pass on in the next snapshots of a sink of many tables: a table that comes later is
     * still to be looked for under them. Those past the label retention are of no use.
     */
    List<WriterState> inherited() {
        List<WriterState> states = new ArrayList<>();
        for (int attempt : attemptsBefore(own.attempt(), ownState())) {
            states.add(
                    new WriterState(
                            own.prefix(),
                            own.subtask(),
                            own.parallelism(),
                            own.epoch(),
                            attempt,
                            wallMillis,
                            true,
                            List.of()));
        }
        restored.stream()
                .filter(state -> !isPastRetention(state))
                .sorted((a, b) -> Long.compare(b.wallMillis(), a.wallMillis()))
                .limit(MOST_INHERITED - states.size())
                .map(WriterState::asInherited)
                .forEach(states::add);
        return states;
    }

    private Optional<WriterState> ownState() {
        return restored.stream()
                .filter(state -> !state.inherited() && state.subtask() == own.subtask())
                .findFirst();
    }

    /** Attempts of this epoch that came before this one and after the one in the state. */
    private static List<Integer> attemptsBefore(int attempt, Optional<WriterState> state) {
        int first = state.map(s -> s.attempt() + 1).orElse(0);
        List<Integer> attempts = new ArrayList<>();
        for (int i = Math.max(first, attempt - MOST_ATTEMPTS); i < attempt; i++) {
            attempts.add(i);
        }
        return attempts;
    }

    /**
     * Attempts with higher numbers, unless the state proves that there are none: the numbers began
     * anew since it was taken, or there is no state to tell. Of these attempts it is not known
     * whether they came before this one.
     */
    private Set<Integer> attemptsAhead() {
        Set<Integer> attempts = new LinkedHashSet<>();
        int known = ownState().map(WriterState::attempt).orElse(own.attempt());
        if (own.attempt() <= known) {
            addFrom(attempts, own.attempt() + 1);
            addFrom(attempts, known + 1);
        }
        return attempts;
    }

    private static void addFrom(Set<Integer> attempts, int first) {
        for (int i = 0; i < MOST_AHEAD; i++) {
            attempts.add(first + i);
        }
    }

    private LabelSeries seriesOf(
            WriterState state, String database, String table, long epoch, int attempt) {
        String op =
                state.table(database, table)
                        .map(WriterState.Table::op)
                        .filter(text -> !text.isEmpty())
                        .orElseGet(
                                () ->
                                        LabelShape.op(
                                                own.operatorId(), state.prefix(), database, table));
        return LabelShape.twoPhase(
                state.prefix(), database, table, state.subtask(), op, epoch, attempt);
    }

    private SeriesWalk walk(LabelSeries series, long first, SeriesWalk.Visitor visitor) {
        return new SeriesWalk(transactions, series, first, visitor);
    }

    private boolean isOfOldPrefix(WriterState state) {
        return prefixGiven && !state.prefix().equals(own.prefix());
    }

    private boolean isPastRetention(WriterState state) {
        return wallMillis - state.wallMillis() > LABEL_RETENTION.toMillis();
    }

    /** What the walk of this attempt's own series found. */
    static final class Found {

        private final long firstFree;
        private final List<String> held;

        private Found(long firstFree, List<String> held) {
            this.firstFree = firstFree;
            this.held = List.copyOf(held);
        }

        /** The first number that nobody used. */
        long firstFree() {
            return firstFree;
        }

        /** Labels below it that somebody holds open; to be abandoned. */
        List<String> held() {
            return held;
        }
    }

    /** Aborts what is open, in its time; a committed load is a conflict, or a warning. */
    private final class Cleaner implements SeriesWalk.Visitor {

        private final String database;
        private final String table;
        private final boolean lenient;
        private final boolean abort;

        private Cleaner(String database, String table, boolean lenient, boolean abort) {
            this.database = database;
            this.table = table;
            this.lenient = lenient;
            this.abort = abort;
        }

        @Override
        public boolean abort(String label, LabelState state) {
            if (abort) {
                LOG.info("Label {} of database {} was left {}: aborting.", label, database, state);
            }
            return abort;
        }

        @Override
        public void finished(String label, LabelState state) throws IOException {
            if (!lenient) {
                throw LabelConflict.found(own, database, table, label, state);
            }
            if (!warnedOfOldPrefix) {
                warnedOfOldPrefix = true;
                LOG.warn(
                        "Label {} of database {}, under the former prefix, is {}: the restored"
                                + " state is not the newest, and rows of table {}.{} are written a"
                                + " second time.",
                        label,
                        database,
                        state,
                        database,
                        table);
            }
        }
    }

    /** Touches nothing: these labels may belong to an attempt that is ahead of this one. */
    private final class Reader implements SeriesWalk.Visitor {

        private final String database;
        private final String table;
        private final List<String> held = new ArrayList<>();

        private Reader(String database, String table) {
            this.database = database;
            this.table = table;
        }

        @Override
        public boolean abort(String label, LabelState state) {
            LOG.info("Label {} of database {} is {}: stepping over it.", label, database, state);
            held.add(label);
            return false;
        }

        @Override
        public void finished(String label, LabelState state) throws IOException {
            throw LabelConflict.found(own, database, table, label, state);
        }
    }
}
